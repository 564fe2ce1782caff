import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseWorkspace } from "../src/app/index.ts";
import { builtinTools } from "../src/builtin/index.ts";
import { planChain } from "../src/chain/index.ts";
import type { Resolver } from "../src/engine/index.ts";
import { createHttpClient } from "../src/net/index.ts";
import { parseContract } from "../src/hub/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import type { Problem } from "../src/text/index.ts";
import { type AnyTool, ToolRegistry, defineTool, parseToolFile } from "../src/tool/index.ts";
import { type Snippet, commandsOf, pathOf, proseOf, snippetsOf, taughtPages } from "./support/pages.ts";

// Every program is a process of its own, and some start more.
vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);

/** Files of a page that one of its commands runs with `node`: they run there, with the other files of the page. */
function runsAsCommand({ page, code }: Snippet): boolean {
  const path = pathOf(code);
  return path !== undefined && commandsOf(page).some(({ line }) => line.startsWith("node ") && runs(line, path));
}

function runs(line: string, path: string): boolean {
  return line.includes(path) || (line.startsWith("node --test") && path.endsWith(".test.ts"));
}

describe("TypeScript in the docs", () => {
  let dir = "";
  beforeAll(async () => {
    // Inside the project, so that the package's own name and zod resolve as they do for users.
    dir = await mkdtemp(join(import.meta.dirname, ".snippets-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test.concurrent.each(snippetsOf(taughtPages, "ts").filter((snippet) => !runsAsCommand(snippet)))(
    "$name runs, and prints what its comments show",
    async ({ name, code }) => {
      const file = join(dir, `${name.replaceAll(/\W+/g, "-")}.ts`);
      await writeFile(file, code);
      const { stdout } = await run(process.execPath, [file], { env: { ...process.env, NO_COLOR: "1" } });
      const promised = [...code.matchAll(/\/\/ (.+)$/gm)]
        .filter(([line], index, all) => printed(code, all[index]?.index ?? 0, line))
        .map(([, text = ""]) => text.split(/[:,] (?=[a-z])|[，：]/)[0]?.trim() ?? "");
      expect(promised.length).toBeGreaterThan(0);
      const lines = stdout.trim().split("\n");
      for (const text of promised) expect(lines.some((line) => line === text || line.startsWith(text))).toBe(true);
    },
  );
});

test("[U6] the guide to durable runs has a program for every task, and the README links it", () => {
  const page = readFileSync("docs/guide/durable-runs.md", "utf8");
  const [program] = snippetsOf(["docs/guide/durable-runs.md"], "ts");
  const calls = ["runs.start(", "runs.resume(", "runs.decide(", "repeat:", "onEvent", "runs.inspect(", "runs.cancel("];
  for (const call of calls) expect(program?.code).toContain(call);
  for (const task of ["Start", "Resume after a crash", "Approvals", "Timers", "Observe", "Cancel"]) {
    expect(page).toContain(`\n## ${task}\n`);
  }
  for (const readme of ["README.md", "README.zh-CN.md"]) {
    expect(readFileSync(readme, "utf8")).toContain("(docs/guide/durable-runs.md)");
  }
});

/** True if the comment follows a statement that prints. */
function printed(code: string, at: number, _line: string): boolean {
  const start = code.lastIndexOf("\n", at) + 1;
  return /console\.log|engine\.call\("echo"/.test(code.slice(start, at)) && !/^\s*else/.test(code.slice(start, at));
}

const executors = new ToolRegistry();
for (const tool of builtinTools({ http: createHttpClient() })) executors.register(tool);

describe("YAML in the docs", () => {
  /** Every tool that a chain of the docs calls accepts any arguments. */
  const anyTools: Resolver = {
    resolve: (name) => executors.resolve(name) ?? { tool: anything(name), source: "", owner: "", priority: 0 },
    names: () => [],
  };

  test.each(snippetsOf(taughtPages, "yaml").filter(isChain))("$name is a valid chain", ({ code }) => {
    expect(planChain({ text: code, file: "chains/x.yaml" }, { tools: anyTools }).problems).toEqual([]);
  });

  test.each(snippetsOf(taughtPages, "yaml").filter((snippet) => !isChain(snippet)))(
    "$name is valid",
    async ({ code }) => {
      const problems = await problemsIn(code);
      // The module of a custom entry lies beside its file, not in the page.
      expect(problems.filter(({ message }) => !message.includes("slugify.ts"))).toEqual([]);
    },
  );
});

/** Problems of a contract, a tool or the settings of a workspace. */
async function problemsIn(code: string): Promise<readonly Problem[]> {
  if (code.startsWith("# capabilities/")) return parseContract(code, { file: "capabilities/x.yaml" }).problems;
  if (!/^name:/m.test(code)) return parseWorkspace(code, "windlass.yaml").problems;
  const world = { file: "tools/x.yaml", executors, secretNames: ["CRM_TOKEN"], http: createHttpClient() };
  return (await parseToolFile(code, world)).problems;
}

function isChain({ code }: Snippet): boolean {
  return /^steps:/m.test(code);
}

function anything(name: string): AnyTool {
  return defineTool({
    // A tool cannot have a capability's name.
    name: name.replace(":", "_"),
    description: name,
    effect: "read",
    input: fromJsonSchema({ type: "object" }),
    run: () => 1,
  });
}

test("every link inside the docs leads to a file, and to a heading in it", () => {
  const broken: string[] = [];
  for (const page of [
    ...taughtPages,
    ...globSync("docs/**/*.md"),
    "ARCHITECTURE.md",
    "AGENTS.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "src/README.md",
  ]) {
    for (const [, file = "", anchor] of readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      if (/^https?:/.test(file)) continue;
      const target = file === "" ? page : join(page, "..", file);
      const isThere = globSync(target).length > 0;
      if (!isThere || (anchor !== undefined && !anchorsOf(target).has(anchor)))
        broken.push(`${page}: ${file}#${anchor}`);
    }
  }
  expect(broken).toEqual([]);
});

const anchors = new Map<string, ReadonlySet<string>>();

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchors.get(page);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const [, heading = ""] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; found.has(anchor); count++) anchor = `${slug}-${count}`;
    found.add(anchor);
  }
  anchors.set(page, found);
  return found;
}

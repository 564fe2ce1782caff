import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseWorkspace } from "../src/app/index.ts";
import { builtinTools } from "../src/builtin/index.ts";
import { planChain } from "../src/chain/index.ts";
import type { Resolver } from "../src/engine/index.ts";
import { createHttpClient } from "../src/net/index.ts";
import { parseContract } from "../src/hub/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import type { Problem } from "../src/text/index.ts";
import { type AnyTool, ToolRegistry, defineTool, parseToolFile } from "../src/tool/index.ts";

const run = promisify(execFile);
const pages = ["README.md", "README.zh-CN.md", ...globSync("docs/guide/**/*.md")];

interface Snippet {
  readonly name: string;
  readonly code: string;
}

function snippets(language: string): Snippet[] {
  return pages.flatMap((page) => {
    const blocks = readFileSync(page, "utf8").matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"));
    return [...blocks].map(([, code = ""], index) => ({ name: `${page} #${index + 1}`, code }));
  });
}

describe("TypeScript in the docs", () => {
  let dir = "";
  beforeAll(async () => {
    // Inside the project, so that the package's own name and zod resolve as they do for users.
    dir = await mkdtemp(join(import.meta.dirname, ".snippets-"));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test.concurrent.each(snippets("ts"))("$name runs, and prints what its comments show", async ({ name, code }) => {
    const file = join(dir, `${name.replaceAll(/\W+/g, "-")}.ts`);
    await writeFile(file, code);
    const { stdout } = await run(process.execPath, [file], { env: { ...process.env, NO_COLOR: "1" } });
    const promised = [...code.matchAll(/\/\/ (.+)$/gm)]
      .filter(([line], index, all) => printed(code, all[index]?.index ?? 0, line))
      .map(([, text = ""]) => text.split(/[:,] (?=[a-z])|[，：]/)[0]?.trim() ?? "");
    expect(promised.length).toBeGreaterThan(0);
    const lines = stdout.trim().split("\n");
    for (const text of promised) expect(lines.some((line) => line === text || line.startsWith(text))).toBe(true);
  });
});

test("[U6] the guide to durable runs has a program for every task, and the README links it", () => {
  const page = readFileSync("docs/guide/durable-runs.md", "utf8");
  const program = snippets("ts").find(({ name }) => name.startsWith("docs/guide/durable-runs.md"));
  const calls = [
    "runs.start(",
    "runs.resume(",
    "approvals.decide(",
    "repeat:",
    "onEvent",
    "runs.inspect(",
    "runs.cancel(",
  ];
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

  test.each(snippets("yaml").filter(isChain))("$name is a valid chain", ({ code }) => {
    expect(planChain({ text: code, file: "chains/x.yaml" }, { tools: anyTools }).problems).toEqual([]);
  });

  test.each(snippets("yaml").filter((snippet) => !isChain(snippet)))("$name is valid", async ({ code }) => {
    const problems = await problemsIn(code);
    // The module of a custom entry lies beside its file, not in the page.
    expect(problems.filter(({ message }) => !message.includes("slugify.ts"))).toEqual([]);
  });
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

test("both READMEs have the same code", () => {
  const codeOf = (page: string): string[] =>
    [...readFileSync(page, "utf8").matchAll(/^```(?:ts|yaml|json)\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  const withoutComments = (code: string): string =>
    code.replaceAll(/\s*(?:\/\/|#).*$/gm, "").replaceAll(/(?:description|content): .*/g, "");
  expect(codeOf("README.zh-CN.md").map(withoutComments)).toEqual(codeOf("README.md").map(withoutComments));
});

test("every link inside the docs has a target", () => {
  const broken: string[] = [];
  for (const page of [...pages, ...globSync("docs/**/*.md"), "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md"]) {
    const dir = join(import.meta.dirname, "..", page, "..");
    for (const [, target = ""] of readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^https?:/.test(target)) continue;
      if (globSync(target, { cwd: dir }).length === 0) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type InstalledPackage, installPackage } from "./install-package.ts";

const root = resolve(import.meta.dirname, "../..");
/** Starts a type checker, or several processes. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const entries = ["", "/agent", "/chain", "/client", "/hub", "/mcp", "/otel", "/server", "/testing", "/tools"];
/** These need an optional peer dependency. */
const peerEntries = { "/ai-sdk": ["ai"], "/langchain": ["@langchain/core"] };

let project: InstalledPackage;
beforeAll(() => {
  project = installPackage();
  project.add("zod");
});
afterAll(() => project.remove());

/** Runs a program in the project; returns the JSON that it prints. */
function resultOf(program: string): unknown {
  project.write({ "program.mjs": program });
  return JSON.parse(project.run("program.mjs"));
}

const workspace = {
  "ws/windlass.yaml": "timezone: UTC\n",
  "ws/chains/two.yaml": `
name: two
input: { text: string }
steps:
  - id: first
    tool: echo
    params: { message: "\${input.text}" }
  - id: second
    tool: echo
    params: { message: "\${steps.first.output.message}!" }
output: "\${steps.second.output.message}"
`,
};

describe("entries of the installed package work together", () => {
  test("[F1] a plan made by windlass/chain runs in a workspace of windlass, with all references", () => {
    project.write(workspace);
    const result = resultOf(`
      import { openWorkspace } from "windlass";
      import { loadPlan } from "windlass/chain";
      const workspace = await openWorkspace("ws");
      const plan = await loadPlan("ws/chains/two.yaml", workspace.engine);
      const { success, output } = await workspace.runs.start(plan, { input: { text: "hi" } });
      await workspace.close();
      console.log(JSON.stringify({ success, output }));
    `);
    expect(result).toEqual({ success: true, output: "hi!" });
  });

  test("[F1] a plan loaded by a workspace runs with runChain of windlass/chain", () => {
    project.write(workspace);
    const result = resultOf(`
      import { openWorkspace } from "windlass";
      import { runChain } from "windlass/chain";
      const workspace = await openWorkspace("ws");
      const { success, output } = await runChain(await workspace.loadChain("two"), { engine: workspace.engine, input: { text: "hi" } });
      await workspace.close();
      console.log(JSON.stringify({ success, output }));
    `);
    expect(result).toEqual({ success: true, output: "hi!" });
  });

  test("tools, failures and results of one entry are recognized by the others", () => {
    const result = resultOf(`
      import { FailureError, createEngine, defineTool, fail, isFailureError } from "windlass";
      import { createAgent, processToolCalls } from "windlass/agent";
      import { ChainError, loadPlan } from "windlass/chain";
      import { scriptedModel } from "windlass/testing";
      import { calculatorTool } from "windlass/tools";
      const broken = defineTool({
        name: "broken",
        description: "Always fails.",
        effect: "pure",
        input: { type: "object", properties: {} },
        run: () => fail("no such city", { reason: "unknown_city" }),
      });
      const engine = createEngine({ tools: [broken, calculatorTool] });
      const failed = await engine.call("broken", {});
      const [message] = await processToolCalls(engine, [
        { id: "1", type: "function", function: { name: "calculator", arguments: '{"expression":"6*7"}' } },
      ]);
      const model = scriptedModel([{ toolCalls: [{ name: "calculator", args: { expression: "6*7" } }] }, "It is 42."]);
      const { answer } = await createAgent({ engine, model }).run("How much is 6 times 7?");
      const error = await loadPlan({ text: "name: x\\nsteps: [{ id: a, tool: missing_tool }]", file: "x.yaml" }, engine).catch((thrown) => thrown);
      console.log(JSON.stringify({
        reason: failed.error.reason,
        message: JSON.parse(message.content).data.result,
        answer,
        isChainError: error instanceof ChainError,
        isFailureError: error instanceof FailureError && isFailureError(error),
      }));
    `);
    expect(result).toEqual({
      reason: "unknown_city",
      message: 42,
      answer: "It is 42.",
      isChainError: true,
      isFailureError: true,
    });
  });

  test("all entries share one engine class and one registry of model families", () => {
    const result = resultOf(`
      import * as core from "windlass";
      import * as agent from "windlass/agent";
      import * as chain from "windlass/chain";
      import * as hub from "windlass/hub";
      import * as tools from "windlass/tools";
      const seen = new Map();
      for (const [entry, module] of Object.entries({ core, agent, chain, hub, tools })) {
        for (const [name, value] of Object.entries(module)) {
          if (!seen.has(name)) seen.set(name, new Set());
          seen.get(name).add(value);
        }
      }
      console.log(JSON.stringify([...seen].filter(([, values]) => values.size > 1).map(([name]) => name)));
    `);
    expect(result).toEqual([]);
  });
});

test("[H16] every entry exports what its source exports, under the same names", async () => {
  for (const [entry, peers] of Object.entries(peerEntries))
    for (const peer of peers) if (entry !== "") project.add(peer);
  for (const entry of [...entries, ...Object.keys(peerEntries)]) {
    const names = resultOf(`console.log(JSON.stringify(Object.keys(await import("windlass${entry}")).sort()));`);
    const source = (await import(`${root}/src/${entry === "" ? "index" : entry.slice(1)}.ts`)) as object;
    expect(names).toEqual(Object.keys(source).toSorted());
    expect((names as string[]).filter((name) => name.length < 2)).toEqual([]);
  }
});

test("every module is in one file of dist", () => {
  const files = globSync("dist/*.{js,cjs}", { cwd: project.packageDir });
  const having = files.filter((file) =>
    /class FailureError\b|\bFailureError = class/.test(readFileSync(join(project.packageDir, file), "utf8")),
  );
  expect(having).toHaveLength(1);
});

describe("an import of the installed package loads little code", () => {
  /** Size of the CommonJS files that are loaded by a program that imports these entries; they contain all the code. */
  function loadedBytes(imported: readonly string[]): unknown {
    return resultOf(`
      ${imported.map((entry) => `import "windlass${entry}";`).join("\n")}
      import { statSync } from "node:fs";
      import { createRequire } from "node:module";
      const files = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/windlass/dist/"));
      console.log(JSON.stringify(files.reduce((sum, file) => sum + statSync(file).size, 0)));
    `);
  }

  test("the main entry loads at most 190 kB", () => {
    const bytes = loadedBytes([""]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(190_000);
  });

  test("all entries without peer dependencies together load at most 360 kB", () => {
    expect(loadedBytes(entries)).toBeLessThan(360_000);
  });

  test("a function that its first call loads returns, throws and rejects as in the source", () => {
    const result = resultOf(`
      import { createEngine } from "windlass";
      import { createAgent } from "windlass/agent";
      import { ChainError, loadPlan } from "windlass/chain";
      import { calculate } from "windlass/tools";
      const engine = createEngine();
      let thrown;
      try {
        createAgent({ engine, runner: "missing" });
      } catch ({ message }) {
        thrown = message;
      }
      const rejection = await loadPlan({ text: "name: [", file: "x.yaml" }, engine).catch((error) => error);
      console.log(JSON.stringify({
        names: [createAgent, loadPlan, calculate].map(({ name }) => name),
        returned: calculate("6*7"),
        thrown,
        isChainError: rejection instanceof ChainError,
      }));
    `);
    expect(result).toEqual({
      names: ["createAgent", "loadPlan", "calculate"],
      returned: 42,
      thrown: expect.stringContaining('there is no runner "missing"'),
      isChainError: true,
    });
  });
});

describe("types of the installed package", () => {
  /** Checks the types of a program, including those of all libraries. */
  function typeErrors(program: string): string {
    project.write({
      "types.ts": program,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          module: "nodenext",
          target: "es2024",
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          types: ["node"],
        },
        files: ["types.ts"],
      }),
    });
    const tsc = join(root, "node_modules/.bin/tsc");
    return spawnSync(tsc, ["-p", "."], { cwd: project.dir, encoding: "utf8" }).stdout;
  }

  beforeAll(() => project.add("@types/node"));

  test("[U12] are complete without skipLibCheck", () => {
    const imports = entries.map((entry, at) => `import * as entry${at} from "windlass${entry}";`);
    expect(
      typeErrors(`${imports.join("\n")}\nconsole.log(${entries.map((_, at) => `entry${at}`).join(", ")});\n`),
    ).toBe("");
  });

  test("[U11] name the argument that is wrong", () => {
    const errors = typeErrors(`import { createEngine, defineTool } from "windlass";
import { z } from "zod";
const add = defineTool({
  name: "add",
  description: "Adds.",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});
const engine = createEngine({ tools: [add] });
await engine.call(add, { a: "x", b: 1 });
await engine.call(add, { b: 1 });
`);
    // The position of a, and its name.
    expect(errors).toMatch(/types\.ts\(11,26\)[^]*'string' is not assignable to type 'number'/);
    expect(errors).toMatch(/types\.ts\(12,24\)[^]*Property 'a' is missing/);
    expect(errors).not.toContain("parameter of type 'string'");
  });
});

test("the installed program runs a chain and the tools of a project that import the package", () => {
  project.write({
    ...workspace,
    "ws/tools/shout.mjs": `import { defineTool, isFailureError } from "windlass";
      export default defineTool({
        name: "shout",
        description: "Shouts.",
        effect: "pure",
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        run: ({ text }) => ({ text: text.toUpperCase(), known: isFailureError(new Error("no")) }),
      });`,
  });
  const bin = join(project.packageDir, "dist/bin.js");
  expect(JSON.parse(project.run(bin, "-C", "ws", "run", "two", "-i", "text=hi"))).toBe("hi!");
  expect(JSON.parse(project.run(bin, "-C", "ws", "--trust", "call", "shout", "text=hi"))).toEqual({
    text: "HI",
    known: false,
  });
});

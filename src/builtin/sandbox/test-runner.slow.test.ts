import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Engine, createEngine } from "../../engine/index.ts";
import { type ToolResult, ToolRegistry } from "../../tool/index.ts";
import { sandboxStatus } from "./index.ts";
import { type TestRunnerInput, type TestRunnerOutput, testRunnerTool } from "./test-runner-tool.ts";
import { testProject } from "./test-runner/test-project.ts";
import { readEvents } from "./test-runner/read-events.ts";
import { testReport } from "./test-runner/test-report.ts";

const { available } = await sandboxStatus();
const python = available && existsSync("/usr/bin/python3");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function engineOf(tool = testRunnerTool()): Engine {
  const registry = new ToolRegistry();
  registry.register(tool, { owner: "builtin" });
  const engine = createEngine({ registry });
  closing.push(() => engine.close());
  return engine;
}

async function run(args: TestRunnerInput): Promise<TestRunnerOutput> {
  const result: ToolResult = await engineOf().call("test_runner", args);
  if (!result.success) throw new Error(`${result.error.reason}: ${result.error.message}`);
  return result.output as TestRunnerOutput;
}

const head = 'import test from "node:test";\nimport assert from "node:assert";\n';

describe.skipIf(!available)("[A17] test_runner", () => {
  test("its example runs, and reports coverage", async () => {
    const [example] = testRunnerTool().input.json["examples"] as TestRunnerInput[];
    const output = await run(example as TestRunnerInput);
    expect(output).toMatchObject({ passed: 1, failed: 0, skipped: 0, total: 1, failures: [], truncated: false });
    expect(output.coverage).toEqual({ lines: 100 });
  });

  test("failing tests are an output, with names, messages and printed text", async () => {
    const tests = `${head}import { add } from "./main.js";
      console.log("printed");
      test("right", () => assert.equal(add(1, 1), 2));
      test("wrong", () => assert.equal(add(1, 1), 3));
      test.skip("later", () => {});
      test("outer", async (t) => { await t.test("inner", () => { throw new TypeError("boom"); }); });`;
    const output = await run({ code: "exports.add = (a, b) => a + b;", tests });
    expect(output).toMatchObject({ passed: 1, failed: 2, skipped: 1, total: 4, output: "printed\n" });
    expect(output.failures.map(({ name }) => name)).toEqual(["wrong", "inner"]);
    expect(output.failures[0]?.message).toContain("2 == 3");
    expect(output.failures[1]?.message).toContain("TypeError: boom");
    expect(output.failures[0]?.message).not.toContain("node:internal");
    expect(output).not.toHaveProperty("coverage");
  });

  test("accepts the output of code_generator, including its other fields", async () => {
    const code = {
      language: "TypeScript",
      explanation: "adds",
      files: [
        {
          path: "src/add.ts",
          content: "export enum Sign { Plus }\nexport const add = (a: number, b: number): number => a + b;",
        },
        { path: "src/unused.ts", content: "export function unused(): number {\n  return 1;\n}\n" },
      ],
      tests: [
        {
          path: "tests/add.test.ts",
          content: `${head}import { add } from "../src/add.js";\nimport { unused } from "../src/unused";
            test("adds", () => assert.equal(add(2, 3), 5));\nvoid unused;`,
        },
      ],
    };
    const output = await run({ code, coverage: true });
    expect(output).toMatchObject({ passed: 1, failed: 0, total: 1 });
    expect(output.coverage?.lines).toBeGreaterThan(20);
    expect(output.coverage?.lines).toBeLessThan(100);
  });

  test("code that cannot be loaded is a failed test with the reason", async () => {
    const output = await run({ code: "export const x = ;", tests: `${head}import "./main.js"; test("a", () => {});` });
    expect(output).toMatchObject({ passed: 0, failed: 1, total: 1 });
    expect(output.failures[0]).toMatchObject({ name: "main.test.js", message: expect.stringContaining("SyntaxError") });
  });

  test("an endless loop is reported, together with the results before it", async () => {
    const tests = `${head}test("fine", () => {}); test("stuck", () => { for (;;); });`;
    const output = await run({ code: "export {};", tests, timeout: 2 });
    expect(output).toMatchObject({ ended: "time", failures: [{ name: "main.test.js" }] });
    expect(output.failed).toBe(1);
    expect(output.failures[0]?.message).toContain("did not finish within 2 s");
  });

  test("a test that never ends is named, and a remaining timer is not awaited", async () => {
    const tests = `${head}setInterval(() => {}, 1000);
      test("fine", () => {}); test("waits", () => new Promise(() => {}));`;
    const output = await run({ code: "export {};", tests, timeout: 3 });
    expect(output).toMatchObject({ passed: 1, failed: 1, failures: [{ name: "waits" }] });
    expect(output).not.toHaveProperty("ended");
  });

  test("code without tests is reported as such, which is a failure", async () => {
    const output = await run({ code: "console.log('only runs')" });
    expect(output).toMatchObject({ passed: 0, failed: 1, total: 1, output: "only runs\n" });
    const several = { files: ["a.js", "b.js"].map((path) => ({ path, content: "" })) };
    expect(await run({ code: several })).toMatchObject({ failed: 1, failures: [{ name: "(run)" }] });
  });

  test("code that contains its own tests is run", async () => {
    const output = await run({ code: `${head}const f = () => 1;\ntest("f", () => assert.equal(f(), 1));` });
    expect(output).toMatchObject({ passed: 1, total: 1 });
  });

  test("cancelling ends it", async () => {
    const controller = new AbortController();
    const result = engineOf().call("test_runner", { code: "for(;;);" }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    expect(await result).toMatchObject({ success: false, error: { code: "cancelled" } });
  });

  test.skipIf(!python)("runs Python: test cases and plain functions, with coverage", async () => {
    const tests = `
import unittest
from main import add
print("printed")
def test_plain():
    assert add(1, 2) == 3
class Cases(unittest.TestCase):
    def test_wrong(self):
        self.assertEqual(add(1, 1), 3)
    @unittest.skip("later")
    def test_later(self):
        pass
`;
    const code = "def add(a, b):\n    return a + b\n\ndef unused():\n    return 1\n";
    const output = await run({ code, tests, language: "python", coverage: true });
    expect(output).toMatchObject({ passed: 1, failed: 1, skipped: 1, total: 3, coverage: { lines: 75 } });
    expect(output.failures[0]?.message).toContain("2 != 3");
    expect(output.failures[0]?.name).toContain("test_wrong");
  });

  test.skipIf(!python)("reports Python that cannot be loaded, or exits the process", async () => {
    const broken = await run({ code: "def f(:\n", tests: "import main\ndef test_a(): pass", language: "py" });
    expect(broken).toMatchObject({ passed: 0, failed: 1 });
    expect(JSON.stringify(broken.failures)).toContain("SyntaxError");
    const gone = await run({ code: "import os\nos._exit(3)", language: "python" });
    expect(gone).toMatchObject({ failed: 1, failures: [{ name: "main.py" }] });
  });
});

test("without a sandbox test_runner is registered, and its failure names what to install", async () => {
  const folder = mkdtempSync(join(tmpdir(), "windlass-none-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const programs = { bubblewrap: join(folder, "bwrap"), prlimit: "/usr/bin/prlimit" };
  const result = await engineOf(testRunnerTool({ programs })).call("test_runner", { code: "1" });
  expect(result).toMatchObject({ success: false, error: { code: "not_available", reason: "not_installed" } });
});

describe("test_runner refuses", () => {
  test.each([
    [{ code: "" }, "validation_error"],
    [{ code: { files: [] } }, "validation_error"],
    [{ code: { tests: [] } }, "validation_error"],
    [{ code: "x", timeout: 0 }, "validation_error"],
    [{ code: "x", kind: "unit" }, "validation_error"],
    [{ code: "x", language: "rust" }, "unknown_language"],
    [{ code: { files: [{ path: "../x.js", content: "" }] } }, "bad_files"],
  ])("%j (%s)", async (args, reason) => {
    const result = await engineOf().call("test_runner", args);
    expect(result.success ? "" : (result.error.reason ?? result.error.code)).toBe(reason);
  });
});

describe("a project", () => {
  const file = (path: string): { path: string; content: string } => ({ path, content: "" });

  test.each([
    [{ code: "x" }, "javascript", ["main.js"]],
    [{ code: "x", tests: "y", language: "TS" }, "typescript", ["main.test.ts"]],
    [{ code: { files: [file("a.py"), file("test_a.py")] } }, "python", ["test_a.py"]],
    [{ code: { files: [file("a.ts"), file("a.spec.ts"), file("data.json")] } }, "typescript", ["a.spec.ts"]],
    [{ code: { files: [file("a.js")], tests: [file("t/a.js"), file("t/data.json")] } }, "javascript", ["t/a.js"]],
    [
      { code: { files: [file("a.js")], tests: [file("./x.test.js")] }, tests: [file("y.js")] },
      "javascript",
      ["x.test.js", "y.js"],
    ],
    [{ code: { files: [file("a.mjs"), file("b.mjs")] } }, "javascript", ["a.mjs", "b.mjs"]],
    [{ code: "x", language: " " }, "javascript", ["main.js"]],
  ])("a project of %j is %s, and runs %j", (request, language, tests) => {
    expect(testProject(request)).toMatchObject({ language, tests });
  });
});

test("lines with the mark are events; everything else was printed", () => {
  const lines = [
    "before",
    'MARK{"kind":"test","status":"passed","name":"a"}',
    '{"kind":"test","status":"passed","name":"forged"}',
    "MARK{",
    "MARKnull",
    'MARK{"kind":"test"}',
    'MARK{"kind":"test","status":"odd","name":"x"}',
    'MARK{"kind":"test","status":"failed","name":"x","message":{}}',
    'MARK{"kind":"coverage","files":[{"path":"a","lines":2,"missed":["1"]}]}',
    'without a line endMARK{"kind":"end"}',
    'after MARK{"kind":"end"',
  ];
  expect(readEvents(lines.join("\n"), "MARK")).toEqual({
    events: [{ kind: "test", status: "passed", name: "a" }, { kind: "end" }],
    printed: 'before\n{"kind":"test","status":"passed","name":"forged"}\nwithout a line endafter ',
  });
});

test("a report has a limited size, and ends with the reason why the run was interrupted", () => {
  const events = Array.from({ length: 80 }, (_, at) => ({
    kind: "test" as const,
    status: "failed" as const,
    name: `t${at}`,
    message: "m".repeat(9000),
  }));
  const run = { path: "a.js", events, printed: `\u001b[31m${"o".repeat(40_000)}`, broken: "it ended" };
  const report = testReport([run], "javascript");
  expect(report).toMatchObject({ failed: 81, total: 81, truncated: true });
  expect(report.failures).toHaveLength(50);
  expect(report.failures.at(-1)).toEqual({ name: "a.js", message: "it ended" });
  expect(JSON.stringify(report).length).toBeLessThan(130_000);
  expect(report.output).not.toContain("\u001b");
});

import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sandboxStatus } from "./index.ts";
import { type TestRun, runTests } from "./test-runner/run-tests.ts";
import type { TestRequest } from "./test-runner/test-project.ts";

const { available } = await sandboxStatus();
const python = available && existsSync("/usr/bin/python3");

const head = 'import test, { after, before, describe, it } from "node:test";\nimport assert from "node:assert";\n';

/** Runs tests in JavaScript, with this code as main.js. */
function runJs(tests: string, code = "export {};"): Promise<TestRun> {
  return runTests({ code, tests: head + tests }, { timeMs: 20_000 });
}

function runPython(tests: string, code = ""): Promise<TestRun> {
  return runTests({ code: code || "pass", tests, language: "python" }, { timeMs: 20_000 });
}

/** Beginning of the failure message of a run that ended early. */
const endedEarly = "the tests ended the process before they were done";

describe.skipIf(!available)("a run in JavaScript fails when", () => {
  test.each([
    ["the code ends the process while it is loaded", 'import "./main.js"; test("a", () => {});', "process.exit(0)"],
    ["a test ends the process", 'test("a", () => process.exit(0)); test("b", () => assert.fail());', ""],
    ["a hook ends the process", 'test("a", () => {}); after(() => process.exit(0));', ""],
    ["a timer ends the process", 'setTimeout(() => process.exit(0), 20); test("a", () => new Promise(() => {}));', ""],
    ["the process kills itself", 'test("a", () => process.kill(process.pid, "SIGKILL"));', ""],
    ["the process is aborted", 'test("a", () => process.abort());', ""],
  ])("%s", async (_when, tests, code) => {
    const run = await runJs(tests, code || "export {};");
    expect(run.failed).toBe(1);
    expect(run.failures).toMatchObject([{ name: "main.test.js", message: expect.stringContaining(endedEarly) }]);
  });

  test("its exit code is not zero, though no test failed", async () => {
    const run = await runJs('test("a", () => {}); process.exitCode = 3;');
    expect(run).toMatchObject({ passed: 1, failed: 1, total: 2, failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toContain("exit code 3");
    const late = await runJs('test("a", () => {}); process.on("exit", () => { process.exitCode = 4; });');
    expect(late).toMatchObject({ passed: 1, failed: 1 });
  });

  test("the code cannot be loaded", async () => {
    const run = await runJs('import { x } from "./main.js"; test("a", () => x);', "export const y = 1;");
    expect(run).toMatchObject({ failed: 1, failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toMatch(
      /^the process of the tests broke off \(exit code \d\): file:.*SyntaxError/s,
    );
  });

  test("something throws outside of any test", async () => {
    const run = await runJs('test("a", () => {}); throw new Error("at the top");');
    expect(run).toMatchObject({ failed: 1, failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toContain("at the top");
  });

  test("the process never ends", async () => {
    const tests = `${head}test("a", () => {}); process.on("exit", () => { for (;;); });`;
    const run = await runTests({ code: "export {};", tests }, { timeMs: 2_000 });
    expect(run).toMatchObject({ passed: 1, failed: 1, ended: "time" });
    expect(run.failures[0]?.message).toContain("did not finish within 2 s");
  });

  test("there are no tests", async () => {
    const run = await runJs("console.log(1);");
    expect(run).toMatchObject({ passed: 0, failed: 1, total: 1, output: "1\n", failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toContain("no tests");
  });

  test("a test file among others has no tests; helper files need none", async () => {
    const own = { path: "a.test.js", content: `${head}import "./help.js"; test("a", () => {});` };
    const help = { path: "help.js", content: "export {};" };
    const files = [{ path: "main.js", content: "export {};" }];
    const helped = await runTests({ code: { files, tests: [own, help] } });
    expect(helped).toMatchObject({ passed: 1, failed: 0, total: 1 });
    const empty = { path: "b.test.js", content: "" };
    const run = await runTests({ code: { files, tests: [own, help, empty] } });
    expect(run).toMatchObject({ passed: 1, failed: 1, failures: [{ name: "b.test.js" }] });
  });

  test("a suite throws during its definition, or in a hook", async () => {
    const broken = await runJs('describe("s", () => { throw new Error("made badly"); });');
    expect(broken).toMatchObject({ passed: 0, failed: 1, failures: [{ name: "s" }] });
    expect(broken.failures[0]?.message).toContain("made badly");
    const hook = await runJs(
      'describe("s", () => { before(() => { throw new Error("hook"); }); it("a", () => {}); });',
    );
    expect(hook.passed).toBe(0);
    expect(hook.failures.some(({ message }) => message.includes("hook"))).toBe(true);
  });

  test.each([
    ["an assertion that it does not wait for", "", "f().then((value) => assert.equal(value, 2));"],
    ["an assertion that fails a little later", "", "setTimeout(() => assert.equal(1, 2), 60);"],
    ["an error while a timer goes on", "setInterval(() => {}, 1000);", "setTimeout(() => assert.equal(1, 2), 60);"],
  ])("a test leaves behind %s", async (_what, before, late) => {
    const run = await runJs(
      `import { f } from "./main.js"; ${before}
      test("other", () => {}); test("f is 2", () => { ${late} });`,
      "export const f = async () => 1;",
    );
    expect(run).toMatchObject({ failed: 1, failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toMatch(/^something failed that no test awaited: Error: Test "f is 2"/);
  });

  test("a test fails, and another causes a late error: both are reported", async () => {
    const run = await runJs(
      `test("late", () => { setTimeout(() => { throw new Error("too late") }, 20); });
      test("later", () => { setTimeout(() => { throw new Error("far too late") }, 40); });
      test("wrong", () => assert.fail("now"));`,
    );
    expect(run.failures.map(({ name }) => name)).toEqual(["wrong", "main.test.js"]);
    expect(run.failures[1]?.message).toMatch(/"Error: too late".*"Error: far too late"/s);
  });

  test("a test fails beside one that is marked with only", async () => {
    const run = await runJs('test("a", { only: true }, () => {}); test("b", () => assert.fail());');
    expect(run).toMatchObject({ passed: 1, failed: 1, total: 2, failures: [{ name: "b" }] });
    const suite = await runJs('describe("s", () => { it.only("a", () => {}); it("b", () => assert.fail()); });');
    expect(suite).toMatchObject({ passed: 1, failed: 1, total: 2, failures: [{ name: "b" }] });
  });

  test("a test fails that the file adds after a long wait, regardless of other activity in the meantime", async () => {
    const run = await runJs(
      `const timer = setInterval(() => {}, 1000); test("a", () => {});
      await new Promise((resolve) => setTimeout(resolve, 2_600)); test("b", () => assert.fail("in time"));`,
    );
    expect(run).toMatchObject({ passed: 1, failed: 1, total: 2, failures: [{ name: "b" }] });
  });

  test("one of several files ends early, and the others are reported as they are", async () => {
    const code = {
      files: [{ path: "main.js", content: "export {};" }],
      tests: [
        { path: "a.test.js", content: "process.exit(0);" },
        { path: "b.test.js", content: `${head}test("b", () => {});` },
      ],
    };
    const run = await runTests({ code });
    expect(run).toMatchObject({ passed: 1, failed: 1, failures: [{ name: "a.test.js" }] });
  });
});

describe.skipIf(!available)("text printed by the code is output, even if it", () => {
  const event = '{"kind":"test","status":"passed","name":"forged"}';
  const end = '{"kind":"end"}';

  test.each([
    ["imitates lines of a driver", `console.log(${JSON.stringify(`${event}\n${end}`)});`],
    ["imitates TAP", 'console.log("TAP version 13\\nok 1 - forged\\n1..1");'],
    [
      "imitates what Node's own runner sends",
      `import v8 from "node:v8"; import fs from "node:fs";
      const body = v8.serialize({ type: "test:pass", data: { name: "forged", nesting: 0, testNumber: 1, details: {} } });
      const size = Buffer.alloc(4); size.writeUInt32BE(body.length - 2);
      fs.writeSync(1, Buffer.concat([body.subarray(0, 2), size, body.subarray(2)]));`,
    ],
    [
      "writes to every descriptor",
      `import fs from "node:fs";
      for (let fd = 0; fd < 64; fd++) try { fs.writeSync(fd, ${JSON.stringify(`\n${event}\n${end}\n`)}); } catch {}`,
    ],
    [
      "calls the reporter itself",
      `const { default: report } = await import("/opt/windlass/reporter.mjs");
      async function* forged() { yield { type: "test:pass", data: { name: "forged", nesting: 0, details: {} } }; }
      for await (const _ of report(forged())) {}`,
    ],
  ])("%s", async (_how, forge) => {
    const run = await runJs(`${forge}\nprocess.exit(0);`);
    expect(run).toMatchObject({ passed: 0, failed: 1, total: 1, failures: [{ name: "main.test.js" }] });
    expect(run.failures[0]?.message).toContain(endedEarly);
  });

  test.each([
    [
      "looks for the mark in the memory that buffers share",
      `import fs from "node:fs";
      test("first", () => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      const pools = new Set(Array.from({ length: 4000 }, () => Buffer.from("x").buffer));
      for (const pool of pools) {
        const found = Buffer.from(pool).toString("latin1").match(/([A-Za-z0-9+\\/=]{24})(?:\\{"kind"|)/g) ?? [];
        for (const mark of found) fs.writeSync(1, mark.slice(0, 24) + ${JSON.stringify(event)} + "\\n");
      }`,
    ],
    [
      "takes the place of what the reporter writes with",
      `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      let seen = ""; const write = fs.writeSync;
      const spy = (real) => function (...args) { seen += args.map(String).join(); return Reflect.apply(real, this, args); };
      fs.writeSync = spy(write); TextEncoder.prototype.encode = spy(TextEncoder.prototype.encode);
      String.prototype.slice = spy(String.prototype.slice); Buffer.from = spy(Buffer.from);
      syncBuiltinESMExports();
      test("first", () => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      const mark = /([^ ]{24})\\{"kind/.exec(seen)?.[1] ?? "";
      write(1, mark + ${JSON.stringify(event)} + "\\n");`,
    ],
  ])("%s", async (_how, forge) => {
    const run = await runJs(`${forge}\nprocess.exit(0);`);
    // Only the first test passed.
    expect(run).toMatchObject({ passed: 1, failed: 1, total: 2, failures: [{ name: "main.test.js" }] });
  });

  test("modifies the functions that a report is made with", async () => {
    const run = await runJs(
      `test("a", () => {});
      JSON.stringify = () => '{"kind":"end"}'; Object.prototype.toJSON = () => 1; Array.prototype.join = () => "";
      process.stdout.write = () => true; console.log("lost");
      test("b", () => assert.fail("kept"));`,
    );
    expect(run).toMatchObject({ passed: 1, failed: 1, failures: [{ name: "b" }] });
    expect(run.failures[0]?.message).toContain("kept");
  });

  test("has no line end, and is printed between two tests", async () => {
    const run = await runJs('test("a", () => { process.stdout.write("x"); }); test("b", () => { console.log("y"); });');
    expect(run).toMatchObject({ passed: 2, failed: 0, total: 2, output: "xy\n" });
  });

  test("comes from threads and other processes, which report nothing", async () => {
    const run = await runJs(
      `import { Worker } from "node:worker_threads"; import { fork } from "node:child_process"; import { once } from "node:events";
      test("thread", async () => { await once(new Worker("console.log('in a thread')", { eval: true }), "exit"); });
      test("process", async () => { assert.deepEqual(await once(fork("./main.js"), "exit"), [0, null]); });`,
      'console.log("in a process")',
    );
    expect(run).toMatchObject({ passed: 2, failed: 0, total: 2 });
    expect(run.output).toContain("in a thread\n");
    expect(run.output).toContain("in a process\n");
  });
});

test.skipIf(!available)("coverage is merged over all test files", async () => {
  const request: TestRequest = {
    code: {
      files: [
        { path: "one.js", content: "export function a() {\n  return 1;\n}\nexport function b() {\n  return 2;\n}\n" },
      ],
      tests: ["a", "b"].map((name) => ({
        path: `${name}.test.js`,
        content: `${head}import { ${name} } from "./one.js"; test("${name}", () => assert.ok(${name}()));`,
      })),
    },
  };
  expect(await runTests(request, { coverage: true })).toMatchObject({ passed: 2, coverage: { lines: 100 } });
});

test.skipIf(!available)("files for which no time remains are reported as not run", async () => {
  const tests = ["a", "b"].map((name) => ({ path: `${name}.test.js`, content: "for (;;);" }));
  const run = await runTests({ code: { files: [], tests } }, { timeMs: 1_500 });
  expect(run).toMatchObject({ failed: 2, total: 2, ended: "time" });
  expect(run.failures.map(({ name }) => name)).toEqual(["a.test.js", "b.test.js"]);
  expect(run.failures[1]?.message).toContain("was not run");
});

describe.skipIf(!python)("a run in Python fails when", () => {
  test.each([
    ["the code ends the process while it is loaded", "import main\ndef test_a(): pass", "import os\nos._exit(0)"],
    ["a test ends the process", "import os\ndef test_a(): os._exit(0)\ndef test_b(): assert False", ""],
    ["the process kills itself", "import os\ndef test_a(): os.kill(os.getpid(), 9)", ""],
  ])("%s", async (_when, tests, code) => {
    const run = await runPython(tests, code);
    expect(run).toMatchObject({ failed: 1, failures: [{ name: "test_main.py" }] });
    expect(run.failures[0]?.message).toContain(endedEarly);
  });

  test.each([
    ["while it is loaded", "import sys\nsys.exit(0)\ndef test_a(): pass"],
    ["in a test", "import sys\ndef test_a(): sys.exit(0)"],
  ])("it exits %s", async (_when, tests) => {
    const run = await runPython(tests);
    expect(run).toMatchObject({ passed: 0, failed: 1 });
    expect(run.failures[0]?.message).toContain("SystemExit");
  });

  test.each([
    ["is a coroutine", "async def test_a():\n    assert 1 == 2", "AssertionError"],
    ["yields", "def test_a():\n    yield 1\n    assert 1 == 2", "yields"],
    ["yields in a coroutine", "async def test_a():\n    yield 1\n    assert 1 == 2", "yields"],
    ["returns instead of asserting", "def test_a():\n    return 1 == 2", "returned False"],
    [
      "is an asynchronous method",
      "import unittest\nclass A(unittest.TestCase):\n  async def test_a(self): assert 1 == 2",
      "AssertionError",
    ],
    [
      "is a method that yields",
      "import unittest\nclass A(unittest.TestCase):\n  def test_a(self):\n    yield 1",
      "yields",
    ],
    [
      "is a method that yields, among asynchronous ones",
      "import unittest\nclass A(unittest.IsolatedAsyncioTestCase):\n  async def test_a(self):\n    yield 1",
      "yields",
    ],
    [
      "is an asynchronous method that fails",
      "import unittest\nclass A(unittest.IsolatedAsyncioTestCase):\n  async def test_a(self): self.assertEqual(1, 2)",
      "1 != 2",
    ],
    [
      "is a method of a plain class",
      "class TestA:\n  def test_a(self): assert 1 == 2\ndef test_b(): pass",
      "AssertionError",
    ],
    [
      "is an asynchronous method of a plain class",
      "class TestA:\n  async def test_a(self): assert 1 == 2",
      "AssertionError",
    ],
  ])("a test %s", async (_what, tests, message) => {
    const run = await runPython(tests);
    expect(run).toMatchObject({ failed: 1, failures: [{ message: expect.stringContaining(message) }] });
    expect(run.failures[0]?.name).toContain("test_a");
  });

  test("there are no tests", async () => {
    const run = await runPython("print(1)");
    expect(run).toMatchObject({ passed: 0, failed: 1, output: "1\n", failures: [{ name: "test_main.py" }] });
    expect(run.failures[0]?.message).toContain("no tests");
  });

  test("a class cannot be set up", async () => {
    const run = await runPython(
      "import unittest\nclass A(unittest.TestCase):\n  @classmethod\n  def setUpClass(cls): raise ValueError('setup')\n  def test_a(self): pass",
    );
    expect(run).toMatchObject({ passed: 0, failed: 1 });
    expect(run.failures[0]?.message).toContain("setup");
  });

  test("printed text imitates the driver", async () => {
    const run = await runPython(
      `import os, json
line = json.dumps({"kind": "test", "status": "passed", "name": "forged"}) + "\\n" + json.dumps({"kind": "end"}) + "\\n"
print(line)
for fd in range(64):
    try:
        os.write(fd, line.encode())
    except OSError:
        pass
os._exit(0)`,
    );
    expect(run).toMatchObject({ passed: 0, failed: 1, total: 1 });
    expect(run.failures[0]?.message).toContain(endedEarly);
  });
});

test.skipIf(!python)("Python tests that are coroutines or methods of plain classes are run completely", async () => {
  const run = await runPython(`
import asyncio, unittest
async def test_function():
    await asyncio.sleep(0.01)
    print("function")
class TestPlain:
    def setup_method(self, method): self.said = method.__name__
    def teardown_method(self): print("after")
    def test_method(self): print(self.said)
    async def test_waits(self): await asyncio.sleep(0.01); print("waited")
    def helper(self): assert False
class Cases(unittest.IsolatedAsyncioTestCase):
    async def test_case(self): await asyncio.sleep(0.01); print("case")
    def test_loop(self): asyncio.run(asyncio.sleep(0))
`);
  expect(run).toMatchObject({ passed: 5, failed: 0, total: 5 });
  expect(run.output.split("\n").toSorted().join(" ").trim()).toBe("after after case function test_method waited");
});

test.skipIf(!python)(
  "no frame of the driver that is visible to Python tests holds the mark or the channel",
  async () => {
    const run = await runPython(`
import sys
def test_a():
    frame, held = sys._getframe(), set()
    while frame:
        held |= set(frame.f_locals)
        frame = frame.f_back
    assert not held & {"mark", "channel"}, held
`);
    expect(run).toMatchObject({ passed: 1, failed: 0 });
  },
);

describe("tests that are written for another runner get advice:", () => {
  test.skipIf(!available).each([
    ["describe('x', () => { it('a', () => {}) })", /^There are no global test functions here: import test/],
    ["import test from 'node:test'; test('x', () => { expect(1).toBe(1) })", /^There are no global.*node:assert/],
    [
      "import { expect } from 'vitest';",
      /^There are no global test functions.*Only the standard library of the language/,
    ],
    ["import _ from 'lodash';", /^Only the standard library of the language is installed here\.\n/],
  ])("%s", async (tests, advice) => {
    const run = await runTests({ code: "export {};", tests }, { timeMs: 20_000 });
    expect(run).toMatchObject({ passed: 0, failed: 1 });
    expect(run.failures[0]?.message).toMatch(advice);
  });

  test.skipIf(!python).each([
    ["import pytest\ndef test_a(): pass", /^pytest is not installed here; write functions named test_…/],
    ["def test_a(tmp_path): assert tmp_path", /^pytest is not installed here; .* without parameters\./],
    ["import numpy\ndef test_a(): pass", /^Only the standard library of the language is installed here\.\n/],
  ])("%s", async (tests, advice) => {
    const run = await runPython(tests);
    expect(run).toMatchObject({ passed: 0, failed: 1 });
    expect(run.failures[0]?.message).toMatch(advice);
  });
});

test.skipIf(!python)("a thread that a Python test does not end is not awaited", async () => {
  const run = await runPython(
    "import threading, time\ndef test_a(): threading.Thread(target=lambda: time.sleep(60)).start()",
  );
  expect(run).toMatchObject({ passed: 1, failed: 0 });
  expect(run.durationMs).toBeLessThan(10_000);
});

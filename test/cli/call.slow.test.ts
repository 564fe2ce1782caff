import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeTool, folder, windlass } from "./windlass.ts";

describe.concurrent("windlass call", () => {
  test("prints the output as JSON, and nothing else on stdout", async () => {
    const cwd = await folder();
    const { code, stdout, stderr } = await windlass(["call", "calculator", "expression=2*(3+4)"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain('  "result": 14');
    expect(JSON.parse(stdout)).toEqual({ result: 14, expression: "2*(3+4)" });
  });

  test("--json prints the whole result", async () => {
    const cwd = await folder();
    const { code, stdout } = await windlass(["call", "echo", "message=你好", "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      success: true,
      tool: "echo",
      output: { message: "你好" },
      duration_ms: expect.any(Number),
      executed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      meta: { source: "tools", attempts: 1, call_id: expect.any(String) },
    });
  });

  test("a misspelled parameter is rejected with the right one", async () => {
    const cwd = await folder();
    const { code, stdout, stderr } = await windlass(["call", "calculator", "expresion=1"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('did you mean "expression"?');
    expect(stderr).toContain("windlass tools show calculator");
  });

  test("a misspelled tool is rejected with the right one", async () => {
    const cwd = await folder();
    const { code, stderr } = await windlass(["call", "calculatr", "2*3"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "calculator"?');
  });

  test("a word without = is rejected with a suggested parameter", async () => {
    const cwd = await folder();
    const { code, stderr } = await windlass(["call", "calculator", "2*3"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean expression="2*3"?');
  });

  const mirror = codeTool(
    "mirror",
    "export default (args: object) => args;",
    `parameters:
  - { name: text, type: string }
  - { name: count, type: integer }
  - { name: flag, type: boolean }
  - { name: list, type: array }
  - { name: map, type: object }`,
  );

  test("values are parsed as JSON if the parameter does not take a string, otherwise they are strings", async () => {
    const cwd = await folder(mirror);
    const words = ["text=5", "count=5", "flag=true", 'list=[1,"二"]', 'map={"a":null}'];
    const { stdout } = await windlass(["call", "mirror", ...words], { cwd });
    expect(JSON.parse(stdout)).toEqual({ text: "5", count: 5, flag: true, list: [1, "二"], map: { a: null } });
  });

  test("a parameter of any type takes JSON if the value is valid JSON, and a string otherwise", async () => {
    const cwd = await folder();
    for (const [typed, got] of [
      ['{"a":[1]}', { a: [1] }],
      ["a=b", "a=b"],
      ["12345678901234567890", "12345678901234567890"],
    ] as const) {
      const { stdout } = await windlass(["call", "echo", `message=${typed}`], { cwd });
      expect(JSON.parse(stdout)).toEqual({ message: got });
    }
  });

  test.each([
    [["text=1", "text=2"], "text is passed twice"],
    [["=1"], "has no parameter name"],
    [["__proto__=1"], "not allowed"],
    [["count=many"], "count must be"],
    [["--args", "[1]"], "one JSON object"],
    [["--args", "{"], "not JSON"],
    [["--args", "@missing.json"], "cannot read file"],
    [["--timeout", "soon"], "a number above 0"],
    [["--retries", "1.5"], "whole number"],
    [["--tiemout", "1"], "Did you mean --timeout?"],
    [["--\u001b[31mred"], "unknown option '--[31mred'"],
    [["--args", "@/dev/zero"], "larger than"],
  ])("%j is a usage error", async (words, reported) => {
    const cwd = await folder(mirror);
    const { code, stdout, stderr } = await windlass(["call", "mirror", ...words], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reported);
  });

  test.each([
    [["call", "mirror", "--args", "{"], "usage_error", "not JSON"],
    [["call", "mirror", "--tiemout", "1"], "usage_error", "unknown option '--tiemout'"],
    [["approve", "nothing"], "usage_error", "there is no approval"],
    [["nonsense"], "usage_error", "unknown command 'nonsense'"],
    [["tools", "-C", "missing"], "usage_error", "cannot enter folder"],
    [["call", "echo", "-C", "broken"], "file_invalid", 'windlass.yaml:1:1: unknown key "nonsense"'],
  ])("with --json, the usage error of %j is also printed as JSON", async (words, errorCode, reported) => {
    const cwd = await folder({ ...mirror, "broken/windlass.yaml": "nonsense: 1\n" });
    const { code, stdout, stderr } = await windlass([...words, "--json"], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      success: false,
      error: { code: errorCode, message: expect.stringContaining(reported) },
    });
    expect(stderr).toContain("error:");
  });

  test("--args takes JSON, a file or stdin, and words override it", async () => {
    const cwd = await folder({ ...mirror, "args.json": '{"text": "from a file", "count": 1}' });
    const call = (words: string[], input = "") => windlass(["call", "mirror", ...words], { cwd, input });
    const [inline, file, stdin] = await Promise.all([
      call(["--args", '{"text": "inline"}', "count=2"]),
      call(["--args", "@args.json", "text=typed"]),
      call(["--args", "-"], '{"text": "from stdin"}'),
    ]);
    expect(JSON.parse(inline.stdout)).toEqual({ text: "inline", count: 2 });
    expect(JSON.parse(file.stdout)).toEqual({ text: "typed", count: 1 });
    expect(JSON.parse(stdin.stdout)).toEqual({ text: "from stdin" });
  });

  test("an unknown parameter is rejected, typed as a word and in --args", async () => {
    const cwd = await folder(mirror);
    const forms = [["txet=1"], ["--args", '{"txet": 1}'], ["method=POST"], ["--args", '{"method": "POST"}']];
    const runs = await Promise.all(forms.map((words) => windlass(["call", "mirror", ...words], { cwd })));
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(forms.map(() => [2, ""]));
    for (const { stderr } of runs.slice(0, 2)) expect(stderr).toContain('did you mean "text"?');
    expect(runs[3]?.stderr).toBe(runs[2]?.stderr);
  });

  test("a failed call exits with 1 and says why on stderr; --json prints the result anyway", async () => {
    const cwd = await folder();
    const { code, stdout, stderr } = await windlass(["call", "calculator", "expression=1/0", "--json"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("error: division by zero [execution_error: div_zero]");
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      error: { code: "execution_error", reason: "div_zero" },
    });
  });

  test("--timeout ends a call that takes longer, with 124, regardless of the tool's own timeout", async () => {
    const slow = codeTool(
      "slow",
      "export default () => new Promise((done) => setTimeout(done, 60_000));",
      "timeout: 50",
    );
    const cwd = await folder(slow);
    const { code, stderr } = await windlass(["call", "slow", "--timeout", "0.2", "--retries", "0"], { cwd });
    expect(code).toBe(124);
    expect(stderr).toContain("[timeout");
  });

  const hanging = {
    ...codeTool(
      "slow",
      "export default () => new Promise((done) => setTimeout(done, 600_000));",
      "timeout: 500\neffect: read\ncapabilities: [waiting]\nparameters: [{ name: text, type: string }]",
    ),
    "capabilities/waiting.yaml":
      "name: waiting\ndescription: Waits.\ninput: { type: object, properties: { text: { type: string } } }\n",
  };

  test.each(["tools/slow", "capability:waiting"])("[F2] --timeout also ends a call of %s", async (name) => {
    const cwd = await folder(hanging);
    const { code, stderr } = await windlass(["call", name, "--timeout", "0.3", "--retries", "0"], { cwd });
    expect(code).toBe(124);
    expect(stderr).toContain("[timeout");
  });

  test.each(["tools/slow", "capability:waiting"])("[F2] a misspelled argument of %s is rejected", async (name) => {
    const cwd = await folder(hanging);
    const { code, stdout, stderr } = await windlass(["call", name, "txet=1", "--timeout", "0.3"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('did you mean "text"?');
  });

  test("progress and logs go to stderr while the result goes to stdout", async () => {
    const steps = `export default async function* (_args: object, ctx: { log(text: string): void }) {
      ctx.log("begun");
      yield { done: 1 };
      yield 2n;
      return "end";
    }`;
    const cwd = await folder(codeTool("steps", steps));
    const { stdout, stderr } = await windlass(["call", "steps"], { cwd });
    expect(stdout).toBe('"end"\n');
    expect(stderr).toBe('· begun\n· {"done":1}\n· 2n\n');
  });

  test("a secret in the progress of a tool is redacted", async () => {
    const body = `export default async function* (_args: object, ctx: { log(text: string, data?: unknown): void }) {
      const key = process.env.API_KEY;
      ctx.log("with " + key, { key });
      yield { sent: { key } };
      return "end";
    }`;
    const cwd = await folder({ ...codeTool("tells", body), "windlass.yaml": "secrets: { API_KEY: env }\n" });
    const { stdout, stderr } = await windlass(["call", "tells"], { cwd, env: { API_KEY: "very-secret-value" } });
    expect(stdout).toBe('"end"\n');
    expect(stderr.split("\n")).toHaveLength(3);
    expect(stderr).not.toContain("secret");
  });

  test("hostile output is shown safely and still parses to the same value", async () => {
    const text = "\u001b[2J\u009b31m\u202etxt\u2028\u{e0041}👩‍👩‍👧";
    const cwd = await folder(codeTool("hostile", `export default () => ({ text: ${JSON.stringify(text)} });`));
    const { stdout } = await windlass(["call", "hostile"], { cwd });
    expect(JSON.parse(stdout)).toEqual({ text });
    // oxlint-disable-next-line no-control-regex, no-misleading-character-class
    expect(stdout).not.toMatch(/[\u001b\u009b\u202e\u2028\u{e0041}]/u);
    expect(stdout).toContain("👩‍👩‍👧");
  });

  test("hostile text in a failure, a log and a tool's name reaches the terminal without escape codes", async () => {
    const body = `export default (_args: object, ctx: { log(text: string): void }) => {
      ctx.log("\\u001b[31mlog");
      throw new Error("\\u001b]0;title\\u0007broken");
    };`;
    const cwd = await folder(codeTool("hostile", body));
    const failed = await windlass(["call", "hostile"], { cwd });
    expect(failed.stderr).toContain("· log\nerror: hostile (tools/hostile.ts:3:13): broken [execution_error]");
    const unknown = await windlass(["call", "\u001b[31mred"], { cwd });
    expect(unknown.code).toBe(2);
    // oxlint-disable-next-line no-control-regex
    expect(failed.stderr + unknown.stderr).not.toMatch(/\u001b/);
  });

  test("an attachment is mentioned, and is in the result of --json", async () => {
    const body = `const ok = Symbol.for("windlass.ok");
    const data = new TextEncoder().encode("pixels");
    export default () => ({ [ok]: true, output: 1, attachments: [{ kind: "image", mimeType: "image/png", name: "a.png", data }] });`;
    const cwd = await folder(codeTool("picture", body));
    const [plain, json] = await Promise.all([
      windlass(["call", "picture"], { cwd }),
      windlass(["call", "picture", "--json"], { cwd }),
    ]);
    expect(plain.stdout).toBe("1\n");
    expect(plain.stderr).toContain("attached: image a.png (image/png, 6 B)");
    expect(JSON.parse(json.stdout).attachments).toEqual([
      { kind: "image", mime_type: "image/png", name: "a.png", data: Buffer.from("pixels").toString("base64") },
    ]);
  });

  test("an unhandled rejection of a tool does not discard its result", async () => {
    const body = `export default async () => {
      void Promise.reject(new Error("left behind"));
      await new Promise((done) => setTimeout(done, 50));
      return "the result";
    };`;
    const cwd = await folder(codeTool("careless", body));
    const { code, stdout, stderr } = await windlass(["call", "careless"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '"the result"\n' });
    expect(stderr).toContain("left behind");
  });

  test("an uncaught error ends the program with a message, and with the stack trace only on request", async () => {
    const body = `export default () => {
      setTimeout(() => { throw new Error("too late"); }, 10);
      return new Promise(() => {});
    };`;
    const cwd = await folder(codeTool("careless", body));
    const [plain, debug] = await Promise.all([
      windlass(["call", "careless"], { cwd }),
      windlass(["call", "careless"], { cwd, env: { WINDLASS_DEBUG: "1" } }),
    ]);
    expect(plain).toMatchObject({ code: 1, stdout: "" });
    expect(plain.stderr).toContain("error: unexpected: Error: too late\n  this is a bug");
    expect(plain.stderr).not.toContain("careless.ts");
    expect(debug.stderr).toContain("careless.ts");
  });

  test("timers of a tool do not keep the program alive", async () => {
    const cwd = await folder(codeTool("lingering", 'setInterval(() => {}, 1000);\nexport default () => "done";'));
    const { code, stdout } = await windlass(["call", "lingering"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '"done"\n' });
  });

  test("a broken windlass.yaml is shown with its position, and nothing is called", async () => {
    const cwd = await folder({ "windlass.yaml": "engine:\n  tools_directry: x\n" });
    const { code, stdout, stderr } = await windlass(["call", "echo", "message=1"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("windlass.yaml:2:3: error:");
    expect(stderr).toContain('did you mean "tools_directory"?');
    expect(stderr).toContain("^^^^^^^^^^^^^^");
  });

  test("-C works from anywhere, before or after the command, and a missing folder is reported", async () => {
    const [cwd, dir] = await Promise.all([folder(), folder(mirror)]);
    const [after, before, missing] = await Promise.all([
      windlass(["call", "mirror", "text=1", "-C", dir], { cwd }),
      windlass(["-C", dir, "call", "mirror", "text=1"], { cwd }),
      windlass(["call", "mirror", "-C", join(dir, "missing")], { cwd }),
    ]);
    expect(after.stdout).toBe(before.stdout);
    expect(JSON.parse(after.stdout)).toEqual({ text: "1" });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("cannot enter folder");
  });

  test("a secret in the arguments is not in the records", async () => {
    const cwd = await folder({ "windlass.yaml": "secrets: { API_KEY: env }\n" });
    const env = { API_KEY: "very-secret-value" };
    await windlass(["call", "echo", "message=very-secret-value"], { cwd, env });
    const { stdout } = await windlass(["records", "--json"], { cwd });
    expect(JSON.parse(stdout).records).toHaveLength(1);
    expect(stdout).not.toContain("very-secret-value");
    const bytes = await readFile(join(cwd, ".windlass/journal.db"), "latin1");
    expect(bytes).not.toContain("very-secret-value");
  });
});

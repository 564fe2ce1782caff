import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type FailureError, isFailureError } from "../base/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import { parseToolFile } from "./tool-file.ts";

const root = mkdtempSync(join(tmpdir(), "windlass-command-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const context = (signal = new AbortController().signal) =>
  ({ signal, secrets: { get: (name: string) => (name === "KEY" ? "opened" : undefined) } }) as unknown as ToolContext &
    CompositeContext;

const parse = (entry: string) =>
  parseToolFile(
    `name: t\ndescription: d\nparameters:\n  - { name: a, type: string }\n  - { name: b, type: object }\nentry:\n  type: external\n${entry
      .split("\n")
      .map((line) => `  ${line}`)
      .join("\n")}\n`,
    {
      file: "t.yaml",
      root,
      secretNames: ["KEY"],
      env: { PATH: process.env["PATH"], HOME: "/h", LANG: "C", LEAK: "x" },
    },
  );

/** A command that uses the Node binary of this test. */
const node = (code: string, ...args: string[]): string =>
  `command: ${JSON.stringify([process.execPath, "-e", code, "--", ...args])}`;

async function call(entry: string, args: object = {}, signal?: AbortSignal): Promise<unknown> {
  const { tool, problems } = await parse(entry);
  expect(problems).toEqual([]);
  try {
    return (await tool?.run(args, context(signal))) as unknown;
  } catch (error) {
    if (isFailureError(error)) return error;
    throw error;
  }
}

const printArgs = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";

/** Code that writes the pid of its process to a file. */
const note = (name: string): string =>
  `require("fs").writeFileSync(${JSON.stringify(join(root, name))}, String(process.pid));`;

/** True if the process that wrote its pid still runs. A zombie process does not count. */
function isAlive(name: string): boolean {
  const file = join(root, name);
  if (!existsSync(file)) return false;
  const pid = Number(readFileSync(file, "utf8"));
  try {
    process.kill(pid, 0);
    return !existsSync("/proc") || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("[B07] a command", () => {
  test("each list item is one argument, regardless of its characters: there is no shell", async () => {
    const hostile = "a b; touch $(pwd)/pwned `id` 'q' \"d\" * | & > x\nnext";
    const output = await call(`${node(printArgs, "${input.a}", "x=${input.a}", "lit $HOME")}\noutput: json`, {
      a: hostile,
    });
    expect(output).toEqual([hostile, `x=${hostile}`, "lit $HOME"]);
  });

  test("an item that is only a missing reference is omitted, objects are passed as JSON", async () => {
    expect(
      await call(`${node(printArgs, "${input.a}", "${input.b}", "[${input.a}]")}\noutput: json`, { b: { k: 1 } }),
    ).toEqual(['{"k":1}', "[]"]);
  });

  test("gets its input on stdin and returns text without the final line break", async () => {
    expect(await call(`${node("process.stdin.pipe(process.stdout)")}\nstdin: "\${input.a}\\n"`, { a: "你好" })).toBe(
      "你好",
    );
    expect(await call(`${node("process.stdin.pipe(process.stdout)")}\nstdin: { v: "\${input.a}" }`, { a: "x" })).toBe(
      '{"v":"x"}',
    );
  });

  test("sees only PATH, HOME, LANG and the variables that the file declares", async () => {
    const output = await call(
      `${node("console.log(JSON.stringify(process.env))")}\noutput: json\nenv: { TOKEN: "\${secret.KEY}", N: 1 }`,
    );
    const { PATH, ...rest } = output as Record<string, string>;
    expect(PATH).toBe(process.env["PATH"]);
    delete rest["__CF_USER_TEXT_ENCODING"];
    expect(rest).toEqual({ HOME: "/h", LANG: "C", TOKEN: "opened", N: "1" });
  });

  test("runs in the workspace", async () => {
    expect(await call(node("console.log(process.cwd())"))).toBe(realpathSync(root));
  });

  test("a folder behind a link must lie in the workspace, or the file is refused", async () => {
    mkdirSync(join(root, "inner", "deep"), { recursive: true });
    symlinkSync(join(root, "inner", "deep"), join(root, "short"));
    symlinkSync(tmpdir(), join(root, "inner", "out"));
    expect(await call(`${node("console.log(process.cwd())")}\ncwd: short`)).toBe(realpathSync(join(root, "short")));
    for (const cwd of ["inner/out", "./inner/out/."]) {
      const { tool, problems } = await parse(`command: [pwd]\ncwd: ${cwd}`);
      expect(tool).toBeUndefined();
      expect(problems).toMatchObject([{ code: "outside_workspace", severity: "error" }]);
    }
  });

  test("a folder that has become a link out of the workspace is refused at the call", async () => {
    mkdirSync(join(root, "later"));
    const { tool } = await parse(`${node(note("strayed"))}\ncwd: later`);
    rmSync(join(root, "later"), { recursive: true });
    symlinkSync(tmpdir(), join(root, "later"));
    await expect(tool?.run({}, context())).rejects.toMatchObject({
      code: "permission_denied",
      reason: "outside_workspace",
    });
    expect(existsSync(join(root, "strayed"))).toBe(false);
  });

  test("a non-zero exit code is a failure with the end of stderr", async () => {
    const failure = (await call(
      node("console.error('x'.repeat(9000) + '\\u001b[31m broke'); process.exit(3)"),
    )) as FailureError;
    expect(failure.toFailure()).toMatchObject({ code: "execution_error", reason: "exit_3", retry: "unsafe" });
    expect(failure.message).toMatch(/exited with code 3: x+ broke$/);
    expect(failure.message.length).toBeLessThan(1_200);
  });

  test("a missing program is not available", async () => {
    expect(await call("command: [no-such-program-here]")).toMatchObject({
      code: "not_available",
      reason: "command_not_found",
    });
    expect(await call(`command: [./none]`)).toMatchObject({ code: "not_available" });
    expect(await call(`command: [node]\ncwd: ./gone`)).toMatchObject({
      code: "not_available",
      reason: "folder_not_found",
    });
  });

  test("output that is not JSON is refused if JSON was declared", async () => {
    expect(await call(`${node("console.log('no')")}\noutput: json`)).toMatchObject({
      code: "output_invalid",
      reason: "not_json",
    });
  });

  test("a NUL in an argument is refused", async () => {
    expect(await call(node("", "${input.a}"), { a: "a\0b" })).toMatchObject({ code: "validation_error" });
  });

  test("a program that does not read its input still succeeds", async () => {
    expect(await call(`${node("process.exit(0)")}\nstdin: ${JSON.stringify("x".repeat(30_000))}`)).toBe("");
  });

  test("a program that prints endlessly is terminated", async () => {
    const failure = (await call(
      node(`${note("flood")} const f = () => process.stdout.write('x'.repeat(65536), f); f();`),
    )) as FailureError;
    expect(failure).toMatchObject({ code: "output_invalid", reason: "too_large" });
    expect(isAlive("flood")).toBe(false);
  });

  test("an abort terminates the program and its children, also those that ignore SIGTERM", async () => {
    const abort = new AbortController();
    const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); ${note("child")}`;
    const code = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "inherit" }); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); ${note("parent")}`;
    const pending = call(node(code), {}, abort.signal);
    while (!isAlive("child")) await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    expect(await pending).toMatchObject({ code: "cancelled" });
    expect(isAlive("child")).toBe(false);
    expect(isAlive("parent")).toBe(false);
  });

  test("processes that a finished program left running are terminated too", async () => {
    const child = `setInterval(() => {}, 1000); ${note("left")}`;
    const code = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });
setInterval(() => require("fs").existsSync(${JSON.stringify(join(root, "left"))}) && process.exit(0), 10)`;
    expect(await call(node(code))).toBe("");
    expect(existsSync(join(root, "left"))).toBe(true);
    expect(isAlive("left")).toBe(false);
  });

  test("processes that left the process group are not awaited", async () => {
    const child = "setTimeout(() => {}, 3000)";
    const code = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit", detached: true }).unref(); console.log("done")`;
    const start = performance.now();
    expect(await call(node(code))).toBe("done");
    expect(performance.now() - start).toBeLessThan(2_500);
  });

  test("a call that is already cancelled starts nothing", async () => {
    expect(await call(node("console.log(1)"), {}, AbortSignal.abort())).toMatchObject({ code: "cancelled" });
  });

  test("its effect is once, and its timeout is that of the entry", async () => {
    const { tool } = await parse(`${node("")}\ntimeout: 5s`);
    expect(tool).toMatchObject({ effect: "once", destructive: true, timeoutMs: 5_000 });
  });
});

describe("unusable files", () => {
  test.each([
    ["command: []", "bad_value"],
    ["command: jq .a", "shell_command"],
    ['command: ["${input.a}"]', "bad_value"],
    ['command: [jq, "${input.c}"]', "unknown_reference"],
    ['command: [jq, "${secret.KEY}"]', "secret_in_arguments"],
    ["command: [jq]\ncwd: ../..", "outside_workspace"],
    ["command: [jq]\ncwd: /etc", "outside_workspace"],
    ['command: [jq]\nenv: { "A B": x }', "bad_value"],
    ["command: [jq]\noutput: xml", "bad_value"],
    ["command: [jq, 1]", "wrong_type"],
    ["command: [jq]\nstdn: x", "unknown_key"],
  ])("%s is refused with %s", async (entry, code) => {
    const { tool, problems } = await parse(entry);
    expect(tool).toBeUndefined();
    expect(problems.map((problem) => problem.code)).toContain(code);
  });
});

describe("values in a command", () => {
  const codes = async (entry: string): Promise<string[]> => (await parse(entry)).problems.map(({ code }) => code);

  test.each([
    ['command: [sh, -c, "echo ${input.a}"]', "code_injection"],
    ['command: [/bin/bash, -lc, "echo ${input.a}"]', "code_injection"],
    ['command: [env, LANG=C, sh, -c, "${input.a}"]', "code_injection"],
    ['command: [node, -e, "console.log(${input.a})"]', "code_injection"],
    ['command: [node, "--eval=${input.a}"]', "code_injection"],
    ['command: [node, -p, "${input.a}"]', "code_injection"],
    ['command: [python3.12, -c, "print(${input.a})"]', "code_injection"],
    ['command: [perl, -ne, "${input.a}"]', "code_injection"],
    ['command: [ruby, -e, "${input.a}"]', "code_injection"],
    ['command: [sort, "${input.a}"]', "option_injection"],
    ['command: [sort, -r, "${input.a}", --]', "option_injection"],
    ['command: [sort, "${input.a}.txt"]', "option_injection"],
    ['command: [node, -e, "1", "${input.a}"]', "option_injection"],
  ])("[S14] %s is warned about", async (entry, code) => {
    const { tool, problems } = await parse(entry);
    expect(problems).toMatchObject([{ severity: "warning", code, file: "t.yaml", line: 8, hint: expect.any(String) }]);
    expect(problems[0]?.column).toBe(3 + entry.indexOf("${"));
    expect(tool).toBeDefined();
  });

  test.each([
    'command: [sort, --, "${input.a}"]',
    'command: [sort, "--key=${input.a}"]',
    'command: [sort, "notes/${input.a}"]',
    'command: [sh, -c, \'echo "$1"\', sh, "${input.a}"]',
    'command: [node, -e, "1", --, "${input.a}"]',
    'command: [sh, -c, "cat"]\nstdin: "${input.a}"',
    'command: [sh, -c, "echo $NAME"]\nenv: { NAME: "${input.a}" }',
  ])("[S14] %s is not", async (entry) => {
    expect(await codes(entry)).toEqual([]);
  });

  test("[S14] numbers and choices cannot be options", async () => {
    const text = (parameter: string): string =>
      `name: t\ndescription: d\nparameters:\n  - ${parameter}\nentry:\n  type: external\n  command: [head, "\${input.a}"]\n`;
    const of = async (parameter: string): Promise<string> =>
      (await parseToolFile(text(parameter), { file: "t.yaml", root })).problems.map(({ code }) => code).join();
    expect(await of("{ name: a, type: integer }")).toBe("");
    expect(await of("{ name: a, type: string, validation: { enum: [x, y] } }")).toBe("");
    expect(await of("{ name: a, type: string, validation: { enum: [x, -y] } }")).toBe("option_injection");
    expect(await of("{ name: a, type: string }")).toBe("option_injection");
  });
});

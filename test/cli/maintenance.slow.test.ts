import { execFile } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const run = promisify(execFile);

describe.concurrent("windlass doctor", () => {
  test("finds no problems in an empty folder", async () => {
    const { code, stdout } = await windlass(["doctor"], { cwd: await folder() });
    expect(code).toBe(0);
    expect(stdout).toContain("\nNo problems found. Not configured: model,");
  });

  test("says what is missing and what to do, and fails if something is broken", async () => {
    const cwd = await folder({
      "windlass.yaml": 'secrets: { API_KEY: env, CRM: { file: secrets/crm } }\nnetwork: { allow: ["127.0.0.1:9"] }\n',
      "tools/bad.yaml": "name: bad\n",
    });
    await windlass(["call", "echo", "message=1"], { cwd });
    const [plain, json] = await Promise.all([windlass(["doctor"], { cwd }), windlass(["doctor", "--json"], { cwd })]);
    expect(plain.code).toBe(1);
    for (const text of [
      "set the environment variable API_KEY",
      "put the value into the file secrets/crm",
      "tools/bad.yaml:1:1",
      "127.0.0.1:9",
      "ask for model:destructive, mcp:destructive",
      "1 record",
      "intact",
    ]) {
      expect(plain.stdout).toContain(text);
    }
    const { ok, findings } = JSON.parse(json.stdout);
    expect(ok).toBe(false);
    expect(findings).toContainEqual({ about: "node", status: "ok", message: expect.stringContaining("Node 24") });
    expect(findings).toContainEqual({
      about: "secrets",
      status: "warn",
      message: "API_KEY has no value",
      todo: "set the environment variable API_KEY",
    });
  });

  test("reports a damaged database", async () => {
    const cwd = await folder();
    await windlass(["call", "echo", `message=${"x".repeat(50_000)}`], { cwd });
    const path = join(cwd, ".windlass/journal.db");
    const file = await open(path, "r+");
    const { size } = await file.stat();
    await file.write(Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2);
    await file.close();
    const { code, stdout } = await windlass(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}database .*(?:damaged|cannot use the database)/m);
  });

  test("reports a broken windlass.yaml and a file that is not a database", async () => {
    const cwd = await folder({ "windlass.yaml": "nonsense: 1\n", ".windlass/journal.db": "x".repeat(200) });
    const { code, stdout } = await windlass(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain("windlass.yaml:1:1");
    expect(stdout).toContain("not a database");
  });
});

describe.concurrent("windlass prune and backup", () => {
  test("prune removes old records, by options or settings", async () => {
    const cwd = await folder();
    await windlass(["call", "echo", "message=1"], { cwd });
    const undecided = await windlass(["prune"], { cwd });
    expect(undecided.code).toBe(2);
    expect(undecided.stderr).toContain("windlass prune --days 30");
    await writeFile(join(cwd, "windlass.yaml"), "retention: { days: 90 }\n");
    const stored = await windlass(["prune", "--json"], { cwd });
    expect(JSON.parse(stored.stdout)).toEqual({ records: 0, bytes: expect.any(Number) });
    const pruned = await windlass(["prune", "--days", "0"], { cwd });
    expect(pruned).toMatchObject({ code: 0, stdout: expect.stringContaining("1 record removed") });
    expect((await windlass(["records", "--json"], { cwd })).stdout).toContain('"records": []');
  });

  test.each([
    [["prune", "--size", "many"], "is not a size"],
    [["prune", "--days", "-1"], "a number of at least 0"],
    [["backup"], "missing required argument 'FILE'"],
  ])("%j is a usage error", async (words, reported) => {
    const { code, stderr } = await windlass(words, { cwd: await folder() });
    expect(code).toBe(2);
    expect(stderr).toContain(reported);
  });

  test("backup creates a copy that is a valid database, and never replaces a file", async () => {
    const cwd = await folder();
    expect(await windlass(["backup", "copy.db"], { cwd })).toMatchObject({ code: 1 });
    await windlass(["call", "echo", "message=kept"], { cwd });
    const other = await folder({ ".windlass/.gitignore": "*\n" });
    const made = await windlass(["backup", join(other, ".windlass/journal.db"), "--json"], { cwd });
    expect(JSON.parse(made.stdout)).toEqual({ file: join(other, ".windlass/journal.db"), bytes: expect.any(Number) });
    expect((await windlass(["records"], { cwd: other })).stdout).toContain("kept");
    const again = await windlass(["backup", join(other, ".windlass/journal.db")], { cwd });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists") });
  });
});

async function has(program: string): Promise<boolean> {
  return await run(program, ["--version"]).then(
    () => true,
    () => false,
  );
}

describe.concurrent("windlass completion", () => {
  test.each([
    ["bash", ["-n"]],
    ["zsh", ["-n"]],
    ["fish", ["--no-execute"]],
  ])("the script for %s is valid", async (shell, check) => {
    const cwd = await folder();
    const { code, stdout } = await windlass(["completion", shell], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("windlass __complete");
    await writeFile(join(cwd, "script"), stdout);
    if (await has(shell)) await run(shell, [...check, join(cwd, "script")]);
  });

  test("an unknown shell is a usage error", async () => {
    const { code, stderr } = await windlass(["completion", "tcsh"], { cwd: await folder() });
    expect(code).toBe(2);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish");
  });

  const tools = {
    "tools/天气.yaml": `name: 查询天气
description: 天气
parameters: [{ name: unit, type: string, validation: { enum: [C, F] } }]
entry: { type: builtin, handler: echo }
`,
    "tools/evil.yaml": "name: $(touch hacked)\ndescription: x\nentry: { type: builtin, handler: echo }\n",
    "tools/code.ts":
      'throw new Error("never run");\nexport const x = defineTool({ name: "from_code", description: "" });\n',
  };

  test.each([
    [["ca"], ["call", "cancel"]],
    [
      ["tools", "s"],
      ["show", "search", "schema"],
    ],
    [["call", "calc"], ["calculator"]],
    [["call", "查"], ["查询天气"]],
    [["call", "from"], ["from_code"]],
    [["call", "$"], []],
    [
      ["call", "calculator", ""],
      ["expression=", "variables="],
    ],
    [
      ["call", "查询天气", "unit="],
      ["unit=C", "unit=F"],
    ],
    [["call", "echo", "--ti"], ["--timeout"]],
    [["tools", "schema", "--format", "o"], ["openai"]],
    [["records", "--tool", "ec"], ["echo"]],
    [
      ["records", "--status", ""],
      ["success", "failure"],
    ],
    [
      ["help", "app"],
      ["approvals", "approve"],
    ],
    [["approve", ""], []],
    [["nonsense", "x"], []],
  ])("after %j come %j", async (words, expected) => {
    const { code, stdout, stderr } = await windlass(["__complete", ...words], { cwd: await folder(tools) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, -1).map((line) => line.split("\t")[0])).toEqual(expected);
    expect(lines.at(-1)).toMatch(/^:(?:done|nospace)$/);
  });

  test("files and folders are completed by the shell", async () => {
    const cwd = await folder();
    const last = async (...words: string[]) => (await windlass(["__complete", ...words], { cwd })).stdout;
    expect(await Promise.all([last("validate", ""), last("-C", ""), last("init", "x")])).toEqual([
      ":files\n",
      ":folders\n",
      ":folders\n",
    ]);
  });

  test("bash completes a value after = with the program itself", async () => {
    const cwd = await folder(tools);
    const { stdout: script } = await windlass(["completion", "bash"], { cwd });
    const main = join(import.meta.dirname, "../../dist/bin.js");
    const session = `windlass() { "${process.execPath}" "${main}" "$@"; }
${script}
COMP_WORDS=(windlass call 查询天气 unit = C); COMP_CWORD=5
_windlass; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(windlass approv); COMP_CWORD=1
_windlass; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["--norc", "-c", session], { cwd });
    expect(stdout).toBe("C\napprovals\napprove\n");
  });
});

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const say =
  "name: say\ndescription: Says it.\naliases: [speak]\nparameters: [{ name: message, type: string }]\n" +
  "entry: { type: builtin, handler: echo }\n";

/** Output of `validate` and `doctor` for a workspace. */
async function checked(cwd: string): Promise<{ codes: (number | null)[]; validate: string; doctor: string }> {
  const [validate, doctor] = await Promise.all([windlass(["validate"], { cwd }), windlass(["doctor"], { cwd })]);
  return { codes: [validate.code, doctor.code], validate: validate.stderr, doctor: doctor.stdout };
}

test("a number above its maximum is an error with its position", async () => {
  const model = "{ base_url: http://127.0.0.1:1/v1, model: m, temperature: 5 }";
  const cwd = await folder({
    "windlass.yaml": `concurrency: { default_timeout: 86401 }\nmodels:\n  default: ${model}\n`,
  });
  const { codes, validate } = await checked(cwd);
  expect(codes).toEqual([2, 1]);
  expect(validate).toContain('windlass.yaml:1:33: error: "default_timeout" must be at most 86400, got 86401');
  expect(validate).toContain('error: "temperature" must be at most 2, got 5');
});

test("a missing folder of notes, texts or capabilities is a warning with its position", async () => {
  const cwd = await folder({
    "windlass.yaml": "vault: nots\nsearch: { corpus: txts }\ncapabilities: { directory: caps }\n",
    "notes/a.md": "# A\n",
  });
  const { codes, validate } = await checked(cwd);
  expect(codes).toEqual([0, 0]);
  expect(validate).toContain('windlass.yaml:1:8: warning: there is no folder "nots"; no notes are searched');
  expect(validate).toContain('did you mean "notes"?');
  expect(validate).toContain('windlass.yaml:2:19: warning: there is no folder "txts"');
  expect(validate).toContain('windlass.yaml:3:28: warning: there is no folder "caps"');
  const home = await folder({ "windlass.yaml": "vault: { folder: ~/notes }\n" });
  expect((await checked(home)).validate).toContain('windlass.yaml:1:18: error: "~/notes" lies outside the workspace');
});

describe.concurrent("tools_directory", () => {
  test("a missing folder is a warning with its position", async () => {
    const cwd = await folder({ "windlass.yaml": "engine:\n  tools_directory: toolz\n", "tools/say.yaml": say });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    expect(validate).toContain('windlass.yaml:2:20: warning: there is no folder "toolz"');
    expect(validate).toContain('did you mean "tools"?');
    expect(doctor).toContain('there is no folder "toolz"');
  });

  test("without a setting, a missing folder of tools is valid", async () => {
    const cwd = await folder({ "windlass.yaml": "retention: { days: 1 }\n" });
    expect(await checked(cwd)).toMatchObject({ codes: [0, 0], validate: "" });
  });

  test.each(["../elsewhere", "/usr", "sub/../../x"])("%s is outside of the workspace and an error", async (path) => {
    const cwd = await folder({ "windlass.yaml": `engine: { tools_directory: ${path} }\n` });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([2, 1]);
    expect(validate).toContain("windlass.yaml:1:28: error:");
    expect(doctor).toContain("windlass.yaml:1:28");
    const call = await windlass(["call", "echo", "message=1"], { cwd });
    expect(call).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("outside the workspace") });
  });

  test("a link that leads out is an error, also for a default folder", async () => {
    const outside = await folder({ "evil.ts": 'throw new Error("was loaded");\n' });
    const [stated, unstated] = [
      await folder({ "windlass.yaml": "engine: { tools_directory: mine }\n" }),
      await folder(),
    ];
    await symlink(outside, join(stated, "mine"));
    await symlink(outside, join(unstated, "tools"));
    const first = await checked(stated);
    expect(first.codes).toEqual([2, 1]);
    expect(first.validate).toContain("windlass.yaml:1:28: error:");
    const second = await checked(unstated);
    expect(second.codes).toEqual([2, 1]);
    expect(second.validate).toContain("leads out of the workspace");
    expect(first.validate + second.validate).not.toContain("was loaded");
  });

  test("a linked folder is not searched, and that is reported", async () => {
    const cwd = await folder({ "tools/say.yaml": say, "more/other.yaml": say.replace("name: say", "name: other") });
    await symlink(join(cwd, "more"), join(cwd, "tools/more"));
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    expect(validate).toContain("tools/more:1:1: warning: a linked folder is skipped");
    expect(doctor).toContain("a linked folder is skipped");
  });

  test("may have a name that begins with two dots", async () => {
    const cwd = await folder({ "windlass.yaml": "engine: { tools_directory: ..tools }\n", "..tools/say.yaml": say });
    expect(await checked(cwd)).toMatchObject({ codes: [0, 0], validate: "" });
  });
});

describe.concurrent("rules and lists that name no tool", () => {
  test("produce warnings with positions and suggestions", async () => {
    const cwd = await folder({
      "windlass.yaml": [
        "permissions:",
        '  allow: ["ecko", "destructiv", "*"]',
        '  deny: ["nobody_has_it", "speak", "model:say"]',
        '  ask: ["model:destructive", "effect:once", "source:mcps", "source:elsewhere", "mcp:other_*"]',
        "engine:",
        "  disabled_tools: [calculatr, echo]",
        "  enabled_tools: [nothing_like_it]",
      ].join("\n"),
      "tools/say.yaml": say,
    });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    expect(validate).toContain('windlass.yaml:2:11: warning: there is no tool "ecko"');
    expect(validate).toContain('did you mean "echo"?');
    expect(validate).toContain('windlass.yaml:2:19: warning: there is no tool "destructiv"');
    expect(validate).toContain('did you mean "destructive"?');
    expect(validate).toContain('windlass.yaml:6:20: warning: there is no tool "calculatr"');
    expect(validate).toContain('did you mean "calculator"?');
    expect(validate).toContain('windlass.yaml:7:19: warning: there is no tool "nothing_like_it"');
    expect(validate).toContain('windlass.yaml:3:10: warning: there is no tool "nobody_has_it"');
    expect(validate).toMatch(/windlass\.yaml:4:\d+: warning: no tool comes from "elsewhere"/);
    expect(validate.trimEnd().split("\n").at(-1)).toBe("6 warnings in 1 file");
    for (const name of ["ecko", "destructiv", "calculatr", "nothing_like_it"]) {
      expect(doctor).toContain(`there is no tool "${name}"`);
    }
  });

  test.each([
    ['ask: ["model:destructve"]', 'there is no tool "destructve"', "destructive"],
    ['ask: ["mcp:source:mcp"]', 'no tool comes from "mcp"', "source:mcps"],
    ['ask: ["effct:write"]', '"effct:write" is not a permission rule', "effect:once"],
    ['deny: ["modle:destructive"]', '"modle:destructive" is not a permission rule', "model:destructive"],
  ])("%s is misspelled: an error, and the workspace does not open", async (rules, message, near) => {
    const cwd = await folder({ "windlass.yaml": `permissions: { ${rules} }\n`, "tools/say.yaml": say });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([2, 1]);
    const call = await windlass(["call", "echo", "message=1"], { cwd });
    expect(call).toMatchObject({ code: 2, stdout: "" });
    for (const text of [validate, doctor, call.stderr]) {
      expect(text).toContain(message);
      expect(text).toContain(`did you mean "${near}"?`);
    }
    expect(validate).toMatch(/^windlass\.yaml:1:\d+: error:/);
  });

  test.each([
    ['deny: ["ecko"]', 'there is no tool "ecko"', "echo"],
    ['deny: ["model:Sey"]', 'there is no tool "Sey"', "say"],
    ['ask: ["fs/write_file"]', 'there is no tool "fs/write_file"', "write_file"],
  ])("%s matches no tool: a warning, also reported at calls", async (rules, message, near) => {
    const chain = "name: greet\nsteps: [{ id: a, tool: say, params: { message: hi } }]\n";
    const cwd = await folder({
      "windlass.yaml": `permissions: { ${rules} }\n`,
      "tools/say.yaml": say,
      "chains/greet.yaml": chain,
    });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    for (const text of [validate, doctor]) {
      expect(text).toContain(`${message}, so this rule matches nothing`);
      expect(text).toContain(`did you mean "${near}"?`);
    }
    for (const command of [
      ["call", "echo", "message=1"],
      ["run", "greet"],
    ]) {
      const { code, stderr } = await windlass(command, { cwd });
      expect(code).toBe(0);
      expect(stderr.match(/warning: this permission rule matches no tool.*/g)).toEqual([
        expect.stringContaining(`(did you mean "${near}"?); for details: windlass validate`),
      ]);
    }
  });

  test("are reported by every command that can make a call", async () => {
    const cwd = await folder({
      "windlass.yaml": 'permissions: { ask: ["nobody_has_it"] }\n',
      "chains/greet.yaml": "name: greet\nsteps: [{ id: a, tool: echo, params: { message: hi } }]\n",
    });
    const first = JSON.parse((await windlass(["run", "greet", "--json"], { cwd })).stdout) as { chain_id: string };
    for (const command of [["rerun", first.chain_id], ["resume"], ["mcp", "serve"]]) {
      const { code, stderr } = await windlass(command, { cwd });
      expect(code).toBe(0);
      expect(stderr).toContain('warning: this permission rule matches no tool: "nobody_has_it"');
    }
  });

  test("rules for a server that is disabled or was never connected are not reported at calls", async () => {
    const cwd = await folder({
      "windlass.yaml": 'permissions: { ask: ["fs/write_file", "mail/send"] }\n',
      "mcp.json": JSON.stringify({
        mcpServers: { fs: { command: "none", disabled: true }, mail: { command: "none" } },
      }),
    });
    const { code, stderr } = await windlass(["call", "echo", "message=1"], { cwd });
    expect(code).toBe(0);
    expect(stderr).not.toContain("matches no tool");
    expect((await windlass(["validate"], { cwd })).stderr).toContain('warning: there is no tool "fs/write_file"');
  });

  test("are parsed like the engine parses them: a trusted entry is a tool, and a typing error is reported", async () => {
    const cwd = await folder({
      "windlass.yaml":
        'permissions: { allow: ["say trusted", "model:echo  trusted", "sai trusted", "say trustd", "*"] }\n',
      "tools/say.yaml": say,
    });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    for (const text of [validate, doctor]) {
      expect(text.match(/there is no tool/g)).toHaveLength(2);
      expect(text).toContain('there is no tool "sai"');
      expect(text).toContain('did you mean "say"?');
      expect(text).toContain('there is no tool "say trustd"');
      expect(text).toContain('did you mean "say trusted"?');
    }
  });

  test("are reported equally if the settings file is checked by its name", async () => {
    const cwd = await folder({
      "windlass.yaml": 'permissions: { deny: ["ecko"] }\nagent: { options: { commands: { tide: high_water } } }\n',
      "tools/say.yaml": say,
    });
    const all = await windlass(["validate", "--json"], { cwd });
    const named = await windlass(["validate", "windlass.yaml", "--json"], { cwd });
    expect(JSON.parse(all.stdout)).toHaveLength(2);
    expect(named.stdout).toBe(all.stdout);
  });

  test("declarations, contracts, and capabilities similar to others are reported as well", async () => {
    const cwd = await folder({
      "windlass.yaml": 'capabilities:\n  declare: { sai: [speech], "mcp:brave": [serach], say: [own_thing] }\n',
      "capabilities/search.yaml":
        "name: search\ntools:\n  say: { arguments: { massage: hi } }\n  localSearch: { arguments: { query: hi } }\n" +
        "  web_serch: {}\n",
      "tools/say.yaml": say,
    });
    const { codes, validate, doctor } = await checked(cwd);
    expect(codes).toEqual([0, 0]);
    for (const [position, message, hint] of [
      ["windlass.yaml:2:14", 'there is no tool "sai"', "say"],
      ["windlass.yaml:2:43", 'no other tool has the capability "serach"', "search"],
      ["capabilities/search.yaml:3:23", 'the tool "say" has no parameter "massage"', "message"],
      ["capabilities/search.yaml:5:3", 'there is no tool "web_serch"', "web_search"],
    ] as const) {
      expect(validate).toContain(`${position}: warning: ${message}`);
      expect(doctor).toContain(`${position}: ${message}`);
      for (const text of [validate, doctor]) expect(text).toContain(`did you mean "${hint}"?`);
    }
    for (const text of [validate, doctor]) expect(text).toContain('there is no MCP server "brave"');
    expect(validate.trimEnd().split("\n").at(-1)).toBe("5 warnings in 2 files");
  });

  test("are not checked while a tool file is broken: the tool may be in it", async () => {
    const cwd = await folder({
      "windlass.yaml": 'permissions: { deny: ["ecko"] }\n',
      "capabilities/search.yaml": "name: search\ntools: { gone: {} }\n",
      "tools/bad.yaml": "name: bad\n",
    });
    const { validate, doctor } = await checked(cwd);
    expect(validate + doctor).not.toContain("there is no tool");
  });
});

test("syntax errors and semantic errors are reported together", async () => {
  const cwd = await folder({
    "windlass.yaml": [
      "retention: { day: 1, bytes: many }",
      'permissions: { ask: ["effect:sometimes", 5], deny: 7 }',
      'network: { allow: ["*", 1] }',
      "concurrency: { rate_limits: { http: fast, ai: 3 } }",
    ].join("\n"),
  });
  const { code, stdout } = await windlass(["validate", "--json"], { cwd });
  expect(code).toBe(2);
  const positions = JSON.parse(stdout).map(({ line, column }: Record<string, number>) => `${line}:${column}`);
  expect(positions).toEqual(["1:14", "1:29", "2:22", "2:42", "2:52", "3:20", "3:25", "4:37", "4:47"]);
});

describe.concurrent("a secret in a file", () => {
  const settings = { "windlass.yaml": "secrets: { KEY: { file: secrets/key } }\n" };

  test("is missing while the file is empty", async () => {
    const cwd = await folder({ ...settings, "secrets/key": " \n\n" });
    const { stdout } = await windlass(["doctor"], { cwd });
    expect(stdout).toContain("KEY has no value");
    expect(stdout).toContain("secrets/key is empty");
  });

  test("is not read through a link that leads out of the workspace", async () => {
    const [cwd, outside] = [await folder(settings), await folder({ key: "not-of-this-workspace" })];
    await symlink(outside, join(cwd, "secrets"));
    const { stdout } = await windlass(["doctor"], { cwd });
    expect(stdout).toContain("KEY has no value");
    expect(stdout).toContain("outside the workspace");
  });

  test("may be in a file whose name begins with two dots", async () => {
    const cwd = await folder({ "windlass.yaml": "secrets: { KEY: { file: ..key } }\n" });
    await writeFile(join(cwd, "..key"), "a-value\n");
    await mkdir(join(cwd, "tools"));
    expect((await windlass(["doctor"], { cwd })).stdout).toContain("1 of 1 secret found");
  });
});

test("doctor warns about a secret that is a common word, without showing it", async () => {
  const cwd = await folder({ "windlass.yaml": "secrets: { DB_USER: env, DB_PASSWORD: env, LOCAL_KEY: env }\n" });
  const env = { DB_USER: "postgres", DB_PASSWORD: "c0rrect-h0rse", LOCAL_KEY: "ollama" };
  const { code, stdout } = await windlass(["doctor"], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^warn +secrets +the value of DB_USER is short or a common word/m);
  expect(stdout).not.toMatch(/postgres|DB_PASSWORD is|LOCAL_KEY is/);
});

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeTool, folder, windlass } from "./windlass.ts";

/** Variables that npm sets for the script `windlass` of our package. */
const ownScript = { npm_package_name: "windlass", npm_lifecycle_event: "windlass" };

describe.concurrent("npm run windlass", () => {
  test("works in the folder in which it was typed, not in the folder of the package", async () => {
    const typed = await folder(codeTool("where", 'export default () => process.env.INIT_CWD ?? "here";'));
    const env = { ...ownScript, INIT_CWD: typed };
    // The variables do not affect programs that a tool starts.
    expect(await windlass(["call", "where"], { cwd: await folder(), env })).toMatchObject({ stdout: '"here"\n' });
  });

  test("in another package, works in the folder in which npm has started it", async () => {
    const cwd = await folder(codeTool("where", 'export default () => "here";'));
    const env = { ...ownScript, npm_package_name: "mine", INIT_CWD: await folder() };
    expect(await windlass(["call", "where"], { cwd, env })).toMatchObject({ stdout: '"here"\n' });
  });
});

describe.concurrent("windlass init", () => {
  test("creates a workspace whose tools run immediately and whose files are valid", async () => {
    const cwd = await folder();
    const made = await windlass(["init", "my tools"], { cwd });
    expect(made.code).toBe(0);
    expect(made.stdout).toContain("tools/greet.yaml");
    expect(made.stdout).toContain("skills/release-notes/SKILL.md");
    expect(made.stderr).toContain('cd "my tools"');
    const dir = join(cwd, "my tools");
    const [greet, chinese, slugify, count, valid, doctor, welcome, skills, skill, notes, chineseNotes] =
      await Promise.all([
        windlass(["call", "greet", "name=Ada"], { cwd: dir }),
        windlass(["call", "greet", "name=--version", "language=zh"], { cwd: dir }),
        windlass(["call", "slugify", "text=Crème brûlée, 你好!"], { cwd: dir }),
        windlass(["call", "word_count", "text=one two  三"], { cwd: dir }),
        windlass(["validate"], { cwd: dir }),
        windlass(["doctor"], { cwd: dir }),
        windlass(["run", "welcome", "-i", "name=Ada"], { cwd: dir }),
        windlass(["skills", "validate"], { cwd: dir }),
        windlass(["call", "skill", "name=release-notes"], { cwd: dir }),
        windlass(["ask", "What did I write about tide mills?", "--runner", "vault"], { cwd: dir }),
        windlass(["ask", "我写过哪些关于潮汐磨坊的笔记？", "--runner", "vault"], { cwd: dir }),
      ]);
    expect(notes.stdout).toContain("A tide mill has a dam with a gate.");
    expect(chineseNotes.stdout).toContain("潮汐磨坊有一道带闸门的水坝。");
    expect(skills).toMatchObject({ code: 0, stdout: "ok: 1 skill, no problems\n", stderr: "" });
    expect(JSON.parse(skill.stdout)).toMatchObject({
      instructions: expect.stringMatching(/^# Release notes\n/) as string,
      files: ["references/tone.md"],
    });
    expect(JSON.parse(welcome.stdout)).toEqual({
      greetings: ["Hello, Ada!", "你好，Ada！"],
      page: "welcome-aboard-ada",
      words: 3,
    });
    expect(greet.stdout).toBe('"Hello, Ada!"\n');
    expect(chinese.stdout).toBe('"你好，--version！"\n');
    expect(JSON.parse(slugify.stdout)).toEqual({ slug: "creme-brulee-你好" });
    expect(JSON.parse(count.stdout)).toEqual({ words: 3, characters: 10 });
    expect(valid).toMatchObject({ code: 0, stdout: "ok: the workspace, 3 tools, 1 chain, no problems\n", stderr: "" });
    expect(doctor.code).toBe(0);
  });

  test.each([
    ["a CommonJS package, in a folder of its own", '{ "type": "commonjs" }', ["ws"], "package.json"],
    ["a package without a type, in a folder of its own", "{}", ["ws"], "package.json"],
    ["a CommonJS package itself", '{ "type": "commonjs" }', [], "tools/package.json"],
  ])("[U21] inside %s, the sample tools run without warnings of Node", async (_title, packageJson, words, file) => {
    const cwd = await folder({ "package.json": packageJson });
    const made = await windlass(["init", ...words, "--json"], { cwd });
    expect(JSON.parse(made.stdout)).toMatchObject({ files: expect.arrayContaining([file]) as string[] });
    expect(await readFile(join(cwd, "package.json"), "utf8")).toBe(packageJson);
    const dir = join(cwd, ...words);
    const [slugify, count, valid] = await Promise.all([
      windlass(["call", "slugify", "text=Hello World"], { cwd: dir }),
      windlass(["call", "word_count", "text=one two"], { cwd: dir }),
      windlass(["validate"], { cwd: dir }),
    ]);
    expect(JSON.parse(slugify.stdout)).toEqual({ slug: "hello-world" });
    expect(JSON.parse(count.stdout)).toEqual({ words: 2, characters: 7 });
    expect(valid.code).toBe(0);
    for (const { stderr } of [slugify, count, valid]) expect(stderr).not.toMatch(/\(node:|Warning/);
  });

  test("[U21] inside an ES module package, or outside of any, init writes no package.json", async () => {
    const cwd = await folder({ "package.json": '{ "type": "module" }' });
    for (const from of [cwd, await folder()]) {
      const made = await windlass(["init", "ws", "--json"], { cwd: from });
      expect(made.stdout).not.toContain("package.json");
    }
  });

  test("[U21] a tool that Node reads as CommonJS fails with the remedy, once, and without warnings of Node", async () => {
    const inside = await folder({
      "windlass.yaml": "",
      "package.json": '{ "type": "commonjs" }',
      ...codeTool("shout", 'export default () => "HELLO";'),
    });
    const remedy = 'Node reads it as CommonJS; set "type": "module" in package.json, or rename the file to shout.mts';
    const call = await windlass(["call", "shout"], { cwd: inside });
    expect(call.stderr.replaceAll(/\s+/g, " ")).toContain(
      `error: the module "./shout.ts" failed: Unexpected token 'export'; ${remedy}`,
    );
    expect(call.stderr).not.toMatch(/\(node:|trace-warnings/);
    const valid = await windlass(["validate", "--json"], { cwd: inside });
    expect(valid.stderr).not.toMatch(/\(node:|Warning/);
    expect(JSON.parse(valid.stdout)).toEqual([
      expect.objectContaining({ file: "tools/shout.ts", line: 1, column: 1, hint: remedy }),
    ]);
    const outside = await folder({
      "package.json": "{}",
      "ws/windlass.yaml": "",
      "ws/tools/import.ts": 'import { x } from "./x.ts";\nmodule.exports = x;\n',
      "ws/tools/list.js": "const x = 1;\nexport { x };\nrequire('node:fs');\n",
    });
    await writeFile(join(outside, "package.json"), '{ "type": "commonjs" }');
    const others = await windlass(["validate", "--json"], { cwd: join(outside, "ws") });
    expect(JSON.parse(others.stdout)).toEqual([
      expect.objectContaining({
        file: "tools/import.ts",
        hint: 'Node reads it as CommonJS; create a package.json with { "type": "module" } in the workspace, or rename the file to import.mts',
      }),
      expect.objectContaining({ file: "tools/list.js" }),
    ]);
  });

  test("its files find their schemas in the workspace, and git ignores the data", async () => {
    const cwd = await folder({ ".gitignore": "node_modules" });
    await windlass(["init"], { cwd });
    for (const [file, schema] of [
      ["tools/greet.yaml", "tool"],
      ["tools/slugify.yaml", "tool"],
      ["chains/welcome.yaml", "chain"],
      ["windlass.yaml", "workspace"],
    ] as const) {
      const text = await readFile(join(cwd, file), "utf8");
      const path = /yaml-language-server: \$schema=(\S+)/.exec(text)?.[1] ?? "";
      const found = await readFile(join(cwd, file, "..", path), "utf8");
      expect(found).toBe((await windlass(["schema", schema], { cwd })).stdout);
    }
    expect(await readFile(join(cwd, ".gitignore"), "utf8")).toBe("node_modules\n.windlass/\n");
    expect(await readFile(join(cwd, ".windlass/.gitignore"), "utf8")).toBe("*\n");
  });

  test("shows how to get to the folder, and nothing if it is the current one", async () => {
    const cwd = await folder({ "a/.keep": "", "b/.keep": "", "c/.keep": "", "d/.keep": "" });
    const wayAfter = async (words: string[], from = cwd): Promise<string | undefined> => {
      const { stderr } = await windlass(["init", ...words], { cwd: from });
      expect(stderr).toContain("Try next:");
      return /^ *cd (.*)$/m.exec(stderr)?.[1];
    };
    const ways = [
      await wayAfter([join(cwd, "new")]),
      await wayAfter(["."], join(cwd, "a")),
      await wayAfter([], join(cwd, "b")),
      await wayAfter([join(cwd, "c")], join(cwd, "c")),
      await wayAfter(["-C", "d", "."]),
      await wayAfter(["-C", "d", "../e"]),
    ];
    expect(ways).toEqual([join(cwd, "new"), undefined, undefined, undefined, "d", "e"]);
  });

  test("shows the next commands in the form in which the program was called", async () => {
    const cwd = await folder();
    const stepsAfter = async (name: string, env: Record<string, string>): Promise<string[]> => {
      const { stderr } = await windlass(["init", name], { cwd, env });
      return stderr.split("\n").flatMap((line) => /^ {2}(.*(?:cd|graph).*)$/.exec(line)?.[1] ?? []);
    };
    const script = { ...ownScript, INIT_CWD: cwd };
    const inside = { ...script, npm_package_json: join(cwd, "package.json") };
    const outside = { ...script, npm_package_json: join(cwd, "checkout/package.json") };
    expect(await stepsAfter("a", {})).toEqual(["cd a", "windlass graph welcome"]);
    expect(await stepsAfter("b", { npm_lifecycle_event: "npx" })).toEqual(["cd b", "npx windlass graph welcome"]);
    expect(await stepsAfter("c", inside)).toEqual(["cd c", "npm run -s windlass -- graph welcome"]);
    expect(await stepsAfter("d", outside)).toEqual(["npm run -s windlass -- graph -C d welcome"]);
  });

  test("overwrites nothing", async () => {
    const cwd = await folder({ "tools/greet.yaml": "mine" });
    const { code, stdout, stderr } = await windlass(["init"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("tools/greet.yaml; nothing was written");
    expect(await readFile(join(cwd, "tools/greet.yaml"), "utf8")).toBe("mine");
    await expect(readFile(join(cwd, "windlass.yaml"))).rejects.toThrow("ENOENT");
  });

  test("a target that cannot be written is reported in one line", async () => {
    const cwd = await folder({ taken: "a file" });
    const { code, stderr } = await windlass(["init", "taken"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("cannot write the workspace");
    expect(stderr).not.toContain("    at ");
  });
});

describe.concurrent("windlass validate", () => {
  test("files of servers, skills and contracts are checked by their kind", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "mcp.json": '{ "mcpServers": { "odd": { "commnad": "x" } } }',
      "elsewhere/mcp.local.json": '{ "mcpServers": {} }',
      "skills/odd/SKILL.md": "# No front matter\n",
      "skills/good/SKILL.md": "---\nname: good\ndescription: Does good. Use when good is wanted.\n---\n\nGo.\n",
      "capabilities/search.yaml": "capability: search\n",
    });
    const check = (path: string) => windlass(["validate", path], { cwd });
    const [servers, elsewhere, odd, good, contract] = await Promise.all(
      ["mcp.json", "elsewhere/mcp.local.json", "skills/odd/SKILL.md", "skills/good", "capabilities/search.yaml"].map(
        check,
      ),
    );
    expect(servers).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "command"?') as string });
    expect(servers?.stderr).toContain("mcp.json:1:");
    expect(servers?.stderr).not.toContain("SKILL.md");
    expect(elsewhere).toMatchObject({ code: 0, stderr: "" });
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining("front matter") as string });
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(contract?.stderr).not.toContain("entry");
  });

  const good =
    "name: fine\ndescription: Works.\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n";
  const bad = "name: 坏的\ndescripton: oops\nentry:\n  type: builtin\n  handler: ecko\n";

  test("shows every problem of the workspace with its position, and exits with 2", async () => {
    const cwd = await folder({
      "windlass.yaml": "retention: { day: 1 }\n",
      "tools/bad.yaml": bad,
      "tools/good.yaml": good,
    });
    const { code, stdout, stderr } = await windlass(["validate"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("windlass.yaml:1:14: error:");
    expect(stderr).toContain('did you mean "days"?');
    expect(stderr).toContain("tools/bad.yaml:2:1: error: unknown key");
    expect(stderr).toContain("  2 │ descripton: oops\n    │ ^^^^^^^^^^");
    expect(stderr).toContain('did you mean "echo"?');
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("3 errors in 2 files");
  });

  test("prints a JSON list of problems, with relative paths", async () => {
    const cwd = await folder({ "windlass.yaml": "", "tools/bad.yaml": bad });
    await mkdir(join(cwd, "sub"));
    const { code, stdout } = await windlass(["validate", "--json"], { cwd: join(cwd, "sub") });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toContainEqual({
      severity: "error",
      code: "unknown_key",
      message: 'unknown key "descripton"',
      hint: 'did you mean "description"?',
      file: "../tools/bad.yaml",
      line: 2,
      column: 1,
      length: 10,
    });
  });

  test("checks single files, folders and modules, and accepts warnings", async () => {
    const cwd = await folder({
      "tools/good.yaml": good,
      "tools/odd.yaml": `${good.replace("fine", "odd")}category: htttp\n`,
      "tools/empty.ts": "export const nothing = 1;\n",
      "tools/wrong.ts": 'import "./missing.ts";\n',
      "elsewhere/windlass.yaml": "engine: 5\n",
    });
    const check = (...words: string[]) => windlass(["validate", ...words], { cwd });
    const [one, warned, empty, wrong, settings, all] = await Promise.all([
      check("tools/good.yaml"),
      check("tools/odd.yaml"),
      check("tools/empty.ts"),
      check("tools/wrong.ts"),
      check("elsewhere/windlass.yaml"),
      check("tools"),
    ]);
    expect(one).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 tool, no problems\n", stderr: "" });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain("1 warning in 1 file");
    expect(empty).toMatchObject({ code: 0, stderr: expect.stringContaining("the module exports no tool") });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("tools/wrong.ts:1:") });
    expect(settings).toMatchObject({ code: 2, stderr: expect.stringContaining("elsewhere/windlass.yaml:1:9") });
    expect(all).toMatchObject({ code: 2, stderr: expect.stringContaining("1 error, 1 warning in 2 files") });
  });

  test("a file outside of any workspace is checked against the current one, or that of -C, as in run", async () => {
    const chain = 'name: guest\nenv: [HOME]\nsteps:\n  - { id: a, tool: fine, params: { message: "${env.HOME}" } }\n';
    const cwd = await folder({
      "ours/windlass.yaml": "env: [HOME]\n",
      "ours/tools/good.yaml": good,
      "outside/guest.yaml": chain,
      "outside/tool.yaml": good.replace("fine", "guest_tool"),
      "theirs/windlass.yaml": "",
      "theirs/guest.yaml": chain,
    });
    const ours = join(cwd, "ours");
    const [here, there, nowhere, tool, theirs, run] = await Promise.all([
      windlass(["validate", "../outside/guest.yaml"], { cwd: ours }),
      windlass(["validate", "-C", "ours", "../outside/guest.yaml"], { cwd }),
      windlass(["validate", "outside/guest.yaml"], { cwd }),
      windlass(["validate", "../outside/tool.yaml"], { cwd: ours }),
      windlass(["validate", "../theirs/guest.yaml"], { cwd: ours }),
      windlass(["run", "../outside/guest.yaml"], { cwd: ours }),
    ]);
    expect(here).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 chain, no problems\n" });
    expect(there).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 chain, no problems\n" });
    expect(run.code).toBe(0);
    expect(tool).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 tool, no problems\n" });
    for (const { code, stderr } of [nowhere, theirs]) {
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('named "fine"') });
    }
  });

  test.each([
    ["", "is empty"],
    ["# nothing yet\n", "is empty"],
    ["- one\n- two\n", "is a list"],
    ["just words\n", "is a single value"],
  ])("%j is neither a tool, a chain nor a workspace file", async (text, what) => {
    const cwd = await folder({ "windlass.yaml": "", "some.yaml": text, "chains/other.yaml": text });
    const { code, stderr } = await windlass(["validate", "some.yaml", "chains/other.yaml"], { cwd });
    expect(code).toBe(2);
    expect(
      stderr.match(new RegExp(`the file ${what}: it is neither a tool, a chain nor a workspace file`, "g")),
    ).toHaveLength(2);
  });

  test.each([
    [["validate", "missing.yaml"], "file not found"],
    [["validate", "notes.txt"], "is not a file of a workspace"],
    [["schema", "tol"], "Allowed choices are chain, tool, capability, workspace"],
    [["schema"], "missing required argument 'FORMAT'"],
  ])("%j is a usage error", async (words, reported) => {
    const { code, stderr } = await windlass(words, { cwd: await folder({ "notes.txt": "" }) });
    expect(code).toBe(2);
    expect(stderr).toContain(reported);
  });

  test("YAML files are checked without the validator, the network client or the database", async () => {
    const cwd = await folder({ "tools/good.yaml": good, "windlass.yaml": "retention: { days: 1 }\n" });
    const preload = join(cwd, "loaded.cjs");
    await writeFile(
      preload,
      `process.on("exit", () => require("node:fs").writeSync(1, JSON.stringify([
        ...Object.keys(require("node:module")._cache),
        ...process.moduleLoadList.filter((name) => name.includes("sqlite")),
      ])));`,
    );
    const { stdout } = await windlass(["validate"], { cwd, nodeArgs: ["--require", preload], fromSource: true });
    expect(stdout).toContain("ok: the workspace, 1 tool, no problems");
    expect(stdout).toContain("/yaml/");
    expect(stdout).not.toMatch(/\/(?:ajv|undici)\/|sqlite/);
  });

  test("schema prints the JSON Schema for editors", async () => {
    const { stdout } = await windlass(["schema", "tool"], { cwd: await folder() });
    expect(JSON.parse(stdout)).toMatchObject({
      title: "Windlass tool file",
      required: ["name", "description", "entry"],
    });
  });
});

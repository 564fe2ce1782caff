import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeTool, folder, windlass } from "./windlass.ts";

/** What npm tells the script `windlass` of our package. */
const ownScript = { npm_package_name: "windlass", npm_lifecycle_event: "windlass" };

describe.concurrent("npm run windlass", () => {
  test("works in the folder in which it was typed, not in that of the package", async () => {
    const typed = await folder(codeTool("where", 'export default () => process.env.INIT_CWD ?? "here";'));
    const env = { ...ownScript, INIT_CWD: typed };
    // What a tool starts is not led there.
    expect(await windlass(["call", "where"], { cwd: await folder(), env })).toMatchObject({ stdout: '"here"\n' });
  });

  test("in a package of somebody else, works where npm has started it", async () => {
    const cwd = await folder(codeTool("where", 'export default () => "here";'));
    const env = { ...ownScript, npm_package_name: "mine", INIT_CWD: await folder() };
    expect(await windlass(["call", "where"], { cwd, env })).toMatchObject({ stdout: '"here"\n' });
  });
});

describe.concurrent("windlass init", () => {
  test("makes a workspace whose tools run at once and whose files are valid", async () => {
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

  test("its files find their schemas beside them, and git does not see the data", async () => {
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

  test("says how to get there from where it was typed, and nothing where one is there", async () => {
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

  test("shows what to try next in the form in which it was called", async () => {
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
    expect(stderr).toContain("tools/greet.yaml already; nothing was written");
    expect(await readFile(join(cwd, "tools/greet.yaml"), "utf8")).toBe("mine");
    await expect(readFile(join(cwd, "windlass.yaml"))).rejects.toThrow("ENOENT");
  });

  test("a place that cannot be written is told in one line", async () => {
    const cwd = await folder({ taken: "a file" });
    const { code, stderr } = await windlass(["init", "taken"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("the workspace could not be written");
    expect(stderr).not.toContain("    at ");
  });
});

describe.concurrent("windlass validate", () => {
  test("files of servers, of skills and of contracts are checked as what they are", async () => {
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

  test("shows every problem of the workspace at its place, and exits with 2", async () => {
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
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("4 errors in 2 files");
  });

  test("gives programs a list of problems, with paths from here", async () => {
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

  test("checks single files, folders and modules, and passes warnings", async () => {
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

  test("a file that lies in no workspace is judged by the one here, or that of -C, as run does", async () => {
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
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('is called "fine"') });
    }
  });

  test.each([
    ["", "is empty"],
    ["# nothing yet\n", "is empty"],
    ["- one\n- two\n", "is a list"],
    ["just words\n", "is one value"],
  ])("%j is neither a tool, a chain nor a workspace file", async (text, what) => {
    const cwd = await folder({ "windlass.yaml": "", "some.yaml": text, "chains/other.yaml": text });
    const { code, stderr } = await windlass(["validate", "some.yaml", "chains/other.yaml"], { cwd });
    expect(code).toBe(2);
    expect(
      stderr.match(new RegExp(`the file ${what}: it is neither a tool, a chain nor a workspace file`, "g")),
    ).toHaveLength(2);
  });

  test.each([
    [["validate", "missing.yaml"], "there is no file"],
    [["validate", "notes.txt"], "is no file of a workspace"],
    [["schema", "tol"], "Allowed choices are chain, tool, capability, workspace"],
    [["schema"], "missing required argument 'FORMAT'"],
  ])("%j is a mistake of usage", async (words, told) => {
    const { code, stderr } = await windlass(words, { cwd: await folder({ "notes.txt": "" }) });
    expect(code).toBe(2);
    expect(stderr).toContain(told);
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
    const { stdout } = await windlass(["validate"], { cwd, nodeArgs: ["--require", preload] });
    expect(stdout).toContain("ok: the workspace, 1 tool, no problems");
    expect(stdout).toContain("/yaml/");
    expect(stdout).not.toMatch(/\/(?:ajv|undici)\/|sqlite/);
  });

  test("schema prints what editors read", async () => {
    const { stdout } = await windlass(["schema", "tool"], { cwd: await folder() });
    expect(JSON.parse(stdout)).toMatchObject({
      title: "Windlass tool file",
      required: ["name", "description", "entry"],
    });
  });
});

import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { codeTool, folder, windlass } from "./windlass.ts";

const tenMistakes = await readFile(resolve("test/fixtures/chains/ten-mistakes.yaml"), "utf8");

const hello =
  'name: hello\ndescription: Says hello.\nsteps:\n  - { id: say, tool: echo, params: { message: "hello ${input.name}" } }\noutput: "${steps.say.output.message}"\n';

describe.concurrent("[A09] windlass validate of chains", () => {
  test("a chain file is distinguished from a tool by its steps, in any folder", async () => {
    const cwd = await folder({
      "hello.yaml": hello,
      "flow.yaml": "{ name: flow, steps: [{ id: a, tool: echo, params: { message: 1 } }] }",
      "chains/empty.yaml": "name: empty\n",
      "tools/odd.yaml": "name: odd\n",
    });
    const [one, flow, empty, tool] = await Promise.all(
      ["hello.yaml", "flow.yaml", "chains/empty.yaml", "tools/odd.yaml"].map((file) =>
        windlass(["validate", file], { cwd }),
      ),
    );
    expect(one).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 chain, no problems\n", stderr: "" });
    expect(flow).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 chain, no problems\n" });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('"steps"') as string });
    expect(tool).toMatchObject({ code: 2, stderr: expect.stringContaining('"entry"') as string });
  });

  test("every error of a file is shown with its position, code frame and hint, and the exit code is 2", async () => {
    const cwd = await folder({ "ten.yaml": tenMistakes });
    const [{ code, stdout, stderr }, json] = await Promise.all([
      windlass(["validate", "ten.yaml"], { cwd }),
      windlass(["validate", "ten.yaml", "--json"], { cwd }),
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('ten.yaml:3:1: error: unknown key "verison"');
    expect(stderr).toContain('│ ^^^^^^^ did you mean "version"?');
    expect(stderr).toContain("photos -> mail -> photos");
    const problems = JSON.parse(json.stdout) as { file: string; line: number; hint?: string }[];
    expect(problems.length).toBeGreaterThanOrEqual(10);
    for (const { file, line, hint } of problems) {
      expect(file).toBe("ten.yaml");
      expect(line).toBeGreaterThan(0);
      expect(hint).toBeTruthy();
    }
  });

  test("a chain knows the tools and the other chains of its workspace", async () => {
    const cwd = await folder({
      "windlass.yaml": "env: [HOME]\n",
      ...codeTool(
        "shout",
        "export default ({ text }: { text: string }) => text.toUpperCase();",
        "parameters: [{ name: text, type: string, required: true }]",
      ),
      "chains/hello.yaml": hello,
      "chains/loud.yaml":
        'name: loud\nenv: [HOME]\nsteps:\n  - { id: a, tool: hello, params: { name: x } }\n  - { id: b, tool: shout, params: { txt: "${steps.a.output}" } }\n',
      "other/far.yaml": "name: far\nsteps:\n  - { id: a, tool: helo, params: { name: x } }\n",
    });
    const [loud, far, all] = await Promise.all([
      windlass(["validate", "chains/loud.yaml"], { cwd }),
      windlass(["validate", "other/far.yaml"], { cwd }),
      windlass(["validate"], { cwd }),
    ]);
    expect(loud).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "text"?') as string });
    expect(far).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "hello"?') as string });
    expect(all).toMatchObject({ code: 2, stderr: expect.stringContaining("chains/loud.yaml:5:") as string });
  });

  test("for a missing tool, the tool files that were not loaded are listed, with reasons", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "tools/my-tools.ts": "export default nothing.at.all;\n",
      "chains/a.yaml": "name: a\nsteps:\n  - { id: a, tool: mine }\n",
      "chains/b.yaml": "name: b\nsteps:\n  - { id: a, tool: mine }\n",
    });
    const runs = await Promise.all([
      windlass(["validate", "chains/a.yaml", "chains/b.yaml"], { cwd }),
      windlass(["validate", "chains"], { cwd }),
      windlass(["run", "a"], { cwd }),
    ]);
    for (const { code, stderr } of runs) {
      expect(code).toBe(2);
      expect(stderr).toContain('there is no tool or chain named "mine"');
      const reported = stderr.match(
        /tools\/my-tools\.ts:\d+:\d+: warning: this file of tools was not loaded: .*not defined/g,
      );
      expect(reported).toHaveLength(1);
    }
    const { stderr } = await windlass(["validate", "chains/a.yaml", "tools/my-tools.ts"], { cwd });
    expect(stderr.match(/tools\/my-tools\.ts/g)).toHaveLength(1);
  });

  test("checks the whole workspace, its chains folder, and a folder of both kinds", async () => {
    const good =
      "name: fine\ndescription: Works.\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n";
    const cwd = await folder({
      "windlass.yaml": "",
      "tools/fine.yaml": good,
      "chains/a.yaml": hello,
      "chains/b.yaml": hello,
      "mixed/tool.yaml": good.replace("fine", "mixed"),
      "mixed/chain.yaml": hello.replace("name: hello", "name: mixed_chain"),
    });
    const [all, chains, mixed] = await Promise.all([
      windlass(["validate"], { cwd }),
      windlass(["validate", "chains"], { cwd }),
      windlass(["validate", "mixed"], { cwd }),
    ]);
    expect(all).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already defined in chains/a.yaml") as string,
    });
    expect(chains).toMatchObject({ code: 2, stderr: expect.stringContaining("chains/b.yaml:1:7") as string });
    expect(mixed).toMatchObject({ code: 0, stdout: "ok: 1 file, 1 tool, 1 chain, no problems\n", stderr: "" });
  });

  test("a chain is checked without loading modules that only calls need", async () => {
    const cwd = await folder({ "ten.yaml": tenMistakes });
    const preload = join(cwd, "loaded.cjs");
    await writeFile(
      preload,
      `process.on("exit", () => require("node:fs").writeSync(1, JSON.stringify([
        ...Object.keys(require("node:module")._cache),
        ...process.moduleLoadList.filter((name) => name.includes("sqlite")),
      ])));`,
    );
    const { stdout } = await windlass(["validate", "ten.yaml"], {
      cwd,
      nodeArgs: ["--require", preload],
      fromSource: true,
    });
    expect(stdout).toContain("/yaml/");
    expect(stdout).not.toMatch(/\/(?:ajv|re2js|json-p3|undici)\/|sqlite/);
  });
});

describe.concurrent("windlass chains", () => {
  test("lists chains with their inputs and missing tools", async () => {
    const cwd = await folder({ "chains/hello.yaml": hello, "chains/broken.yaml": "name: broken\nsteps: [\n" });
    const { code, stdout, stderr } = await windlass(["chains"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^hello +pure +name +Says hello\.$/m);
    expect(stdout).toMatch(
      /^research-chain +idempotent +query:string +\[cannot run here: no search provider is set up\] Looks /m,
    );
    expect(stdout).toMatch(/^broken +- .*\[cannot run: /m);
    expect(stderr).toContain("chains/broken.yaml");
  });

  test("warns about one invalid file, or several", async () => {
    const bad = (name: string): string =>
      hello.replace("name: hello", `name: ${name}`).replace("tool: echo", "tool: ecko");
    const [one, two] = await Promise.all([
      folder({ "windlass.yaml": "", "chains/a.yaml": bad("a") }),
      folder({ "windlass.yaml": "", "chains/a.yaml": bad("a"), "chains/b.yaml": bad("b") }),
    ]);
    const [single, plural] = await Promise.all([one, two].map((cwd) => windlass(["chains"], { cwd })));
    expect(single?.stderr).toContain("chains/a.yaml: has problems; for details: windlass validate\n");
    expect(plural?.stderr).toContain("chains/a.yaml, chains/b.yaml: have problems; for details: windlass validate\n");
  });

  test("[A13] prints JSON with inputs, effect, steps and problems", async () => {
    const cwd = await folder({ "chains/hello.yaml": hello });
    const { stdout } = await windlass(["chains", "--json"], { cwd });
    const chains = JSON.parse(stdout) as { name: string }[];
    expect(chains.map(({ name }) => name)).toEqual([
      "dev-chain",
      "hello",
      "research-chain",
      "research-summarize-store",
      "write-chain",
    ]);
    expect(chains[1]).toMatchObject({
      description: "Says hello.",
      source: "workspace",
      file: "chains/hello.yaml",
      steps: ["say"],
      inputs: [{ name: "name", required: true }],
      effect: "pure",
      destructive: false,
      valid: true,
      problems: [],
    });
    expect(chains[2]).toMatchObject({ source: "built-in", effect: "idempotent", valid: true, problems: [] });
  });

  test("a chain is listed as a tool, and running one with missing tools names them", async () => {
    const lacks = hello.replace("name: hello", "name: lacks").replace("tool: echo", "tool: nowhere_search");
    const cwd = await folder({ "chains/hello.yaml": hello, "chains/lacks.yaml": lacks });
    const [call, tools, lacking, unknown] = await Promise.all([
      windlass(["call", "hello", "name=Ada"], { cwd }),
      windlass(["tools", "--json"], { cwd }),
      windlass(["run", "lacks", "-i", "name=x"], { cwd }),
      windlass(["run", "helo"], { cwd }),
    ]);
    expect(call.stdout).toBe('"hello Ada"\n');
    expect(JSON.parse(tools.stdout)).toContainEqual(expect.objectContaining({ name: "hello", source: "chains" }));
    expect(lacking).toMatchObject({ code: 2, stderr: expect.stringContaining('"nowhere_search"') as string });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "hello"?') as string });
  });
});

describe.concurrent("windlass graph", () => {
  test("draws a chain by name or file as Mermaid, SVG and JSON", async () => {
    const cwd = await folder({ "chains/hello.yaml": hello, "draft.yaml": hello.replace("name: hello", "name: draft") });
    const [mermaid, svg, dark, json] = await Promise.all([
      windlass(["graph", "hello"], { cwd }),
      windlass(["graph", "draft.yaml", "--format", "svg"], { cwd }),
      windlass(["graph", "hello", "--format", "svg", "--theme", "dark"], { cwd }),
      windlass(["graph", "hello", "--format", "json"], { cwd }),
    ]);
    expect(mermaid).toMatchObject({ code: 0, stderr: "" });
    expect(mermaid.stdout).toMatch(/^flowchart TD\n/);
    expect(svg.stdout).toMatch(/^<svg [^]*draft[^]*<\/svg>\n$/);
    expect(dark.stdout).not.toBe(svg.stdout);
    expect(JSON.parse(json.stdout)).toMatchObject({ name: "hello" });
  });

  test("[A13] draws a built-in chain with the chain that it calls", async () => {
    const { code, stdout, stderr } = await windlass(["graph", "write-chain"], { cwd: await folder() });
    expect(code).toBe(0);
    expect(stdout).toContain("research#45;chain");
    expect(stderr).toBe("");
  });

  test("a chain with other errors is not drawn", async () => {
    const cwd = await folder({ "ten.yaml": tenMistakes });
    const { code, stdout, stderr } = await windlass(["graph", "ten.yaml"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('ten.yaml:3:1: error: unknown key "verison"');
  });

  test("a theme is only for SVG", async () => {
    const { code, stderr } = await windlass(["graph", "write-chain", "--theme", "dark"], { cwd: await folder() });
    expect(code).toBe(2);
    expect(stderr).toContain("--theme requires --format svg");
  });
});

describe.concurrent("other commands with chains", () => {
  test("doctor counts chains, and reports broken ones and waiting runs", async () => {
    const cwd = await folder({
      "chains/hello.yaml": hello,
      "chains/ask.yaml": hello
        .replace("name: hello", "name: ask")
        .replace("tool: echo,", 'tool: echo, approval: "Say it?",'),
      "chains/bad.yaml": hello.replace("name: hello", "name: bad").replace("tool: echo", "tool: ecko"),
    });
    expect((await windlass(["run", "ask", "-i", "name=x"], { cwd })).code).toBe(3);
    const { code, stdout } = await windlass(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +chains +6 chains available$/m);
    expect(stdout).toMatch(/^fail +chains +chains\/bad\.yaml:4:/m);
    expect(stdout).toMatch(/^warn +runs +1 run waiting for approval: \S+ of ask/m);
  });

  test("names of chains are completed", async () => {
    const cwd = await folder({ "chains/hello.yaml": hello });
    const { stdout } = await windlass(["__complete", "graph", "hel"], { cwd });
    expect(stdout).toContain("hello\tSays hello.");
  });

  test("schema chain prints the JSON Schema for editors", async () => {
    const { stdout } = await windlass(["schema", "chain"], { cwd: await folder() });
    expect(JSON.parse(stdout)).toMatchObject({ required: expect.arrayContaining(["steps"]) as string[] });
  });
});

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import type { EngineEvent } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { defineTool } from "../tool/index.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace, WorkspaceOptions } from "./workspace.ts";

const open: Workspace[] = [];
async function workspaceIn(dir: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await openWorkspace(dir, { reload: false, store: "memory", ...options });
  open.push(workspace);
  return workspace;
}
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.close();
});

const chain = (name: string, message = name, tool = "echo"): string =>
  `name: ${name}\ndescription: Says it.\nsteps:\n  - { id: say, tool: ${tool}, params: { message: ${message} } }\noutput: "\${steps.say.output.message}"\n`;

const echo = (name: string) =>
  defineTool({
    name,
    description: "Echoes.",
    effect: "read",
    input: fromJsonSchema({ type: "object" }),
    run: (x) => x,
  });

const reported = ({ engine }: Workspace): string[] => {
  const events: string[] = [];
  engine.subscribe(
    (event) => void ("tool" in event && events.push(`${event.type} ${event.tool}`)),
    ["tool_loaded", "tool_added", "tool_updated", "tool_removed"],
  );
  return events;
};

describe("chains of a workspace", () => {
  test("are found in all folders by the name in the file, beside the built-in ones", async () => {
    const dir = await folderWith({
      "chains/a.yaml": chain("first"),
      "chains/deep/er/b.yml": chain("second"),
      "chains/_draft.yaml": "not: [a chain",
      "chains/notes.ts": "throw new Error('not loaded');",
    });
    const workspace = await workspaceIn(dir);
    const { chains, chainFolder, engine } = workspace;
    expect(chains.names()).toEqual([
      "research-chain",
      "dev-chain",
      "write-chain",
      "research-summarize-store",
      "first",
      "second",
    ]);
    expect(chainFolder.fileOf("second")).toBe("chains/deep/er/b.yml");
    expect(workspace.problems()).toEqual([]);
    expect(engine.tools.resolve("second")).toMatchObject({ source: "chains" });
  });

  test("[A12] are tools: a call and a step of another chain reach them", async () => {
    const dir = await folderWith({
      "chains/hello.yaml": chain("hello", '"hello ${input.name}"'),
      "chains/twice.yaml":
        'name: twice\nsteps:\n  - { id: one, tool: hello, params: { name: "${input.a}" } }\n  - { id: two, tool: hello, params: { name: "${steps.one.output}" } }\n',
    });
    const { engine } = await workspaceIn(dir);
    expect(await engine.call("hello", { name: "Ada" })).toMatchObject({ success: true, output: "hello Ada" });
    expect(await engine.call("twice", { a: "B" })).toMatchObject({
      output: { one: "hello B", two: "hello hello B" },
      meta: { source: "chains" },
    });
  });

  test("a chain with the name of a built-in chain hides it, until it is removed", async () => {
    const dir = await folderWith({ "chains/mine.yaml": chain("research-chain") });
    const workspace = await workspaceIn(dir);
    expect((await workspace.loadChain("research-chain")).description).toBe("Says it.");
    await rm(join(dir, "chains/mine.yaml"));
    await workspace.chainFolder.reload();
    expect(workspace.chains.sourceOf("research-chain")).toMatchObject({
      file: expect.stringMatching(/chains.research-chain\.yaml$/) as string,
    });
    expect(workspace.engine.tools.has("research-chain")).toBe(true);
  });

  test("a bad file does not affect the others and is reported with its position", async () => {
    const dir = await folderWith({
      "chains/bad.yaml": "name: bad\nsteps: [\n",
      "chains/good.yaml": chain("good"),
      "chains/nameless.yaml": "steps: []\n",
      "chains/typo.yaml": chain("typo").replace("steps:", "stepps:"),
    });
    const workspace = await workspaceIn(dir);
    const { engine, chains } = workspace;
    expect(engine.tools.names()).toContain("good");
    expect(workspace.problems().map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("chains/bad.yaml:") as string,
        expect.stringContaining("chains/nameless.yaml:1 missing_key") as string,
        "chains/typo.yaml:3 unknown_key",
      ]),
    );
    expect(chains.has("typo")).toBe(true);
  });

  test("the first of two files with one name wins, and the problem of the second names the first", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("same", "one"), "chains/b.yaml": chain("same", "two") });
    const workspace = await workspaceIn(dir);
    expect(workspace.problems()).toMatchObject([
      {
        file: "chains/b.yaml",
        line: 1,
        code: "duplicate_chain",
        message: expect.stringContaining("chains/a.yaml") as string,
      },
    ]);
    expect(await workspace.engine.call("same")).toMatchObject({ output: "one" });
    await rm(join(dir, "chains/a.yaml"));
    await workspace.chainFolder.reload();
    expect(workspace.problems()).toEqual([]);
    expect(await workspace.engine.call("same")).toMatchObject({ output: "two" });
  });

  test("one whose tool is missing is listed, is not a tool, and reports what is missing", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a", "x", "ecko") });
    const workspace = await workspaceIn(dir);
    expect(workspace.chains.has("a")).toBe(true);
    expect(workspace.engine.tools.has("a")).toBe(false);
    expect(workspace.problems()).toMatchObject([{ code: "unknown_tool", hint: 'did you mean "echo"?' }]);
    await expect(workspace.loadChain("a")).rejects.toMatchObject({
      code: "chain_invalid",
      problems: [{ code: "unknown_tool", file: "chains/a.yaml", line: 4 }],
    });
  });

  test("one whose tool is added later becomes valid", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a", "x", "later") });
    const workspace = await workspaceIn(dir);
    workspace.engine.tools.register(
      defineTool({
        name: "later",
        description: "d",
        input: fromJsonSchema<{ message: string }>({ type: "object", properties: { message: { type: "string" } } }),
        run: () => ({ message: "here" }),
      }),
    );
    expect((await workspace.loadChain("a")).name).toBe("a");
    expect(await workspace.engine.call("a")).toMatchObject({ success: true, output: "here" });
    expect(workspace.problems()).toEqual([]);
  });

  test("a tool of the same name takes precedence over a chain, and the file of the chain gets a warning", async () => {
    const dir = await folderWith({ "chains/echo.yaml": chain("calculator") });
    const workspace = await workspaceIn(dir);
    const { engine } = workspace;
    expect(engine.tools.resolve("calculator")?.source).toBe("tools");
    expect(workspace.problems()).toMatchObject([
      { severity: "warning", code: "hidden_chain", file: "chains/echo.yaml", line: 1 },
    ]);
  });
});

describe("[B17] reloading chains", () => {
  test("adds, updates and removes, each reported as a tool event", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a"), "chains/b.yaml": chain("b") });
    const workspace = await workspaceIn(dir);
    const events = reported(workspace);
    await writeFiles(dir, { "chains/a.yaml": chain("a", "new"), "chains/c.yaml": chain("c") });
    await rm(join(dir, "chains/b.yaml"));
    await workspace.chainFolder.reload();
    expect(events).toEqual(expect.arrayContaining(["tool_added c", "tool_updated a", "tool_removed b"]));
    expect(await workspace.engine.call("a")).toMatchObject({ output: "new" });
    expect(workspace.engine.tools.has("b")).toBe(false);
  });

  test("[F8] reports only chains that changed, although all of them are planned again", async () => {
    const tool = (effect: string, words: string): string =>
      `name: say\ndescription: Says ${words}.\neffect: ${effect}\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n`;
    const dir = await folderWith({
      "chains/a.yaml": chain("a"),
      "chains/b.yaml": chain("b", "b", "say"),
      "chains/c.yaml": "name: c\nsteps:\n  - { id: say, tool: b }\n",
      "tools/say.yaml": tool("read", "something"),
    });
    const workspace = await workspaceIn(dir);
    expect(workspace.engine.tools.list().length).toBeGreaterThan(3);
    const events = reported(workspace);
    const changed = async (files: Record<string, string>): Promise<string[]> => {
      await writeFiles(dir, files);
      await workspace.sources.reload();
      await workspace.chainFolder.reload();
      return events.splice(0);
    };
    expect(await changed({ "chains/a.yaml": chain("a", "new") })).toEqual(["tool_updated a"]);
    // A new tool in code, and another text of a tool, change no chain.
    workspace.engine.tools.register(echo("unrelated"));
    expect(await changed({})).toEqual(["tool_added unrelated"]);
    expect(await changed({ "tools/say.yaml": tool("read", "something else") })).toEqual(["tool_updated say"]);
    // Another effect of a tool is also the effect of the chains that use it.
    expect(await changed({ "tools/say.yaml": tool("once", "something else") })).toEqual([
      "tool_updated say",
      "tool_updated b",
      "tool_updated c",
    ]);
    expect(await workspace.engine.call("c", {})).toMatchObject({ success: true });
  });

  test("[F8] events of the first load reach onEvent: tools, chains and files with errors", async () => {
    const dir = await folderWith({
      "chains/a.yaml": chain("a"),
      "chains/bad.yaml": "name: bad\nstpes: []\n",
      "tools/say.yaml": "name: say\ndescription: Says it.\nentry: { type: builtin, handler: echo }\n",
      "tools/odd.yaml": "name: odd\ndescription: 7\n",
    });
    const events: string[] = [];
    const onEvent = (event: EngineEvent): void => {
      if (event.type === "load_error") events.push(`${event.type} ${event.file}`);
      else if ("tool" in event) events.push(`${event.type} ${event.tool}`);
    };
    const workspace = await workspaceIn(dir, { onEvent });
    const first = events.splice(0).filter((event) => !/research|dev-chain|write-chain/.test(event));
    expect(first.toSorted()).toEqual([
      "load_error chains/bad.yaml",
      "load_error tools/odd.yaml",
      "tool_loaded a",
      "tool_loaded say",
    ]);
    await workspace.engine.call("a");
    workspace.engine.tools.register(echo("more"));
    expect(events).toEqual(expect.arrayContaining(["execution_completed a", "tool_added more"]));
    await writeFiles(dir, { "chains/bad.yaml": chain("bad") });
    await workspace.chainFolder.reload();
    expect(events.slice(-1)).toEqual(["tool_added bad"]);
  });

  test.each([
    ["no YAML", "name: a\nsteps: [\n"],
    ["an unknown key", `${chain("a")}stepps: 1\n`],
    ["a tool that is not there", chain("a", "x", "ecko")],
    ["another name and a mistake", chain("other", "x", "ecko")],
    ["bytes that are no text", "\0\xff"],
  ])("an edit into %s keeps the old chain and reports the line; the next valid save is loaded", async (_what, text) => {
    const dir = await folderWith({ "chains/a.yaml": chain("a", "old") });
    const workspace = await workspaceIn(dir);
    await writeFiles(dir, { "chains/a.yaml": text });
    await workspace.chainFolder.reload();
    expect(await workspace.engine.call("a")).toMatchObject({ success: true, output: "old" });
    expect(workspace.problems()).toContainEqual(
      expect.objectContaining({ severity: "error", file: "chains/a.yaml" }) as object,
    );
    expect(workspace.chains.has("other")).toBe(false);
    await workspace.chainFolder.reload();
    expect(await workspace.engine.call("a")).toMatchObject({ output: "old" });
    await writeFiles(dir, { "chains/a.yaml": chain("a", "new") });
    await workspace.chainFolder.reload();
    expect(workspace.problems()).toEqual([]);
    expect(await workspace.engine.call("a")).toMatchObject({ output: "new" });
  });

  test("a renamed chain leaves its old name", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a") });
    const workspace = await workspaceIn(dir);
    await writeFiles(dir, { "chains/a.yaml": chain("b") });
    await workspace.chainFolder.reload();
    expect(workspace.engine.tools.has("a")).toBe(false);
    expect(await workspace.engine.call("b")).toMatchObject({ success: true });
  });

  test("an edit that needs a tool which is added a moment later takes effect with the tool", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a", "old") });
    const workspace = await workspaceIn(dir);
    await writeFiles(dir, { "chains/a.yaml": chain("a", "new", "shout") });
    await workspace.chainFolder.reload();
    expect(await workspace.engine.call("a")).toMatchObject({ output: "old" });
    await writeFiles(dir, {
      "tools/shout.yaml":
        "name: shout\ndescription: Shouts.\nparameters: [{ name: message, type: string }]\nentry: { type: builtin, handler: echo }\n",
    });
    await workspace.sources.folder.reload();
    expect(await workspace.engine.call("a")).toMatchObject({ output: "new" });
    expect(workspace.problems()).toEqual([]);
  });

  test("a file that was only touched keeps the same tool object", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a") });
    const workspace = await workspaceIn(dir);
    const before = workspace.engine.tools.get("a");
    await writeFiles(dir, { "chains/a.yaml": chain("a") });
    await workspace.chainFolder.reload();
    expect(workspace.engine.tools.get("a")).toBe(before);
  });

  test("happens by itself while the workspace is open", async () => {
    const dir = await folderWith({
      "windlass.yaml": "engine: { reload_interval: 0.02 }\n",
      "chains/a.yaml": chain("a", "old"),
    });
    const workspace = await workspaceIn(dir, { reload: true });
    const updated = new Promise<void>((resolve) => {
      workspace.engine.subscribe(() => resolve(), ["tool_updated"]);
    });
    await writeFiles(dir, { "chains/a.yaml": chain("a", "new") });
    await updated;
    expect(await workspace.engine.call("a")).toMatchObject({ output: "new" });
  });
});

describe("loadChain", () => {
  test("finds a chain by its name, and a file by its path from the workspace", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a"), "elsewhere/b.yaml": chain("b") });
    const workspace = await workspaceIn(dir);
    expect((await workspace.loadChain("a")).name).toBe("a");
    expect((await workspace.loadChain("elsewhere/b.yaml")).name).toBe("b");
    expect((await workspace.loadChain(join(dir, "elsewhere/b.yaml"))).name).toBe("b");
  });

  test("a file may call itself by its own name, and the chains of the workspace", async () => {
    const dir = await folderWith({
      "chains/a.yaml": chain("a", "library"),
      "draft.yaml": [
        "name: a",
        "input: { n: number=2 }",
        "steps:",
        '  - { id: down, tool: a, params: { n: "${input.n - 1}" }, condition: "${input.n > 0}" }',
        'output: "${input.n}"',
      ].join("\n"),
    });
    const workspace = await workspaceIn(dir);
    const plan = await workspace.loadChain("draft.yaml");
    const run = await workspace.runs.start(plan, { input: {} });
    expect(run).toMatchObject({ status: "success", output: 2 });
    expect(plan.steps[0]?.target.chain?.()).toBe(plan);
  });

  test.each([
    ["helo", "tool_not_found", 'there is no chain named "helo"; did you mean "hello"?'],
    ["file-name", "tool_not_found", 'did you mean "hello"?'],
    ["calculator", "tool_not_found", '"calculator" is a tool, not a chain; windlass call calculator calls it'],
    ["chains/none.yaml", "file_invalid", 'there is no file "chains/none.yaml"'],
    ["chains", "tool_not_found", "there is no chain"],
    ["t1", "tool_not_found", 'there is no chain named "t1"; did you mean "t1.yaml"?'],
    ["tools/greet.yaml", "tool_not_found", '"tools/greet.yaml" is a tool, not a chain; windlass call greet calls it'],
    ["tools/greet.ts", "tool_not_found", '"tools/greet.ts" is code, not a chain; chains are YAML files'],
  ])("suggests a correction of %j", async (name, code, message) => {
    const dir = await folderWith({
      "chains/file-name.yaml": chain("hello"),
      "t1.yaml": chain("other"),
      "tools/greet.yaml": "name: greet\ndescription: Greets.\nentry: greet.ts\n",
      "tools/greet.ts": "export default () => 'hello';\n",
    });
    const workspace = await workspaceIn(dir);
    await expect(workspace.loadChain(name)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test("if a tool is missing, files of tools that failed to load are reported, each once", async () => {
    const dir = await folderWith({
      "windlass.yaml": "",
      "chains/a.yaml": chain("a", "x", "mine"),
      "chains/b.yaml": `${chain("b")}extra: 1\n`,
      "draft.yaml": chain("d", "x", "mine"),
      "tools/broken.ts": "export default nothing.at.all;\n",
      "tools/fine.ts": "export const x = 1;\n",
    });
    const workspace = await workspaceIn(dir);
    for (const [name, file] of [
      ["a", "chains/a.yaml"],
      ["draft.yaml", "draft.yaml"],
    ] as const) {
      await expect(workspace.loadChain(name)).rejects.toMatchObject({
        message: expect.stringContaining("nothing is not defined") as string,
        problems: [
          { code: "unknown_tool", file },
          {
            code: "tool_not_loaded",
            severity: "warning",
            file: "tools/broken.ts",
            message: expect.stringMatching(/^this file of tools was not loaded: .*nothing is not defined/) as string,
          },
        ],
      });
    }
    await expect(workspace.loadChain("b")).rejects.toMatchObject({ problems: [{ code: "unknown_key" }] });
  });

  test("a broken file is refused with all its problems", async () => {
    const dir = await folderWith({ "draft.yaml": `${chain("a", "x", "ecko")}extra: 1\n` });
    const workspace = await workspaceIn(dir);
    await expect(workspace.loadChain("draft.yaml")).rejects.toMatchObject({
      code: "chain_invalid",
      problems: [
        { code: "unknown_tool", file: "draft.yaml" },
        { code: "unknown_key", file: "draft.yaml" },
      ],
    });
  });
});

describe("settings of chains", () => {
  test("[B18] have the documented defaults", async () => {
    const { config } = await workspaceIn(await folderWith({}));
    expect(config.chains).toEqual({
      directory: "chains",
      durable: true,
      maxParallel: 5,
      taint: "show",
      trustedTools: [],
      targets: {
        durationMs: 30_000,
        parallelSpeedup: 2,
        recoveryRate: 0.8,
        cpuUtilisation: 0.6,
        memoryUtilisation: 0.6,
      },
    });
    expect(config.env).toEqual([]);
  });

  test("name the folder, and how many steps run at once", async () => {
    const dir = await folderWith({
      "windlass.yaml": "chains: { directory: flows, max_parallel: 2, durable: false }\n",
      "flows/a.yaml": chain("a"),
      "chains/b.yaml": chain("b"),
    });
    const workspace = await workspaceIn(dir);
    expect((await workspace.loadChain("a")).maxParallel).toBe(2);
    expect(workspace.chains.has("b")).toBe(false);
    expect(workspace.config.chains.durable).toBe(false);
  });

  test("a folder outside the workspace, or a missing one, is reported", async () => {
    const outside = await folderWith({ "windlass.yaml": "chains: { directory: ../other }\n" });
    await expect(openWorkspace(outside)).rejects.toMatchObject({ problems: [{ line: 1, code: "bad_value" }] });
    const missing = await folderWith({ "windlass.yaml": "chains: { directory: flow }\n", "flows/a.yaml": chain("a") });
    expect((await workspaceIn(missing)).problems()).toMatchObject([
      { severity: "warning", code: "no_folder", line: 1, column: 22, hint: 'did you mean "flows"?' },
    ]);
  });

  const home = 'name: home\nenv: [HOME]\nsteps:\n  - { id: say, tool: echo, params: { message: "${env.HOME}" } }\n';

  test("[A02] a chain reads the variables that it declares and the workspace allows", async () => {
    const dir = await folderWith({ "windlass.yaml": "env: [HOME, PATH]\n", "chains/home.yaml": home });
    const workspace = await workspaceIn(dir, { env: { HOME: "/home/ada", PATH: "/bin" } });
    const run = await workspace.runs.start(await workspace.loadChain("home"));
    expect(run.output).toEqual({ say: { message: "/home/ada" } });
    expect(await workspace.engine.call("home")).toMatchObject({ output: { say: { message: "/home/ada" } } });
  });

  test("a workspace that allows none rejects a chain that requires one", async () => {
    const workspace = await workspaceIn(await folderWith({ "chains/home.yaml": home }), { env: { HOME: "/home/ada" } });
    await expect(workspace.loadChain("home")).rejects.toMatchObject({
      problems: [{ code: "env_not_allowed", line: 2, column: 7 }],
    });
  });
});

describe("runs of a workspace", () => {
  test("are stored in the database and replayed by the workspace of another process", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a", '"${input.word}"') });
    const first = await workspaceIn(dir, { store: "sqlite" });
    const { runId } = await first.runs.start(await first.loadChain("a"), { input: { word: "kept" } });
    await first.close();
    const second = await workspaceIn(dir, { store: "sqlite" });
    expect(await second.runs.inspect(runId)).toMatchObject({ status: "success", output: "kept" });
    expect(await second.runs.list()).toMatchObject([{ id: runId, kind: "chain", name: "a", status: "success" }]);
  });

  test("live in memory with the memory store", async () => {
    const workspace = await workspaceIn(await folderWith({ "chains/a.yaml": chain("a") }));
    const { runId } = await workspace.runs.start(await workspace.loadChain("a"));
    expect(await workspace.runs.list()).toMatchObject([{ id: runId }]);
    expect((await workspace.engine.queryRecords({})).records).toMatchObject([{ tool: "echo", workflowId: runId }]);
  });

  test("a cached step is not done again by the next process's workspace", async () => {
    const dir = await folderWith({
      "chains/look.yaml":
        'name: look\nsteps:\n  - { id: see, tool: look_up, params: { word: "${input.word}" }, cache: { ttl: 3600 } }\n',
    });
    let looks = 0;
    const lookUp = defineTool({
      name: "look_up",
      description: "Looks a word up.",
      effect: "read",
      input: fromJsonSchema<{ word: string }>({ type: "object", properties: { word: { type: "string" } } }),
      run: ({ word }) => ({ word, look: ++looks }),
    });
    const runOnce = async (): Promise<unknown> => {
      const workspace = await workspaceIn(dir, { store: "sqlite" });
      workspace.engine.tools.register(lookUp);
      const { output } = await workspace.runs.start(await workspace.loadChain("look"), { input: { word: "mill" } });
      await workspace.close();
      return output;
    };
    expect(await runOnce()).toEqual({ see: { word: "mill", look: 1 } });
    expect(await runOnce()).toEqual({ see: { word: "mill", look: 1 } });
  });

  test("nothing is cached, and no cache file is created, unless a setting requires it", async () => {
    const dir = await folderWith({ "chains/a.yaml": chain("a") });
    const workspace = await workspaceIn(dir, { store: "sqlite" });
    await workspace.runs.start(await workspace.loadChain("a"));
    await workspace.close();
    expect(await readdir(join(dir, ".windlass"))).not.toContain("index.db");
  });
});

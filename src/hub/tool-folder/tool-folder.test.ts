import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../base/index.ts";
import { formatProblem } from "../../text/index.ts";
import { type CompositeContext, type ToolContext, ToolRegistry, defineTool } from "../../tool/index.ts";
import { type ToolFolderEvent, type ToolFolder, type ToolFolderOptions, createToolFolder } from "./tool-folder.ts";

const toolIndex = pathToFileURL(join(import.meta.dirname, "..", "..", "tool", "index.ts")).href;
const executors = new ToolRegistry();
executors.register(defineTool({ name: "echo", description: "Gives back", effect: "pure", run: (args) => args }));

let root: string;
let registry: ToolRegistry;
let events: ToolFolderEvent[];
let folder: ToolFolder;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "windlass-folder-"));
  mkdirSync(join(root, "tools"));
  registry = new ToolRegistry();
  events = [];
});

afterEach(async () => {
  await folder.close();
  rmSync(root, { recursive: true, force: true });
});

function open(over: Partial<ToolFolderOptions> = {}): ToolFolder {
  folder = createToolFolder({
    dir: join(root, "tools"),
    root,
    registry,
    executors,
    onEvent: (event) => void events.push(event),
    ...over,
  });
  return folder;
}

function write(name: string, text: string): void {
  const path = join(root, "tools", name);
  mkdirSync(dirname(path), { recursive: true });
  // As editors do: a file is never seen half written.
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

const yaml = (name: string, description = "d"): string =>
  `name: ${name}\ndescription: ${description}\nentry: { type: builtin, handler: echo }\n`;

const code = (...names: string[]): string =>
  `import { defineTool } from ${JSON.stringify(toolIndex)};\n${names
    .map(
      (name, i) =>
        `export const t${i} = defineTool({ name: "${name}", description: "d", run: (): string => "${name}" });`,
    )
    .join("\n")}\n`;

const names = (): string[] => registry.list().map(({ tool }) => tool.name);
const reported = (): string[] =>
  events.map((event) =>
    "tool" in event ? `${event.type} ${event.tool}` : "file" in event ? `${event.type} ${event.file}` : event.type,
  );

/** Waits for a change that the system will report. */
async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(condition()).toBe(true);
}

describe("[B05] [C02] loading", () => {
  test("finds YAML and code in all folders, and nothing else", async () => {
    write("b.yaml", yaml("b"));
    write("deep/er/a.yml", yaml("a"));
    write("code.ts", code("from_ts"));
    write("plain.mjs", code("from_mjs").replace(": string", ""));
    for (const ignored of [
      ".hidden.yaml",
      "_draft.yaml",
      "node_modules/x/t.yaml",
      ".git/t.yaml",
      "_lib/t.yaml",
      "x.test.ts",
      "x.d.ts",
      "notes.md",
    ]) {
      write(ignored, "not: [a tool");
    }
    expect(await open().load()).toEqual({
      added: ["b", "from_ts", "a", "from_mjs"],
      updated: [],
      removed: [],
      errors: 0,
    });
    expect(names()).toEqual(["a", "b", "from_mjs", "from_ts"]);
    expect(registry.resolve("a")).toMatchObject({ source: "tools", priority: 0, owner: join(root, "tools") });
    expect(reported()).toEqual(["tool_loaded b", "tool_loaded from_ts", "tool_loaded a", "tool_loaded from_mjs"]);
    expect(events[2]).toMatchObject({ file: "tools/deep/er/a.yml", source: "tools", at: expect.any(Number) as number });
    expect(folder.problems()).toEqual([]);
  });

  test.each([
    ["greet.yaml", "name: [greet", "greet"],
    ["other.yaml", "name: greet\nentry: { type: builtin, handler: nobody }\nx: [", "greet"],
    ["other.ts", "export const t = defineTool({ name: 'greet', description: 'd', run: () => 1 ", "greet"],
    ["greet.ts", "throw new Error('no')", "greet"],
  ])("the name of a tool stays taken while its file, %s, is broken", async (file, text, name) => {
    const far = defineTool({ name: `far/${name}`, aliases: [name], description: "d", run: () => 1 });
    registry.register(far, { source: "mcps", priority: 2 });
    write(file, text);
    expect(await open().load()).toMatchObject({ errors: 1 });
    expect(registry.has(name)).toBe(false);
    write(file, file.endsWith(".ts") ? code(name) : yaml(name));
    await folder.reload();
    expect(registry.resolve(name)).toMatchObject({ source: "tools" });
    rmSync(join(root, "tools", file));
    await folder.reload();
    expect(registry.get(name)).toBe(far);
  });

  test("tools are found by name, category and tag", async () => {
    write("a.yaml", `${yaml("a")}category: ai\ntags: [x, y]\n`);
    write("b.yaml", `${yaml("b")}tags: [y]\n`);
    await open().load();
    expect(registry.list({ category: "ai" }).map(({ tool }) => tool.name)).toEqual(["a"]);
    expect(registry.list({ tag: "y" }).map(({ tool }) => tool.name)).toEqual(["a", "b"]);
    expect(registry.get("b")?.category).toBe("general");
  });

  test("one bad file does not stop the rest and is reported with its position", async () => {
    write("a.yaml", yaml("a"));
    write("bad.yaml", "name: bad\ndescription: d\nentyr: {}\n");
    write("broken.ts", "export const x = ;\n");
    write("throws.mjs", "\n\nthrow new Error('on purpose');\n");
    write("z.yaml", yaml("z"));
    expect(await open().load()).toMatchObject({ added: ["a", "z"], errors: 3 });
    expect(reported().filter((line) => line.startsWith("load_error"))).toEqual([
      "load_error tools/bad.yaml",
      "load_error tools/broken.ts",
      "load_error tools/throws.mjs",
    ]);
    const shown = folder.problems().map((problem) => formatProblem(problem, folder.sourceOf(problem.file)));
    expect(shown.join("\n")).toContain('tools/bad.yaml:3:1: error: unknown key "entyr"');
    expect(shown.join("\n")).toContain('did you mean "entry"?');
    expect(shown.join("\n")).toMatch(/tools\/throws\.mjs:3:7: error: the module failed to load: on purpose/);
    expect(shown.join("\n")).toMatch(/tools\/broken\.ts:1/);
  });

  test("a file that needs a missing package reports how to install it", async () => {
    write("lacks.ts", 'import { z } from "not-installed";\nexport const schema = z.string();\n');
    await open().load();
    expect(folder.problems()).toMatchObject([
      { code: "module_failed", line: 1, hint: "npm install not-installed in the workspace" },
    ]);
  });

  test("a folder that does not exist is empty", async () => {
    rmSync(join(root, "tools"), { recursive: true });
    expect(await open().load()).toEqual({ added: [], updated: [], removed: [], errors: 0 });
  });

  test("two files with one name: the first keeps it, both are named", async () => {
    write("a.yaml", yaml("same", "first"));
    write("b.yaml", yaml("same", "second"));
    await open().load();
    expect(registry.get("same")?.description).toBe("first");
    expect(folder.problems()).toMatchObject([
      {
        file: "tools/b.yaml",
        code: "duplicate_tool",
        line: 1,
        column: 7,
        message: 'the tool "same" is already defined in tools/a.yaml',
      },
    ]);
    rmSync(join(root, "tools", "a.yaml"));
    expect(await folder.reload()).toMatchObject({ updated: ["same"], errors: 0 });
    expect(registry.get("same")?.description).toBe("second");
  });

  test("a module may export lists, groups and the same tool twice", async () => {
    write(
      "group.ts",
      `${code("one", "two")}export const list = [t0, t1, "no tool"];\nexport const group = { name: "g", tools: [defineTool({ name: "three", description: "d", run: () => 3 })] };\nexport const helper = () => 1;\nexport default t0;\n`,
    );
    await open().load();
    expect(names()).toEqual(["one", "three", "two"]);
    expect(folder.problems()).toEqual([]);
  });

  test("a module with two tools of one name is refused", async () => {
    write("twice.ts", code("t", "t"));
    await open().load();
    expect(folder.problems()).toMatchObject([{ code: "duplicate_tool" }]);
  });

  test("a tool whose executor is missing is listed and reported", async () => {
    write("a.yaml", yaml("a").replace("handler: echo", "handler: ecko"));
    expect(await open().load()).toMatchObject({ added: ["a"], errors: 1 });
    expect(registry.get("a")?.broken?.code).toBe("executor_not_found");
  });

  test("files that are not UTF-8, huge, or linked from other folders are reported", async () => {
    writeFileSync(join(root, "tools", "bytes.yaml"), Buffer.from([0x6e, 0xff, 0xfe]));
    write("huge.yaml", `#${"x".repeat(70_000)}`);
    writeFileSync(join(tmpdir(), `outside-${process.pid}.yaml`), yaml("outside"));
    symlinkSync(join(tmpdir(), `outside-${process.pid}.yaml`), join(root, "tools", "link.yaml"));
    await open().load();
    rmSync(join(tmpdir(), `outside-${process.pid}.yaml`));
    expect(folder.problems().map(({ file, code: reason }) => `${file} ${reason}`)).toEqual([
      "tools/bytes.yaml not_utf8",
      "tools/huge.yaml too_large",
      "tools/link.yaml outside_workspace",
    ]);
    expect(names()).toEqual([]);
  });

  test("a module that never settles is abandoned", async () => {
    write("forever.mjs", "await new Promise(() => {});\n");
    write("a.yaml", yaml("a"));
    const hasty: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / 100, task) };
    expect(await open({ clock: hasty }).load()).toMatchObject({ added: ["a"], errors: 1 });
    expect(folder.problems()).toMatchObject([
      { file: "tools/forever.mjs", message: expect.stringContaining("within 10 s") as string },
    ]);
  });

  test("a listener that throws affects no other", async () => {
    write("a.yaml", yaml("a"));
    await open({
      onEvent: () => {
        throw new Error("listener");
      },
    }).load();
    expect(names()).toEqual(["a"]);
  });
});

describe("[B17] reload on demand", () => {
  test("adds, updates and removes, and emits each change", async () => {
    write("a.yaml", yaml("a"));
    write("b.yaml", yaml("b"));
    write("c.yaml", yaml("c"));
    await open().load();
    const stored = registry.get("a");
    events.length = 0;
    write("b.yaml", yaml("b", "new"));
    rmSync(join(root, "tools", "c.yaml"));
    write("d.yaml", yaml("d"));
    expect(await folder.reload()).toEqual({ added: ["d"], updated: ["b"], removed: ["c"], errors: 0 });
    expect(reported()).toEqual([
      "reload_started",
      "tool_added d",
      "tool_updated b",
      "tool_removed c",
      "reload_completed",
    ]);
    expect(events.at(-1)).toMatchObject({ source: "tools", added: ["d"], updated: ["b"], removed: ["c"], errors: 0 });
    expect(registry.get("a")).toBe(stored);
    expect(registry.get("b")?.description).toBe("new");
  });

  test("a file that was only touched keeps the same tool object", async () => {
    write("a.yaml", yaml("a"));
    write("m.ts", code("m"));
    await open().load();
    const [a, m] = [registry.get("a"), registry.get("m")];
    utimesSync(join(root, "tools", "a.yaml"), new Date(), new Date());
    write("m.ts", code("m"));
    expect(await folder.reload()).toEqual({ added: [], updated: [], removed: [], errors: 0 });
    expect(registry.get("a")).toBe(a);
    expect(registry.get("m")).toBe(m);
  });

  test("a broken edit keeps the old tool and reports its line; the next valid save is loaded", async () => {
    write("a.yaml", yaml("a"));
    write("m.ts", code("m"));
    await open().load();
    const [a, m] = [registry.get("a"), registry.get("m")];
    events.length = 0;
    write("a.yaml", "name: a\ndescription: [\n");
    write("m.ts", `${code("m")}\nthrow new Error("no");\n`);
    expect(await folder.reload()).toEqual({ added: [], updated: [], removed: [], errors: 2 });
    expect(registry.get("a")).toBe(a);
    expect(registry.get("m")).toBe(m);
    expect(folder.problems()).toMatchObject([
      { file: "tools/a.yaml", code: "yaml_syntax", line: 2 },
      { file: "tools/m.ts", code: "module_failed", line: 4 },
    ]);
    expect(reported()).toEqual([
      "reload_started",
      "load_error tools/a.yaml",
      "load_error tools/m.ts",
      "reload_completed",
    ]);

    events.length = 0;
    await folder.reload();
    expect(reported()).toEqual(["reload_started", "reload_completed"]);

    write("a.yaml", yaml("a", "mended"));
    write("m.ts", code("m"));
    expect(await folder.reload()).toMatchObject({ updated: ["a"], errors: 0 });
    expect(registry.get("a")?.description).toBe("mended");
    // A text that was loaded before gives the same module object.
    expect(registry.get("m")).toBe(m);
  });

  test("a file whose entry names an unknown handler keeps the old tool too", async () => {
    write("a.yaml", yaml("a"));
    await open().load();
    const a = registry.get("a");
    write("a.yaml", yaml("a").replace("handler: echo", "handler: gone"));
    expect(await folder.reload()).toMatchObject({ errors: 1 });
    expect(registry.get("a")).toBe(a);
  });

  test("code is reloaded", async () => {
    write("m.ts", code("m"));
    await open().load();
    write("m.ts", code("m").replace('=> "m"', '=> "changed"'));
    await folder.reload();
    expect(registry.get("m")?.run({}, {} as ToolContext & CompositeContext)).toBe("changed");
  });

  test("a YAML tool follows the module that it names", async () => {
    write("a.yaml", "name: a\ndescription: d\nentry: { type: custom, module: ../lib.mjs }\n");
    writeFileSync(join(root, "lib.mjs"), "export default () => 1;");
    await open().load();
    writeFileSync(join(root, "lib.mjs"), "export default () => 2;");
    expect(await folder.reload()).toMatchObject({ updated: ["a"] });
    expect(registry.get("a")?.run({}, {} as ToolContext & CompositeContext)).toBe(2);
  });

  test("a module that failed because another was missing is retried", async () => {
    write("m.mjs", 'import { x } from "../dep.mjs"; export const y = x;');
    await open().load();
    expect(folder.problems()).toMatchObject([{ code: "module_failed" }]);
    writeFileSync(join(root, "dep.mjs"), `${code("later").replace(": string", "")}export const x = t0;\n`);
    expect(await folder.reload()).toMatchObject({ added: ["later"], errors: 0 });
  });

  test("the registry changes in one step", async () => {
    for (let i = 0; i < 20; i++) write(`t${i}.yaml`, yaml(`t${i}`));
    await open().load();
    const { version } = registry;
    for (let i = 0; i < 20; i++) write(`t${i}.yaml`, yaml(`t${i}`, "new"));
    const reloading = folder.reload();
    const seen = new Set<number>();
    const watcher = setInterval(() => seen.add(registry.version), 0);
    await reloading;
    clearInterval(watcher);
    expect(registry.version).toBe(version + 1);
    expect([...seen].every((number) => number === version || number === version + 1)).toBe(true);
  });

  test("calls that overlap share the run after the one under way", async () => {
    write("a.yaml", yaml("a"));
    await open().load();
    events.length = 0;
    const first = folder.reload();
    write("b.yaml", yaml("b"));
    const others = [folder.reload(), folder.reload(), folder.reload()];
    await Promise.all([first, ...others]);
    expect(names()).toEqual(["a", "b"]);
    expect(reported().filter((line) => line === "reload_started")).toHaveLength(2);
  });

  test("tools of other owners are unchanged", async () => {
    registry.register(defineTool({ name: "a", description: "built in", run: () => 1 }), { owner: "builtin" });
    write("a.yaml", yaml("a", "mine"));
    await open().load();
    expect(registry.get("a")?.description).toBe("mine");
    rmSync(join(root, "tools", "a.yaml"));
    await folder.reload();
    expect(registry.get("a")?.description).toBe("built in");
  });
});

describe("[B17] automatic reload", () => {
  test("by interval: changes are picked up, checks without a change emit nothing", async () => {
    write("a.yaml", yaml("a"));
    await open({ mode: { autoReload: true, intervalMs: 10 } }).load();
    events.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(events).toEqual([]);
    write("a.yaml", "name: [");
    await until(() => reported().includes("load_error tools/a.yaml"));
    expect(names()).toEqual(["a"]);
    write("a.yaml", yaml("a", "mended"));
    await until(() => registry.get("a")?.description === "mended");
    rmSync(join(root, "tools", "a.yaml"));
    await until(() => names().length === 0);
  });

  test("by watching: changes, new folders and removals are picked up", async () => {
    write("a.yaml", yaml("a"));
    await open({ mode: { watch: true } }).load();
    write("a.yaml", "name: [");
    await until(() => reported().includes("load_error tools/a.yaml"));
    expect(names()).toEqual(["a"]);
    write("a.yaml", yaml("a", "mended"));
    await until(() => registry.get("a")?.description === "mended");
    write("sub/b.yaml", yaml("b"));
    await until(() => names().includes("b"));
    for (let i = 0; i < 3; i++) {
      write("sub/b.yaml", yaml("b", `round ${i}`));
      await until(() => registry.get("b")?.description === `round ${i}`);
    }
    rmSync(join(root, "tools", "sub"), { recursive: true });
    await until(() => !names().includes("b"));
  });

  test("by watching: a folder that is created later, and modules outside of it", async () => {
    rmSync(join(root, "tools"), { recursive: true });
    writeFileSync(join(root, "lib.mjs"), "export default () => 1;");
    await open({ mode: { watch: true } }).load();
    write("a.yaml", "name: a\ndescription: d\nentry: { type: custom, module: ../lib.mjs }\n");
    await until(() => names().includes("a"));
    const first = registry.get("a");
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(join(root, "lib.mjs"), "export default () => 2;");
    await until(() => registry.get("a") !== first);
    expect(registry.get("a")?.run({}, {} as ToolContext & CompositeContext)).toBe(2);
  });

  test("a closed folder looks no more", async () => {
    write("a.yaml", yaml("a"));
    await open({ mode: { autoReload: true, intervalMs: 5, watch: true } }).load();
    await folder.close();
    events.length = 0;
    write("b.yaml", yaml("b"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(events).toEqual([]);
    expect(names()).toEqual(["a"]);
  });

  test("neither timers nor watchers keep a process alive", async () => {
    write("a.yaml", yaml("a"));
    const hub = pathToFileURL(join(import.meta.dirname, "..", "index.ts")).href;
    const script = `const { createToolFolder } = await import(${JSON.stringify(hub)});
const { ToolRegistry } = await import(${JSON.stringify(toolIndex)});
const registry = new ToolRegistry();
const folder = createToolFolder({ dir: ${JSON.stringify(join(root, "tools"))}, registry, mode: { autoReload: true, intervalMs: 50, watch: true } });
await folder.load();
console.log(registry.size);`;
    await open().load();
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 15_000,
    });
    expect(stdout.trim()).toBe("1");
  });
});

describe("links", () => {
  test("a linked folder is reported, also if the link is added later or removed", async () => {
    mkdirSync(join(root, "more"));
    await open({ mode: { autoReload: true, intervalMs: 5 } }).load();
    expect(folder.problems()).toEqual([]);
    symlinkSync(join(root, "more"), join(root, "tools", "more"));
    symlinkSync(join(root, "more"), join(root, "tools", "_draft"));
    await until(() => folder.problems().length === 1);
    expect(folder.problems()).toMatchObject([{ severity: "warning", code: "linked_folder", file: "tools/more" }]);
    rmSync(join(root, "tools", "more"));
    await until(() => folder.problems().length === 0);
  });

  test("nothing is loaded from a folder that leads out of the workspace", async () => {
    write("a.yaml", yaml("a"));
    mkdirSync(join(root, "workspace"));
    symlinkSync(join(root, "tools"), join(root, "workspace", "tools"));
    await open({ dir: join(root, "workspace", "tools"), root: join(root, "workspace") }).load();
    expect(names()).toEqual([]);
    expect(folder.problems()).toMatchObject([{ severity: "error", code: "outside_workspace", file: "tools" }]);
  });

  test("a workspace that is itself reached by a link has its tools", async () => {
    write("a.yaml", yaml("a"));
    symlinkSync(root, join(root, "link"));
    await open({ dir: join(root, "link", "tools"), root: join(root, "link") }).load();
    expect(names()).toEqual(["a"]);
  });
});

test("tools keep resolving while their file is edited into nonsense and back, thousands of times over", async () => {
  write("a.yaml", yaml("a"));
  await open({ mode: { autoReload: true, intervalMs: 1 } }).load();
  let calls = 0;
  for (let round = 0; round < 30; round++) {
    write("a.yaml", round % 2 === 0 ? `name: a\nentry: {{${round}\n` : yaml("a", `round ${round}`));
    for (let i = 0; i < 20; i++) {
      const tool = registry.get("a");
      expect(tool?.broken).toBeUndefined();
      expect(tool?.run({ n: calls }, {} as ToolContext & CompositeContext)).toEqual({ n: calls });
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await until(() => registry.get("a")?.description === "round 29");
});

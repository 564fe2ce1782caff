import { describe, expect, test } from "vitest";
import { failure } from "../base/index.ts";
import { createEngine } from "../engine/index.ts";
import { defineTool } from "./define-tool.ts";
import { ToolRegistry } from "./registry.ts";
import type { AnyTool } from "./tool.ts";

function tool(
  name: string,
  more: { description?: string; category?: string; tags?: string[]; aliases?: string[] } = {},
) {
  return defineTool({ description: `The tool ${name}`, ...more, name, effect: "pure", run: () => ({ from: name }) });
}

const names = (registry: ToolRegistry): string[] => registry.list().map(({ tool: { name } }) => name);

describe("[D03] the registry", () => {
  test("registers, gets, lists, and its tools execute through the engine", async () => {
    const registry = new ToolRegistry();
    registry.register(tool("b"));
    registry.register(tool("a"));
    expect(names(registry)).toEqual(["a", "b"]);
    expect(registry.get("a")?.name).toBe("a");
    expect(registry.get("c")).toBeUndefined();
    expect(await createEngine({ registry }).call("b", {})).toMatchObject({ success: true, output: { from: "b" } });
  });

  test("[B05] finds tools by category and by tag", () => {
    const registry = new ToolRegistry();
    registry.register(tool("get", { category: "http", tags: ["net"] }));
    registry.register(tool("post", { category: "http", tags: ["net", "write"] }));
    registry.register(tool("sum", { category: "data" }));
    expect(registry.list({ category: "http" }).map((entry) => entry.tool.name)).toEqual(["get", "post"]);
    expect(registry.list({ tag: "write" }).map((entry) => entry.tool.name)).toEqual(["post"]);
    expect(registry.list({ category: "http", tag: "nothing" })).toEqual([]);
  });

  test("replaces a tool of the same name and owner", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a", { description: "one" }));
    registry.register(tool("a", { description: "two" }));
    expect(registry.size).toBe(1);
    expect(registry.get("a")?.description).toBe("two");
  });

  test("within a source the last owner wins, and the previous one returns when it is removed", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a", { description: "built in" }), { owner: "builtin" });
    registry.register(tool("a", { description: "mine" }), { owner: "folder" });
    expect(registry.get("a")?.description).toBe("mine");
    expect(registry.candidates("a")).toHaveLength(2);
    expect(registry.remove("a", { owner: "folder" })).toBe(true);
    expect(registry.get("a")?.description).toBe("built in");
    expect(registry.remove("a", { owner: "folder" })).toBe(false);
  });

  test("across sources the lower priority number wins, regardless of the order of registration", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a", { description: "server" }), { source: "mcps", priority: 2 });
    registry.register(tool("a", { description: "local" }), { source: "tools", priority: 0 });
    registry.register(tool("a", { description: "skill" }), { source: "skills", priority: 1 });
    expect(registry.candidates("a").map(({ source }) => source)).toEqual(["tools", "skills", "mcps"]);
  });

  test("an alias resolves to its tool, is not listed, and yields to a tool of that name", () => {
    const registry = new ToolRegistry();
    registry.register(tool("web_search", { aliases: ["webSearch"] }));
    expect(registry.get("webSearch")?.name).toBe("web_search");
    expect(names(registry)).toEqual(["web_search"]);
    expect(registry.names()).toContain("webSearch");
    registry.register(tool("webSearch"));
    expect(registry.get("webSearch")?.name).toBe("webSearch");
    registry.remove("webSearch");
    expect(registry.get("webSearch")?.name).toBe("web_search");
    registry.remove("web_search");
    expect(registry.has("webSearch")).toBe(false);
  });

  test("replaces all tools of an owner atomically and reports the changes", () => {
    const registry = new ToolRegistry();
    const [a, b, c] = [tool("a"), tool("b"), tool("c")];
    expect(registry.replace([a, b], { owner: "folder" })).toEqual({ added: ["a", "b"], updated: [], removed: [] });
    const before = registry.version;
    const change = registry.replace([tool("a"), b, c], { owner: "folder" });
    expect(change).toEqual({ added: ["c"], updated: ["a"], removed: [] });
    expect(registry.version).toBe(before + 1);
    expect(registry.replace([], { owner: "folder" }).removed.toSorted()).toEqual(["a", "b", "c"]);
    expect(registry.size).toBe(0);
  });

  test("accepts only tools", () => {
    const registry = new ToolRegistry();
    expect(() => registry.register({ name: "x" } as unknown as AnyTool)).toThrow(/defineTool/);
  });
});

describe("lazily registered tools", () => {
  /** A registry with one tool that has an alias, and more that are registered on demand. */
  function withLater(): { registry: ToolRegistry; times: () => number } {
    const registry = new ToolRegistry();
    registry.register(defineTool({ name: "now", aliases: ["soon"], description: "Now", run: () => 1 }));
    let times = 0;
    registry.registerLazily(() => {
      times++;
      registry.replace([tool("chain"), tool("soon"), tool("now")], { source: "chains", priority: 3 });
    });
    return { registry, times: () => times };
  }

  test("are not registered yet if the requested tool has a higher precedence anyway", () => {
    const { registry, times } = withLater();
    expect(registry.resolve("now")?.source).toBe("tools");
    expect(registry.present.resolve("chain")).toBeUndefined();
    expect(registry.present.names()).toEqual(["now", "soon"]);
    expect(registry.present.version).toBe(registry.version);
    expect(times()).toBe(0);
  });

  test.each<[string, (registry: ToolRegistry) => unknown, unknown]>([
    ["a name of theirs", (registry) => registry.resolve("chain")?.tool.name, "chain"],
    ["a name that is only an alias without them", (registry) => registry.resolve("soon")?.source, "chains"],
    ["whether there is such a tool", (registry) => registry.has("chain"), true],
    ["all candidates", (registry) => registry.candidates("now").map(({ source }) => source), ["tools", "chains"]],
    ["the list", (registry) => names(registry), ["chain", "now", "soon"]],
    ["all names", (registry) => registry.names().includes("chain"), true],
    ["how many there are", (registry) => registry.size, 3],
  ])("are registered, once, when %s is requested", (_, read, answer) => {
    const { registry, times } = withLater();
    expect(read(registry)).toEqual(answer);
    expect(read(registry)).toEqual(answer);
    registry.resolve("nobody");
    expect(times()).toBe(1);
  });

  test("may read the registry while they are registered", () => {
    const registry = new ToolRegistry();
    registry.registerLazily(() => {
      if (!registry.has("chain")) registry.register(tool("chain"), { source: "chains", priority: 3 });
    });
    expect(names(registry)).toEqual(["chain"]);
  });
});

describe("the tools registered so far", () => {
  test("returns the origin of a tool, for any candidate of its name", () => {
    const registry = new ToolRegistry();
    const [mine, theirs] = [tool("work"), tool("work")];
    registry.register(mine);
    registry.register(theirs, { source: "mcps", owner: "server", priority: 2 });
    expect(registry.registrationOf(theirs)).toMatchObject({ source: "mcps", owner: "server" });
    expect(registry.registrationOf(mine)).toMatchObject({ source: "tools" });
    expect(registry.registrationOf(tool("work"))).toBeUndefined();
  });

  test("can be listed without creating a tool, and without lazily registered ones", () => {
    const registry = new ToolRegistry();
    let made = 0;
    registry.offer([{ name: "work", aliases: ["job"], make: () => (made++, tool("work")) }]);
    registry.registerLazily(() => registry.register(tool("chain"), { source: "chains", priority: 3 }));
    const { present } = registry;
    expect([...present.entries()].map(([name, all]) => [name, all.length])).toEqual([["work", 1]]);
    expect([present.candidates("job").length, present.candidates("chain").length, made]).toEqual([1, 0, 0]);
  });
});

describe("[D05] a tool is a function and a definition", () => {
  test("a group of tools is registered with one call", async () => {
    const data = [
      defineTool({ name: "double", description: "Doubles", run: () => 2 }),
      defineTool({ name: "triple", description: "Triples", run: () => 3 }),
    ];
    const engine = createEngine({ tools: data });
    expect(names(engine.tools)).toEqual(["double", "triple"]);
    expect(await engine.call("triple", {})).toMatchObject({ success: true, output: 3 });
  });

  test("the same function is added to a running engine with one call", async () => {
    const engine = createEngine();
    expect(await engine.call("late", {})).toMatchObject({ error: { code: "tool_not_found" } });
    engine.tools.register(tool("late"));
    expect(await engine.call("late", {})).toMatchObject({ success: true });
  });
});

describe("reserved names", () => {
  const tool = defineTool({ name: "far/work", description: "d", aliases: ["work"], run: () => 1 });

  test("resolve to no alias, only to a tool of that name", () => {
    const registry = new ToolRegistry();
    registry.register(tool, { source: "mcps", priority: 2 });
    expect(registry.get("work")).toBe(tool);
    registry.replace([], { owner: "tools" }, ["work"]);
    expect(registry.isReserved("work")).toBe(true);
    expect(registry.has("work")).toBe(false);
    expect(registry.names()).toEqual(["far/work"]);
    const own = defineTool({ name: "work", description: "d", run: () => 1 });
    registry.register(own);
    expect(registry.get("work")).toBe(own);
  });

  test("are replaced per owner", () => {
    const registry = new ToolRegistry();
    registry.replace([], { owner: "one" }, ["a", "b"]);
    registry.replace([], { owner: "two" }, ["b"]);
    registry.replace([], { owner: "one" }, ["c"]);
    expect(["a", "b", "c"].map((name) => registry.isReserved(name))).toEqual([false, true, true]);
  });
});

test("a tool that is only called by reference has an origin, and is not listed", () => {
  const registry = new ToolRegistry();
  const tool = defineTool({ name: "far/work", description: "d", run: () => 1 });
  expect(registry.registrationOf(tool)).toBeUndefined();
  expect(registry.setOrigin(tool, { source: "mcps", owner: "far", priority: 2 })).toBe(tool);
  expect(registry.registrationOf(tool)).toEqual({ tool, source: "mcps", owner: "far", priority: 2 });
  expect([registry.size, registry.has("far/work")]).toEqual([0, false]);
});

describe("a tool that a caller still holds", () => {
  const origin = { source: "mcps", owner: "far", priority: 2 };
  const named = () => defineTool({ name: "far/work", description: "d", run: () => 1 });

  test("keeps its source when it is replaced, no matter how it was registered", () => {
    const registry = new ToolRegistry();
    const [first, second, third] = [named(), named(), named()];
    registry.register(first, origin);
    registry.offer([{ name: "far/work", aliases: [], make: () => second }], origin);
    expect(registry.get("far/work")).toBe(second);
    registry.replace([third], origin);
    for (const tool of [first, second]) expect(registry.registrationOf(tool)).toEqual({ tool, ...origin });
    expect(registry.registrationOf(third)?.tool).toBe(third);
  });

  test("can no longer be called if it was removed, or its replacement is broken", () => {
    const registry = new ToolRegistry();
    const tool = named();
    registry.register(tool, origin);
    registry.remove("far/work", origin);
    expect(registry.registrationOf(tool)).toMatchObject({
      ...origin,
      tool: { name: "far/work", broken: { code: "not_available", retry: "never" } },
    });
    const broken = failure("not_available", "it changed; approve it");
    registry.register(Object.freeze({ ...tool, broken }), origin);
    expect(registry.registrationOf(tool)).toMatchObject({ source: "mcps", tool: { broken } });
    registry.register(tool, origin);
    expect(registry.registrationOf(tool)?.tool).toBe(tool);
  });

  test("can no longer be called if another owner has the name now", () => {
    const registry = new ToolRegistry();
    const tool = named();
    registry.register(tool, origin);
    registry.remove("far/work", origin);
    registry.register(named(), { source: "mcps", owner: "other", priority: 2 });
    expect(registry.registrationOf(tool)?.tool.broken?.code).toBe("not_available");
  });
});

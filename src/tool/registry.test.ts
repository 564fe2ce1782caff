import { describe, expect, test } from "vitest";
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

  test("within a source the last owner wins, and the one beneath returns", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a", { description: "built in" }), { owner: "builtin" });
    registry.register(tool("a", { description: "mine" }), { owner: "folder" });
    expect(registry.get("a")?.description).toBe("mine");
    expect(registry.candidates("a")).toHaveLength(2);
    expect(registry.remove("a", { owner: "folder" })).toBe(true);
    expect(registry.get("a")?.description).toBe("built in");
    expect(registry.remove("a", { owner: "folder" })).toBe(false);
  });

  test("across sources the lower priority wins, whoever came first", () => {
    const registry = new ToolRegistry();
    registry.register(tool("a", { description: "server" }), { source: "mcps", priority: 2 });
    registry.register(tool("a", { description: "local" }), { source: "tools", priority: 0 });
    registry.register(tool("a", { description: "skill" }), { source: "skills", priority: 1 });
    expect(registry.candidates("a").map(({ source }) => source)).toEqual(["tools", "skills", "mcps"]);
  });

  test("an alias leads to its tool, is not listed, and gives way to a tool of that name", () => {
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

  test("replaces everything of an owner in one step and says what changed", () => {
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

  test("takes nothing but tools", () => {
    const registry = new ToolRegistry();
    expect(() => registry.register({ name: "x" } as unknown as AnyTool)).toThrow(/defineTool/);
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

  test("the same function goes into a running engine with one call", async () => {
    const engine = createEngine();
    expect(await engine.call("late", {})).toMatchObject({ error: { code: "tool_not_found" } });
    engine.tools.register(tool("late"));
    expect(await engine.call("late", {})).toMatchObject({ success: true });
  });
});

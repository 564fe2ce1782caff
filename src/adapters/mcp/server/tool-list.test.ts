import { expect, test } from "vitest";
import { sampleTool } from "../../../../test/support/sample-tool.ts";
import { fromJsonSchema } from "../../../schema/index.ts";
import { type AnyTool, ToolRegistry } from "../../../tool/index.ts";
import { ServedToolList } from "./tool-list.ts";

function setup(count: number, nameOf = (n: number) => `tool_${String(n).padStart(4, "0")}`) {
  const registry = new ToolRegistry();
  for (let n = 0; n < count; n++) registry.register(sampleTool(() => n, { name: nameOf(n) }));
  const logged: string[] = [];
  const list = new ServedToolList({
    tools: () => registry.list(),
    isOffered: ({ tool }) => tool.status === "active",
    version: () => registry.version,
    log: (message) => logged.push(message),
  });
  const names = (cursor?: string) => list.page(cursor)?.tools.map(({ name }) => name) ?? [];
  return { registry, list, names, logged };
}

const all = (list: ServedToolList): string[] => {
  const found: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = list.page(cursor);
    found.push(...(page?.tools.map(({ name }) => name) ?? []));
    cursor = page?.nextCursor;
  }
  return found;
};

test("a thousand tools are listed in pages of a hundred, each once, in a stable order", () => {
  const { list, registry, names } = setup(1000);
  expect(names().length).toBe(100);
  expect(all(list)).toEqual(registry.list().map(({ tool }) => tool.name));
  expect(all(list)).toEqual(all(list));
  expect(setup(100).list.page()).not.toHaveProperty("nextCursor");
  expect(setup(0).list.page()).toEqual({ tools: [] });
});

test("a cursor holds while tools come and go, the one it names among them", () => {
  const { list, registry, names } = setup(300);
  const cursor = list.page()?.nextCursor;
  expect(names(cursor)[0]).toBe("tool_0100");
  registry.remove("tool_0099");
  registry.remove("tool_0100");
  registry.register(sampleTool(() => 0, { name: "another" }));
  expect(names(cursor)[0]).toBe("tool_0101");
  for (let n = 0; n < 300; n++) registry.remove(`tool_${String(n).padStart(4, "0")}`);
  expect(list.page(cursor)).toEqual({ tools: [] });
});

test.each(["", "x", "====", "dG9vbA==", "\u{1f600}", "a".repeat(5000)])("the cursor %j is invalid", (cursor) => {
  expect(setup(3).list.page(cursor)).toBeUndefined();
});

test("names that clients cannot send are translated, there and back, with their parameters", () => {
  const registry = new ToolRegistry();
  const input = fromJsonSchema({ type: "object", properties: { 路径: { type: "string" } } });
  registry.register(sampleTool(() => 0, { name: "网页/搜索", input }));
  const list = new ServedToolList({
    tools: () => registry.list(),
    isOffered: () => true,
    version: () => 0,
    log: () => {},
  });
  const [wire] = list.page()?.tools ?? [];
  expect(wire?.name).toMatch(/^[\w-]{1,64}$/);
  const found = list.find(wire?.name ?? "");
  expect(found?.name).toBe("网页/搜索");
  const [key = ""] = Object.keys(wire?.inputSchema["properties"] ?? {});
  expect(found?.argumentsOf({ [key]: "x" })).toEqual({ 路径: "x" });
  // Also by its own name, which the client may know from elsewhere.
  expect(list.find("网页/搜索")).toBe(found);
  expect(list.wireNameOf("网页/搜索")).toBe(wire?.name);
});

test("a change is one where something that clients see is another", () => {
  const { list, registry } = setup(3);
  expect(list.hasChanged()).toBe(true);
  expect(list.hasChanged()).toBe(false);
  registry.register(sampleTool(() => 1, { name: "tool_0001" }));
  expect(list.hasChanged()).toBe(false);
  registry.register(sampleTool(() => 1, { name: "tool_0001", description: "Another." }));
  expect(list.hasChanged()).toBe(true);
  registry.register(sampleTool(() => 1, { name: "hidden", status: "disabled" }));
  expect(list.hasChanged()).toBe(false);
});

test("a tool that cannot be described does not hide others", () => {
  const { list, registry, names, logged } = setup(2);
  const broken = {
    ...sampleTool(() => 0, { name: "broken" }),
    get input(): never {
      throw new Error("no schema");
    },
  };
  registry.register(broken as AnyTool);
  expect(names()).toEqual(["tool_0000", "tool_0001"]);
  expect(list.find("broken")).toBeUndefined();
  expect(logged[0]).toContain("broken is not listed: Error: no schema");
});

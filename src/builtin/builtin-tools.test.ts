import { describe, expect, test } from "vitest";
import { createEngine } from "../engine/index.ts";
import { createHttpClient } from "../net/index.ts";
import { type ToolContext, ToolRegistry } from "../tool/index.ts";
import { builtinTools, calculatorTool, echoTool } from "./index.ts";

// These tools do not use their context.
const context = {} as ToolContext & { callTool: never };

test("[B07] every built-in tool registers under its name, with a description for each parameter", () => {
  const registry = new ToolRegistry();
  const tools = builtinTools({ http: createHttpClient() });
  for (const tool of tools) registry.register(tool, { owner: "builtin" });
  const names = registry.list().map(({ tool }) => tool.name);
  expect(names.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  expect(names).toEqual(expect.arrayContaining(["calculator", "echo", "http_request"]));
  for (const { tool } of registry.list()) {
    const properties = Object.values(tool.input.json["properties"] as Record<string, { description?: string }>);
    expect(properties.every(({ description = "" }) => description !== "")).toBe(true);
    expect(tool.description).not.toBe("");
  }
});

describe("with only an HTTP client, no folder is accessible", () => {
  test.each([
    ["indexVault", {}],
    ["localSearch", { query: "rope" }],
    ["read_note", { note: "README.md" }],
    ["getFileTree", {}],
  ])("%s fails", async (name, args) => {
    const engine = createEngine({ tools: builtinTools({ http: createHttpClient() }) });
    expect(await engine.call(name, args)).toMatchObject({
      success: false,
      error: { code: "not_available", reason: "no_vault", message: expect.stringContaining("vault") as string },
    });
    await engine.close();
  });

  test.each([
    ["read_file", { path: "package.json" }],
    ["list_dir", {}],
    ["search_files", { query: "windlass" }],
    ["write_file", { path: "x.txt", content: "x" }],
    ["edit_file", { path: "package.json", edits: [{ old_text: "windlass", new_text: "x" }] }],
  ])("%s fails", async (name, args) => {
    const engine = createEngine({ tools: builtinTools({ http: createHttpClient() }) });
    expect(await engine.call(name, args)).toMatchObject({ success: false });
    await engine.close();
  });
});

describe("echo", () => {
  test.each([["hello"], ["你好"], [42], [null], [{ a: [1, { b: "c" }] }], [""]])("gives back %j", (message) => {
    expect(echoTool.input.validate({ message })).toEqual({ value: { message } });
    expect(echoTool.run({ message }, context)).toEqual({ message });
  });

  test("needs a message", () => {
    expect(echoTool.input.validate({})).toHaveProperty("issues");
    expect(echoTool.effect).toBe("pure");
    expect(echoTool.destructive).toBe(false);
  });
});

describe("calculator", () => {
  test("returns the result and the expression", () => {
    expect(calculatorTool.run({ expression: "2*(3+4)" }, context)).toEqual({ result: 14, expression: "2*(3+4)" });
    expect(calculatorTool.run({ expression: "x^2", variables: { x: 1.5 } }, context)).toMatchObject({ result: 2.25 });
    expect(calculatorTool.effect).toBe("pure");
  });

  test.each([
    [{}],
    [{ expresion: "1" }],
    [{ expression: 1 }],
    [{ expression: "x", variables: { x: "1" } }],
    [{ expression: "1", mode: "fast" }],
  ])("refuses %j", (args) => {
    expect(calculatorTool.input.validate(args)).toHaveProperty("issues");
  });

  test("throws a failure that the engine converts to a result", () => {
    expect(() => calculatorTool.run({ expression: "1/0" }, context)).toThrow(
      expect.objectContaining({ code: "execution_error", reason: "div_zero" }),
    );
  });
});

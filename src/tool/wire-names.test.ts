import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { type WireProvider, fitToolName } from "./wire-name-rules.ts";
import { createWireNames } from "./wire-names.ts";

const legal: Record<WireProvider, RegExp> = {
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  mcp: /^[a-zA-Z0-9_-]{1,64}$/,
};
const providers = Object.keys(legal) as WireProvider[];

describe.each(providers)("names for %s", (provider) => {
  test("legal names stay unchanged", () => {
    const names = createWireNames(["web_search", "a-b", "A1"], provider);
    for (const name of ["web_search", "a-b", "A1"]) {
      expect(names.toWire(name)).toBe(name);
      expect(names.fromWire(name)).toBe(name);
    }
  });

  test("any names become legal, translate back, and never collide", () => {
    const name = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }),
      fc.constantFrom(
        "搜索",
        "搜尋",
        "a.b",
        "a/b",
        "a b",
        "a_b",
        "9lives",
        "x".repeat(65),
        "x".repeat(66),
        "\ud800",
        "\ud801",
        "é",
        "e\u0301",
      ),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 30 }), (names) => {
        const map = createWireNames(names, provider);
        const wire = names.map((item) => map.toWire(item));
        for (const item of wire) expect(item).toMatch(legal[provider]);
        expect(new Set(wire).size).toBe(names.length);
        expect(wire.map((item) => map.fromWire(item))).toEqual(names);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  test("a legal name that looks like a translated one never replaces the other", () => {
    const translated = createWireNames(["搜索"], provider).toWire("搜索");
    const names = createWireNames([translated, "搜索"], provider);
    expect(names.toWire("搜索")).toBe(translated);
    expect(names.fromWire(translated)).toBe("搜索");
    expect(names.toWire(translated)).not.toBe(translated);
    expect(names.fromWire(names.toWire(translated))).toBe(translated);
  });

  test("the translation depends neither on the order nor on the other names", () => {
    const alone = createWireNames(["网页/搜索"], provider).toWire("网页/搜索");
    expect(createWireNames(["b", "网页/搜索", "a.c", "读取"], provider).toWire("网页/搜索")).toBe(alone);
    expect(createWireNames(["读取", "a.c", "网页/搜索"], provider).toWire("网页/搜索")).toBe(alone);
  });
});

test("the translation is the same in every process: these names are stored in conversations", () => {
  const names = createWireNames(["搜索", "files/read.text"], "openai");
  expect([names.toWire("搜索"), names.toWire("files/read.text")]).toEqual([
    "x_0x2suy79fcln",
    "files_read_text_0x7p3ax7fzfz",
  ]);
});

describe("a name invented by a model", () => {
  test("is one that every service accepts, the same each time, and different for each", () => {
    const made = [
      "functions.look",
      "搜索",
      "a/b",
      "a.b",
      " ",
      "",
      "look ",
      "9lives",
      "x".repeat(80),
      "__proto__",
      "toString",
    ];
    const fitting = made.map(fitToolName);
    for (const provider of providers) for (const name of fitting) expect(name).toMatch(legal[provider]);
    expect(new Set(fitting).size).toBe(made.length);
    expect(fitting.map(fitToolName)).toEqual(fitting);
    for (const name of fitting) expect(name in {}).toBe(false);
  });

  test("stays unchanged if it is legal, and otherwise is translated like a tool of that name", () => {
    for (const name of ["web_search", "a-b", "A1", "_x", "x".repeat(64)]) expect(fitToolName(name)).toBe(name);
    for (const provider of ["openai", "anthropic", "gemini"] as const) {
      const names = createWireNames(["搜索", "files/read", "constructor"], provider);
      for (const name of ["搜索", "files/read", "constructor"]) expect(fitToolName(name)).toBe(names.toWire(name));
      expect(fitToolName(names.toWire("搜索"))).toBe(names.toWire("搜索"));
    }
  });
});

describe("for MCP clients", () => {
  test("a name with only illegal separators is short, and keeps its legal characters", () => {
    const names = createWireNames(["everything/get-env", "files/read.text", "搜索"], "mcp");
    expect(names.toWire("everything/get-env")).toBe("everything_get-env");
    expect(names.fromWire("everything_get-env")).toBe("everything/get-env");
    expect(names.toWire("files/read.text")).toBe("files_read_text");
    expect(names.toWire("搜索")).toBe("x_0x2suy79fcln");
  });

  test("names with the same short form are distinguished, except one that is legal", () => {
    const twins = createWireNames(["a/b_c", "a_b/c"], "mcp");
    expect(twins.toWire("a/b_c")).toMatch(/^a_b_c_0x\w{10}$/);
    expect(twins.toWire("a_b/c")).toMatch(/^a_b_c_0x\w{10}$/);
    const legal = createWireNames(["a/b", "a_b"], "mcp");
    expect(legal.toWire("a_b")).toBe("a_b");
    expect(legal.toWire("a/b")).toMatch(/^a_b_0x\w{10}$/);
    expect(createWireNames(["a_b"], "mcp").toWire("a/b")).toMatch(/^a_b_0x\w{10}$/);
  });

  test("long names, and names that look like translated ones, get a hash", () => {
    const long = `${"x".repeat(40)}/${"y".repeat(40)}`;
    const names = createWireNames([long, "a/b_0x0123456789"], "mcp");
    expect(names.toWire(long)).toMatch(/_0x\w{10}$/);
    expect(names.toWire("a/b_0x0123456789")).toMatch(/^a_b_0x0123456789_0x\w{10}$/);
  });
});

test("a name that was never sent resolves to nothing", () => {
  expect(createWireNames(["a"], "openai").fromWire("b")).toBeUndefined();
});

describe("arguments", () => {
  const tool = defineTool({
    name: "搜索",
    description: "d",
    input: z.object({ 查询: z.string(), list: z.array(z.object({ "a b": z.number() })) }),
    run: () => null,
  });

  test("are translated back to the tool's own parameter names", () => {
    const names = createWireNames([tool], "gemini");
    const key = createWireNames(["查询"], "openai").toWire("查询");
    const inner = createWireNames(["a b"], "openai").toWire("a b");
    expect(names.argumentsFromWire(names.toWire("搜索"), { [key]: "x", list: [{ [inner]: 1 }], other: null })).toEqual({
      查询: "x",
      list: [{ "a b": 1 }],
      other: null,
    });
  });

  test("arguments of tools without translated names, or of unknown tools, stay unchanged", () => {
    const args = { 查询: "x" };
    expect(createWireNames([tool], "openai").argumentsFromWire("nobody", args)).toBe(args);
    expect(
      createWireNames([tool], "openai").argumentsFromWire(createWireNames([tool], "openai").toWire("搜索"), args),
    ).toBe(args);
  });
});

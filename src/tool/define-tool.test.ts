import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isFailureError } from "../base/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { defineTool } from "./define-tool.ts";
import { isTool } from "./tool.ts";

const min = { name: "t", description: "Does it.", run: (): null => null };

function refusal(more: Record<string, unknown>): { message: string; reason: string | undefined } {
  try {
    defineTool({ ...min, ...more });
  } catch (error) {
    if (isFailureError(error) && error.code === "tool_invalid") return { message: error.message, reason: error.reason };
    throw error;
  }
  throw new Error("the definition was accepted");
}

describe("[E06] the parts of a tool", () => {
  test("a minimal definition has sensible defaults", () => {
    const tool = defineTool(min);
    expect(tool).toMatchObject({
      name: "t",
      version: "1.0.0",
      description: "Does it.",
      displayName: "t",
      id: "t",
      status: "active",
      category: "general",
      tags: [],
      aliases: [],
      capabilities: [],
      alwaysEnabled: false,
      background: false,
      gated: false,
      composite: false,
      effect: "once",
      destructive: true,
    });
    expect(tool.input.json).toEqual({ type: "object", properties: {} });
    expect(tool).not.toHaveProperty("timeoutMs");
    expect(isTool(tool)).toBe(true);
  });

  test("every field can be set", () => {
    const all = {
      version: "2.1.0",
      displayName: "Tea",
      id: "tea-1",
      status: "deprecated",
      category: "kitchen",
      tags: ["hot"],
      aliases: ["brew"],
      capabilities: ["drink"],
      alwaysEnabled: true,
      background: true,
      gated: true,
      composite: true,
      effect: "read",
      destructive: true,
      timeoutMs: 500,
      cache: { ttlMs: 1000 },
    } as const;
    expect(defineTool({ ...min, ...all })).toMatchObject(all);
  });

  test("a tool cannot be changed, not even through its definition", () => {
    const tags = ["a"];
    const tool = defineTool({ ...min, tags });
    tags.push("b");
    expect(tool.tags).toEqual(["a"]);
    expect(Object.isFrozen(tool)).toBe(true);
    expect(Object.isFrozen(tool.tags)).toBe(true);
    expect(Object.isFrozen(tool.input.json)).toBe(true);
  });

  test("destructive follows the effect, argument by argument", () => {
    expect(defineTool({ ...min, effect: "idempotent" }).destructive).toBe(false);
    const tool = defineTool({
      ...min,
      input: z.object({ method: z.string() }),
      effect: ({ method }) => (method === "GET" ? "read" : "once"),
    });
    const destructive = tool.destructive as (args: { method: string }) => boolean;
    expect([destructive({ method: "GET" }), destructive({ method: "POST" })]).toEqual([false, true]);
  });

  test("the handler is called as it was passed", () => {
    const run = (): null => null;
    expect(defineTool({ ...min, run })).toHaveProperty("run", run);
  });
});

describe("[E04] schemas of any dialect", () => {
  test("Zod, ArkType, JSON Schema, and Valibot with a separate JSON Schema", () => {
    const json = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const tools = [
      defineTool({ ...min, input: z.object({ a: z.string() }) }),
      defineTool({ ...min, input: type({ a: "string" }) }),
      defineTool({ ...min, input: json }),
      defineTool({ ...min, input: fromJsonSchema(json) }),
      defineTool({ ...min, input: v.object({ a: v.string() }), inputJsonSchema: json }),
      defineTool({ ...min, inputJsonSchema: json }),
    ];
    for (const tool of tools) {
      expect(tool.input.json).toMatchObject(json);
      expect(tool.input.validate({ a: "x" })).toMatchObject({ value: { a: "x" } });
      expect(tool.input.validate({ a: 1 })).toMatchObject({ issues: [{ path: ["a"] }] });
    }
  });

  test.each([
    ["a union of objects", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    [
      "a discriminated union",
      z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]),
    ],
    [
      "an intersection",
      z.object({ a: z.string() }).and(z.union([z.object({ b: z.string() }), z.object({ c: z.string() })])),
    ],
    ["a record", z.record(z.string(), z.number())],
    ["an empty object", z.object({})],
    ["a transformed object", z.object({ a: z.string() }).transform(({ a }) => a.length)],
    ["a refined object", z.object({ a: z.string() }).refine(() => true)],
    ["a lazy object", z.lazy(() => z.object({ a: z.string() }))],
    ["a named object", z.object({ a: z.string() }).meta({ id: "Named" })],
    ["a defaulted object", z.object({ a: z.string() }).default({ a: "x" })],
  ])("%s is an input", (_name, input) => {
    expect(() => defineTool({ ...min, input })).not.toThrow();
  });

  test.each<[string, unknown]>([
    ["a string", z.string()],
    ["an array", z.array(z.object({}))],
    ["anything", z.any()],
    ["an object or null", z.object({}).nullable()],
    ["an object or a string", z.union([z.object({}), z.string()])],
    ["a JSON Schema without a type", fromJsonSchema({ properties: {} })],
    ["a JSON Schema of two types", fromJsonSchema({ type: ["object", "null"] })],
  ])("%s is refused: arguments have names", (_name, input) => {
    expect(refusal({ input })).toMatchObject({
      reason: "input_not_object",
      message: expect.stringContaining('tool "t": `input` must describe an object') as string,
    });
  });

  test("a type that JSON cannot carry is refused, with the tool and the location", () => {
    expect(refusal({ input: z.object({ a: z.object({ b: z.map(z.string(), z.string()) }) }) }).message).toBe(
      'tool "t": `input`: at a.b: JSON cannot carry z.map(); use z.record() or z.array(z.tuple([key, value]))',
    );
    expect(refusal({ input: v.object({}) }).message).toContain("pass `inputJsonSchema` with it");
    expect(refusal({ input: { a: z.string() } }).message).toContain("or the result of fromJsonSchema()");
    expect(refusal({ input: { type: "object", parse: () => 1 } }).message).toContain("`input`: ");
    expect(refusal({ inputJsonSchema: { type: "strnig" } }).message).toContain('did you mean "string"?');
    expect(
      refusal({ input: fromJsonSchema({ type: "object" }), inputJsonSchema: { type: "object" } }).message,
    ).toContain("`inputJsonSchema` belongs with a Standard Schema");
    expect(refusal({ output: z.object({ m: z.set(z.string()) }) }).message).toContain(
      "`output`: at m: JSON cannot carry z.set()",
    );
  });

  test("keys that callers must not send are refused", () => {
    expect(refusal({ input: z.object({ a: z.object({ constructor: z.string() }) }) })).toMatchObject({
      reason: "forbidden_key",
      message: 'tool "t": `input` at a declares the key "constructor", which callers must not send; rename it',
    });
  });
});

describe("an unusable definition is refused with a suggested change", () => {
  test.each<[Record<string, unknown>, string]>([
    [{ name: "../../x" }, "must start with a letter or _"],
    [{ name: undefined }, "must be a non-empty string"],
    [{ description: undefined }, 'tool "t": needs a `description`'],
    [{ description: "  " }, "`description` must be a non-empty string"],
    [{ handler: () => 1 }, 'unknown option "handler"; did you mean "run"?'],
    [{ execute: () => 1 }, 'did you mean "run"?'],
    [{ parameters: {} }, 'did you mean "input"?'],
    [{ descripton: "x" }, 'unknown option "descripton"; did you mean "description"?'],
    [{ timeout: 5 }, 'did you mean "timeoutMs"?'],
    [{ xyz: 5 }, 'unknown option "xyz"'],
    [{ run: undefined }, "needs `run`"],
    [{ run: "echo" }, "needs `run`"],
    [{ effect: "reed" }, '`effect` must be one of pure, read, idempotent, once, got "reed"; did you mean "read"?'],
    [{ effect: 1 }, "`effect` must be one of"],
    [{ status: "on" }, "`status` must be one of active, deprecated, draft, disabled"],
    [{ gated: "yes" }, '`gated` must be a boolean, got "yes"'],
    [{ destructive: 1 }, "`destructive` must be a boolean or a function, got 1"],
    [{ timeoutMs: 0 }, "`timeoutMs` must be a number of milliseconds above 0 and at most 86400000 (24 hours), got 0"],
    [{ timeoutMs: Infinity }, "`timeoutMs` must be"],
    [{ timeoutMs: "5s" }, "`timeoutMs` must be"],
    [{ cache: { ttlMs: 5 } }, "has the effect `once`, so its results cannot be reused"],
    [{ cache: { ttlMs: 5 }, effect: "idempotent" }, "has the effect `idempotent`"],
    [{ cache: { ttl: 5 }, effect: "read" }, "`cache` must be { ttlMs: milliseconds above 0 }"],
    [{ cache: true, effect: "read" }, "`cache` must be"],
    [{ tags: "a" }, "`tags` must be a list of strings"],
    [{ tags: [1] }, "`tags` must be a non-empty string"],
    [{ tags: ["a", "a"] }, "`tags` contains a duplicate"],
    [{ aliases: ["a b"] }, 'the tool name "a b"'],
    [{ aliases: ["t"] }, "is its own alias"],
    [{ version: 2 }, "`version` must be a non-empty string"],
    [{ category: "" }, "`category` must be a non-empty string"],
  ])("%j", (more, message) => {
    expect(refusal(more).message).toContain(message);
  });

  test.each([
    ["bidi", "a\u202eb"],
    ["tags", "a\u{e0041}\u{e0042}"],
    ["controls", "a\u0007b"],
    ["escapes", "a\u001b[31mb"],
    ["zero width", "a\u200bb"],
    ["a lone surrogate", "a\ud800b"],
  ])("hidden text is refused in every text that a model reads: %s", (_name, text) => {
    expect(refusal({ description: text }).reason).toBe("hidden_text");
    expect(refusal({ displayName: text }).reason).toBe("hidden_text");
    expect(refusal({ tags: [text] }).reason).toBe("hidden_text");
    expect(refusal({ input: z.object({ a: z.string().describe(text) }) }).reason).toBe("hidden_text");
    expect(refusal({ input: z.object({ a: z.array(z.object({ [text]: z.string() })) }) }).reason).toBe("hidden_text");
    expect(refusal({ name: `x${text}` }).reason).toBe("bad_tool_name");
  });

  test("ordinary text of any script is not treated as hidden", () => {
    const description = "Line one.\r\nLine two:\tمرحبا 你好 👨‍👩‍👧 ❤️ नमस्ते é\n";
    expect(defineTool({ ...min, description }).description).toBe(description);
  });

  test("a missing definition is refused", () => {
    for (const input of [null, undefined, "x", []])
      expect(() => defineTool(input as never)).toThrow("defineTool() expects one object");
  });
});

test("an effect function that returns an invalid value makes its calls destructive", () => {
  const odd = defineTool({ name: "odd", description: "Odd", effect: () => "sometimes" as never, run: () => 1 });
  expect(typeof odd.destructive === "function" && odd.destructive({})).toBe(true);
});

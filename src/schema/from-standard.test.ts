import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as zm from "zod/mini";
import { isFailureError } from "../base/index.ts";
import { fromStandard } from "./from-standard.ts";
import type { JsonSchema, Validation } from "./schema.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { toSchema } from "./to-schema.ts";

function check(schema: StandardSchema, value: unknown): Validation<unknown> {
  const result = fromStandard(schema).validate(value);
  if (result instanceof Promise) throw new Error("the schema is asynchronous");
  return result;
}

function messages(schema: StandardSchema, value: unknown): string[] {
  return check(schema, value).issues?.map(({ message }) => message) ?? [];
}

/** The JSON Schema of a schema inside an object. */
function jsonOf(field: z.ZodType): unknown {
  return (fromStandard(z.object({ p: field })).json["properties"] as JsonSchema)["p"];
}

function refusal(field: unknown): string {
  try {
    // Zod's functions are not Zod types to the compiler.
    fromStandard(z.object({ list: z.array(z.object({ p: field as z.ZodType })) }));
  } catch (error) {
    if (isFailureError(error) && error.code === "tool_invalid") return error.message;
    throw error;
  }
  throw new Error("the schema was accepted");
}

describe("[E04] what Zod can express", () => {
  test.each<[string, z.ZodType, unknown]>([
    ["date", z.date(), { type: "string", format: "date-time" }],
    ["date with bounds", z.date().min(new Date(0)), { type: "string", format: "date-time" }],
    ["coerced date", z.coerce.date(), { type: "string", format: "date-time" }],
    ["bigint", z.bigint(), { type: "string", pattern: "^-?[0-9]+$" }],
    ["bigint literal", z.literal([5n, "a"]), { enum: ["5", "a"] }],
    ["coerced number", z.coerce.number(), { type: "number" }],
    ["transform", z.string().transform(Number), { type: "string" }],
    ["a lone transform", z.transform((value) => value), {}],
    ["pipe", z.string().pipe(z.coerce.number()), { type: "string" }],
    ["preprocess", z.preprocess((value) => value, z.number()), { type: "number" }],
    ["default", z.string().default("x"), { type: "string", default: "x" }],
    ["prefault", z.string().prefault("x"), { type: "string", default: "x" }],
    ["catch", z.number().catch(5), { type: "number", default: 5 }],
    ["a default made anew", z.string().default(() => String(Math.random())), { type: "string" }],
    ["a default date", z.date().default(() => new Date()), { type: "string", format: "date-time" }],
    ["a default bigint", z.bigint().default(5n), { type: "string", pattern: "^-?[0-9]+$" }],
    ["a caught bigint", z.bigint().catch(5n), { type: "string", pattern: "^-?[0-9]+$" }],
    ["refine", z.string().refine((text) => text !== ""), { type: "string" }],
    ["template literal", z.templateLiteral(["v", z.int()]), { type: "string", pattern: "^v-?\\d+$" }],
    ["enum", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["number enum", z.enum({ a: 1 }), { type: "number", enum: [1] }],
    ["literal", z.literal("a"), { type: "string", const: "a" }],
    ["null literal", z.literal(null), { type: "null", const: null }],
    ["nullable", z.string().nullable(), { type: ["string", "null"] }],
    ["readonly and brand", z.string().brand("x").readonly(), { type: "string" }],
    ["any", z.any(), {}],
    ["int", z.int(), { type: "integer" }],
    ["int32", z.int32(), { type: "integer", minimum: -2147483648, maximum: 2147483647 }],
    ["float64", z.float64(), { type: "number" }],
    ["stringbool", z.stringbool(), { type: "string" }],
    ["union with undefined", z.union([z.string(), z.undefined()]), { type: "string" }],
    ["optional never", z.never().optional(), { not: {} }],
    ["promise", z.promise(z.string()), { type: "string" }],
    [
      "record",
      z.record(z.string(), z.date()),
      {
        type: "object",
        propertyNames: { type: "string" },
        additionalProperties: { type: "string", format: "date-time" },
      },
    ],
    [
      "tuple",
      z.tuple([z.string()]),
      { type: "array", prefixItems: [{ type: "string" }], items: false, minItems: 1, maxItems: 1 },
    ],
    ["codec", z.codec(z.string(), z.number(), { decode: Number, encode: String }), { type: "string" }],
  ])("%s has a wire schema", (_name, schema, json) => {
    expect(jsonOf(schema)).toEqual(json);
  });

  test("an input with a default is not required", () => {
    const schema = z.object({
      a: z.string().default("x"),
      b: z.string().prefault("x"),
      c: z.string().catch("x"),
      d: z.string().optional(),
      e: z.lazy(() => z.string().optional()),
      f: z.string().optional().transform(String),
      g: z.string(),
    });
    expect(fromStandard(schema).json["required"]).toEqual(["g"]);
  });

  test.each<[string, unknown]>([
    ["function", z.function()],
    ["symbol", z.symbol()],
    ["map", z.map(z.string(), z.string())],
    ["set", z.set(z.string())],
    ["nan", z.nan()],
    ["file", z.file()],
    ["custom", z.custom<string>()],
    ["custom", z.instanceof(URL)],
  ])("z.%s is refused, with its location and a remedy", (name, schema) => {
    expect(refusal(schema)).toMatch(new RegExp(String.raw`^at list\[0\]\.p: JSON cannot carry z\.${name}\(\); \w+`));
  });

  test.each<[string, z.ZodType]>([
    ["undefined", z.undefined()],
    ["void", z.void()],
    ["never", z.never()],
    ["undefined literal", z.literal(undefined)],
  ])("a required %s is refused: no call could succeed", (_name, schema) => {
    expect(refusal(schema)).toBe("no JSON value matches list.p, yet it is required; make it optional or remove it");
  });

  test("the schema is frozen and has no traces of the library", () => {
    const { json } = fromStandard(z.object({ a: z.object({ b: z.string() }) }));
    expect(Object.isFrozen(json["properties"])).toBe(true);
    expect(Reflect.ownKeys(json)).not.toContain("~standard");
    expect(Reflect.ownKeys(json)).not.toContain("$schema");
  });

  test("zod/mini works with a separate JSON Schema", () => {
    const schema = zm.object({ when: zm.date() });
    expect(() => fromStandard(schema)).toThrow("pass `inputJsonSchema` with it");
    const json = { type: "object", properties: { when: { type: "string", format: "date-time" } } };
    expect(fromStandard(schema, { json }).validate({ when: "2026-01-31T10:00:00Z" })).toEqual({
      value: { when: new Date("2026-01-31T10:00:00Z") },
    });
  });
});

describe("values", () => {
  test("the library's own result is returned", () => {
    const result = { value: {} };
    const schema: StandardSchema = { "~standard": { version: 1, vendor: "mine", validate: () => result } };
    expect(fromStandard(schema, { json: { type: "object" } }).validate({})).toBe(result);
  });

  test("asynchronous checks are awaited", async () => {
    const schema = fromStandard(z.object({ a: z.string().refine(async (text) => text === "ok", "not ok") }));
    await expect(Promise.resolve(schema.validate({ a: "ok" }))).resolves.toEqual({ value: { a: "ok" } });
    await expect(Promise.resolve(schema.validate({ a: "no" }))).resolves.toEqual({
      issues: [{ path: ["a"], code: "custom", message: "a is not valid: not ok" }],
    });
  });

  test("asynchronous checks run once for every call", async () => {
    let runs = 0;
    const count = async (): Promise<boolean> => {
      runs++;
      return true;
    };
    const schema = fromStandard(z.object({ a: z.string().refine(count) }));
    for (let call = 0; call < 3; call++) await schema.validate({ a: "x" });
    expect(runs).toBe(3);
  });

  test("a check that throws ends in an issue", async () => {
    const broken = (): never => {
      throw new Error("boom");
    };
    const late = z.object({ a: z.string().refine(async () => broken()) });
    for (const schema of [z.object({ a: z.string().refine(broken) }), late]) {
      expect(await fromStandard(schema).validate({ a: "x" })).toEqual({
        issues: [{ path: [], code: "custom", message: "the value could not be checked: boom" }],
      });
    }
    const thrower: StandardSchema = { "~standard": { version: 1, vendor: "mine", validate: broken } };
    expect(fromStandard(thrower, { json: {} }).validate(1)).toMatchObject({ issues: [{ code: "custom" }] });
  });
});

describe("issues use one vocabulary", () => {
  test.each<[string, z.ZodType, unknown, string, string]>([
    ["type", z.number(), "a", "type", 'p must be a number, got "a"'],
    ["a date", z.date(), "soon", "type", 'p must be a date-time such as 2026-01-31T10:00:00Z, got "soon"'],
    ["a big integer", z.bigint(), "1.5", "type", 'p must be an integer written as a string, got "1.5"'],
    ["required", z.string(), undefined, "required", "p is required"],
    ["enum", z.enum(["GET", "POST"]), "POTS", "enum", 'p must be one of GET, POST; got "POTS"; did you mean "POST"?'],
    ["literal", z.literal("a"), "b", "enum", 'p must be "a", got "b"'],
    [
      "pattern",
      z.string().regex(/^https?:\/\//),
      "ftp",
      "pattern",
      'p must match the pattern ^https?:\\/\\/, got "ftp"',
    ],
    ["min", z.number().min(1), 0, "min", "p must be at least 1, got 0"],
    ["exclusive max", z.number().lt(5), 5, "max", "p must be less than 5, got 5"],
    [
      "a late date",
      z.date().max(new Date(0)),
      "2026-01-31",
      "max",
      'p must be at most 1970-01-01T00:00:00.000Z, got "2026-01-31"',
    ],
    ["min_length", z.string().min(3), "a", "min_length", "p must have at least 3 characters, has 1"],
    ["max_items", z.array(z.any()).max(1), [1, 2], "max_items", "p must have at most 1 item, has 2"],
    ["format", z.email(), "x", "format", 'p must be an email address, got "x"'],
    ["multiple_of", z.number().multipleOf(5), 7, "multiple_of", "p must be a multiple of 5, got 7"],
    ["starts_with", z.string().startsWith("a"), "b", "custom", 'p must start with "a"'],
    ["ends_with", z.string().endsWith("a"), "b", "custom", 'p must end with "a"'],
    ["includes", z.string().includes("a"), "b", "custom", 'p must include "a"'],
    ["refine", z.string().refine(() => false), "b", "custom", "p is not valid"],
    ["the author's words", z.string().min(3, "too short, friend"), "a", "min_length", "p: too short, friend"],
    ["union of types", z.union([z.string(), z.number()]), true, "type", "p must be a string or a number, got true"],
    ["a missing union", z.union([z.string(), z.number()]), undefined, "required", "p is required"],
    [
      "two at once",
      z.xor([z.string(), z.string().min(1)]),
      "ab",
      "union",
      "p matches more than one of several mutually exclusive forms",
    ],
    ["a bad key", z.record(z.string().max(1), z.any()), { long: 1 }, "custom", "p.long is not an allowed key"],
    ["never", z.never().optional(), 1, "custom", "p is not allowed here"],
  ])("%s", (...row) => {
    const [, schema, value, code, message] = row;
    expect(check(z.object({ p: schema }), { p: value }).issues?.map((issue) => [issue.code, issue.message])).toEqual([
      [code, message],
    ]);
  });

  test("discriminated unions list the kinds, or the issues of the chosen one", () => {
    const schema = z.object({
      x: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), n: z.number() }),
        z.object({ kind: z.literal("b"), s: z.string() }),
      ]),
    });
    expect(messages(schema, { x: { kind: "c" } })).toEqual(['x.kind must be one of a, b; got "c"']);
    expect(messages(schema, { x: {} })).toEqual(["x.kind is required"]);
    expect(messages(schema, { x: { kind: "a", n: "1" } })).toEqual(['x.n must be a number, got "1"']);
  });

  test("unknown keys of a strict object suggest the intended one", () => {
    expect(check(z.strictObject({ expression: z.string() }), { expresion: "1" }).issues).toEqual([
      { path: ["expression"], code: "required", message: "expression is required" },
      {
        path: ["expresion"],
        code: "unknown",
        message: 'unknown key "expresion"; did you mean "expression"?',
        suggestion: "expression",
      },
    ]);
  });

  test("at most twenty are reported", () => {
    expect(
      messages(
        z.array(z.string()),
        Array.from({ length: 100 }, () => 1),
      ),
    ).toHaveLength(20);
  });
});

describe("other libraries", () => {
  test("ArkType provides its own JSON Schema and its own messages", () => {
    const schema = type({ a: "string", "b?": "number > 5" });
    expect(fromStandard(schema).json).toMatchObject({ type: "object", required: ["a"] });
    expect(check(schema, { a: "x" })).toEqual({ value: { a: "x" } });
    expect(messages(schema, { a: "x", b: 3 })).toEqual(["b must be more than 5 (was 3)"]);
    expect(check(schema, {}).issues).toMatchObject([{ path: ["a"], code: "required" }]);
    expect(messages(schema, { a: "x", bb: 1, b: 1 })).toEqual(["b must be more than 5 (was 1)"]);
  });

  test("ArkType's morphs accept the input that they parse", () => {
    const schema = type({ at: "string.date.parse" });
    expect(fromStandard(schema).json).toMatchObject({ properties: { at: { type: "string" } } });
    expect(check(schema, { at: "2026-01-31T10:00:00Z" })).toEqual({ value: { at: new Date("2026-01-31T10:00:00Z") } });
  });

  test.each([
    ["a Date", type({ at: "Date" })],
    ["a bigint or a symbol", type({ at: "bigint" })],
    ["an instance of a class", type({ at: "Map" })],
  ])("ArkType's %s is refused: JSON cannot carry it", (what, schema) => {
    expect(() => fromStandard(schema)).toThrow(`JSON cannot carry ${what}`);
  });

  test("Valibot needs a separate JSON Schema", () => {
    const schema = v.object({ a: v.pipe(v.string(), v.minLength(2)) });
    expect(() => fromStandard(schema)).toThrow("this valibot schema cannot describe itself as JSON Schema");
    const json = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const ours = fromStandard(schema, { json });
    expect(ours.json).toEqual(json);
    expect(ours.validate({ a: "xy" })).toEqual({ value: { a: "xy" }, typed: true });
    expect(ours.validate({ a: "x" })).toMatchObject({ issues: [{ path: ["a"], code: "custom" }] });
    expect(() => fromStandard(schema, { json: { type: "strnig" } })).toThrow("did you mean");
  });

  test("outputs need no description", () => {
    expect(fromStandard(v.object({ a: v.string() }), { side: "output" }).json).toEqual({});
    const schema = z.object({
      n: z.string().transform(Number).pipe(z.number()),
      d: z.string().default("x"),
      c: z.custom<object>(),
    });
    expect(fromStandard(schema, { side: "output" }).json).toEqual({
      type: "object",
      properties: { n: { type: "number" }, d: { type: "string", default: "x" }, c: {} },
      required: ["n", "d", "c"],
      additionalProperties: false,
    });
  });
});

test("toSchema accepts every kind and refuses everything else", () => {
  const ours = fromStandard(z.object({}));
  expect(toSchema(ours)).toBe(ours);
  expect(toSchema(z.object({})).json).toEqual({ type: "object", properties: {} });
  expect(toSchema(type({ a: "string" })).json).toMatchObject({ type: "object" });
  expect(toSchema({ type: "object" }).json).toEqual({ type: "object" });
  for (const other of [{ properties: {} }, null, undefined, 5, () => 1]) {
    expect(() => toSchema(other as never)).toThrow("fromJsonSchema()");
  }
});

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromJsonSchema } from "./from-json-schema.ts";
import type { JsonSchema, Validation } from "./schema.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

function check(json: JsonSchema, value: unknown): Validation<unknown> {
  return fromJsonSchema(json).validate(value);
}

function messages(json: JsonSchema, value: unknown): string[] {
  return check(json, value).issues?.map(({ message }) => message) ?? [];
}

function codes(json: JsonSchema, value: unknown): string[] {
  return check(json, value).issues?.map(({ code }) => code) ?? [];
}

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });

describe("[B02] parameter types", () => {
  const samples: Record<string, unknown> = {
    string: "a",
    number: 1.5,
    integer: 2,
    boolean: false,
    array: [1],
    object: { a: 1 },
  };

  test.each(Object.keys(samples))("%s accepts its own values and names itself in the issues of others", (type) => {
    const schema = fromJsonSchema(object({ x: { type } }));
    for (const [name, value] of Object.entries(samples)) {
      const fits = name === type || (type === "number" && name === "integer");
      expect(schema.validate({ x: value })).toMatchObject(
        fits ? { value: { x: value } } : { issues: [{ path: ["x"], code: "type" }] },
      );
    }
  });

  test("a wrong type shows the truncated value", () => {
    expect(messages(object({ n: { type: "number" } }), { n: "x".repeat(500) })).toEqual([
      `n must be a number, got "${"x".repeat(78)}…`,
    ]);
    expect(messages(object({ n: { type: ["number", "null"] } }), { n: [1, { a: "b" }] })).toEqual([
      'n must be a number or null, got [1,{"a":"b"}]',
    ]);
  });
});

describe("[B03] validation options", () => {
  test.each<[string, JsonSchema, unknown, string, string]>([
    [
      "pattern",
      { type: "string", pattern: "^https?://" },
      "ftp://x",
      "pattern",
      'x must match the pattern ^https?://, got "ftp://x"',
    ],
    ["min_length", { type: "string", minLength: 3 }, "ab", "min_length", "x must have at least 3 characters, has 2"],
    ["max_length", { type: "string", maxLength: 1 }, "😀😀", "max_length", "x must have at most 1 character, has 2"],
    ["enum", { enum: ["GET", "POST"] }, "FOO", "enum", 'x must be one of GET, POST; got "FOO"'],
    [
      "a near miss of enum",
      { enum: ["GET", "POST"] },
      "POTS",
      "enum",
      'x must be one of GET, POST; got "POTS"; did you mean "POST"?',
    ],
    ["const", { const: 1 }, 2, "enum", "x must be 1, got 2"],
    ["min", { type: "number", minimum: 1 }, 0, "min", "x must be at least 1, got 0"],
    ["max", { type: "number", maximum: 100 }, 200, "max", "x must be at most 100, got 200"],
    ["exclusive min", { type: "number", exclusiveMinimum: 0 }, 0, "min", "x must be more than 0, got 0"],
    ["exclusive max", { type: "number", exclusiveMaximum: 9 }, 9, "max", "x must be less than 9, got 9"],
    ["multipleOf", { type: "number", multipleOf: 5 }, 7, "multiple_of", "x must be a multiple of 5, got 7"],
    ["items", { type: "array", items: { type: "string" } }, ["a", 1], "type", "x[1] must be a string, got 1"],
    ["min_items", { type: "array", minItems: 2 }, [1], "min_items", "x must have at least 2 items, has 1"],
    ["max_items", { type: "array", maxItems: 1 }, [1, 2], "max_items", "x must have at most 1 item, has 2"],
    [
      "unique items",
      { type: "array", uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      "unique_items",
      "x must not contain the same item twice",
    ],
    ["properties", object({ y: { type: "string" } }), { y: 1 }, "type", "x.y must be a string, got 1"],
    ["required", object({ y: {} }, { required: ["y"] }), {}, "required", "x.y is required"],
    [
      "max properties",
      { type: "object", maxProperties: 1 },
      { a: 1, b: 2 },
      "max_properties",
      "x must have at most 1 key, has 2",
    ],
    ["format", { type: "string", format: "email" }, "x@", "format", 'x must be an email address, got "x@"'],
    ["not", { not: { type: "string" } }, "a", "custom", "x is not allowed here"],
    [
      "a key that is not allowed",
      { propertyNames: { maxLength: 2 } },
      { long: 1 },
      "custom",
      'x must not have the key "long"',
    ],
  ])("%s", (...row) => {
    const [, schema, value, code, message] = row;
    const { issues } = check(object({ x: schema }), { x: value });
    expect(issues?.map((issue) => [issue.code, issue.message])).toEqual([[code, message]]);
  });

  test("all errors are reported at once", () => {
    const json = object({ a: { type: "string" }, b: { maximum: 1 } }, { required: ["c"], additionalProperties: false });
    expect(codes(json, { a: 1, b: 2, d: 3 }).toSorted()).toEqual(["max", "required", "type", "unknown"]);
  });

  test("at most twenty issues are reported", () => {
    expect(
      codes(
        { type: "array", items: { type: "string" } },
        Array.from({ length: 500 }, () => 1),
      ),
    ).toHaveLength(20);
  });

  test("an unknown key suggests the intended one", () => {
    const json = object({ expression: { type: "string" } }, { required: ["expression"] });
    expect(check(json, { expresion: "1" }).issues).toEqual([
      { path: ["expression"], code: "required", message: "expression is required" },
      {
        path: ["expresion"],
        code: "unknown",
        message: 'unknown key "expresion"; did you mean "expression"?',
        suggestion: "expression",
      },
    ]);
  });

  test("names such as toString are ordinary parameters", () => {
    const json = object({ toString: { type: "string" }, valueOf: {} }, { required: ["valueOf"] });
    expect(codes(json, {})).toEqual(["required"]);
    expect(codes(json, { valueOf: 1, toString: "x" })).toEqual([]);
  });
});

describe("unions", () => {
  const json = object(
    {
      u: {
        anyOf: [
          { type: "string" },
          object({ kind: { const: "a" }, n: { type: "number" } }, { required: ["kind", "n"] }),
          { $ref: "#/$defs/b" },
        ],
      },
    },
    { $defs: { b: object({ kind: { const: "b" }, m: { type: "string" } }, { required: ["kind", "m"] }) } },
  );

  test("a value that matches no form gets an issue that lists the forms", () => {
    expect(messages(json, { u: 5 })).toEqual(["u must be a string or an object, got 5"]);
    expect(messages(object({ u: { anyOf: [{ const: "auto" }, { type: "number" }] } }), { u: true })).toEqual([
      "u must be a number or one of auto, got true",
    ]);
  });

  test("a value close to one form gets the issues of that form", () => {
    expect(messages(json, { u: { kind: "a" } })).toEqual(["u.n is required"]);
    expect(messages(json, { u: { kind: "b", m: 1 } })).toEqual(["u.m must be a string, got 1"]);
  });

  test("a value of the wrong kind gets an issue that lists the kinds", () => {
    expect(messages(json, { u: { kind: "c", m: "x" } })).toEqual(['u.kind must be one of a, b; got "c"']);
  });

  test("keys of any spelling select their forms", () => {
    const name = "a/b c~d%20 中文\"'#?";
    const forms = { anyOf: [{ type: "string" }, object({ n: { type: "number" } }, { required: ["n"] })] };
    expect(codes(object({ [name]: forms }), { [name]: {} })).toEqual(["required"]);
    expect(
      check(object({ [name]: { $ref: "#/$defs/a~1b%20c" } }, { $defs: { "a/b c": forms } }), { [name]: { n: "x" } })
        .issues,
    ).toEqual([{ path: [name, "n"], code: "type", message: `["a/b c~d%20 中文\\"'#?"].n must be a number, got "x"` }]);
  });

  test("forms that exclude each other", () => {
    expect(codes(object({ u: { oneOf: [{ minimum: 1 }, { minimum: 2 }] } }), { u: 3 })).toEqual(["union"]);
  });
});

describe("defaults", () => {
  const json = object({ limit: { type: "integer", default: 10 }, nested: object({ deep: { default: ["x"] } }) });

  test("are filled in without touching the caller's value", () => {
    const value = Object.freeze({ nested: Object.freeze({}) });
    expect(check(json, value)).toEqual({ value: { limit: 10, nested: { deep: ["x"] } } });
    expect(value).toEqual({ nested: {} });
  });

  test("are not shared between calls", () => {
    const schema = fromJsonSchema<{ nested: { deep: string[] } }>(json);
    const first = schema.validate({ nested: {} }) as { value: { nested: { deep: string[] } } };
    first.value.nested.deep.push("y");
    expect(schema.validate({ nested: {} })).toMatchObject({ value: { nested: { deep: ["x"] } } });
  });

  test("cost no copy if there are none", () => {
    const value = { a: [1] };
    expect(check(object({ a: { type: "array" } }), value)).toEqual({ value });
    expect((check(object({ a: { type: "array" } }), value) as { value: unknown }).value).toBe(value);
  });
});

describe("dialects", () => {
  test("draft-07 tuples, definitions and dependencies", () => {
    const json: JsonSchema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { $ref: "#/definitions/n" }], additionalItems: false },
      },
      definitions: { n: { type: "number" } },
      dependencies: { pair: ["why"] },
    };
    expect(codes(json, { pair: ["a", 1], why: 1 })).toEqual([]);
    expect(codes(json, { pair: ["a", "b"], why: 1 })).toEqual(["type"]);
    expect(codes(json, { pair: ["a", 1, 2], why: 1 })).toEqual(["max_items"]);
    expect(messages(json, { pair: ["a", 1] })).toEqual(["why is required"]);
  });

  test("tuples and recursion of 2020-12 are supported", () => {
    const json: JsonSchema = {
      type: "array",
      prefixItems: [{ type: "string" }],
      items: { $ref: "#" },
    };
    expect(codes(json, ["a", ["b", ["c"]]])).toEqual([]);
    expect(messages(json, ["a", ["b", [1]]])).toEqual(["[1][1][0] must be a string, got 1"]);
  });

  test("keywords of other dialects are ignored", () => {
    const odd = {
      id: "x",
      nullable: true,
      discriminator: {},
      "x-order": 1,
      $comment: "c",
      format: "constructor",
      $id: "urn:x",
    };
    expect(codes({ ...object({ a: { ...odd, type: "string" } }), ...odd }, { a: null })).toEqual([]);
  });

  test("agrees with plain ajv, for schemas without surprises", () => {
    const scalar = fc.constantFrom<JsonSchema>(
      { type: "string", minLength: 1 },
      { type: "integer", minimum: 0 },
      { enum: ["a", 1, null] },
      { const: true },
      { type: ["number", "boolean"] },
      {},
    );
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.record({ type: fc.constant("array"), items: tie("schema"), uniqueItems: fc.boolean() }),
        fc.record({
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
          required: fc.subarray(["a", "b"]),
          additionalProperties: fc.boolean(),
        }),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((oneOf) => ({ oneOf })),
        tie("schema").map((not) => ({ not })),
      ),
    }));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>("", "a", 0, 1, -1, 1.5, true, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 10 }), (json, values) => {
        const ours = fromJsonSchema(json);
        const theirs = new Ajv2020({ strict: false }).compile(json);
        for (const item of values) expect("issues" in ours.validate(item)).toBe(!theirs(item));
      }),
      { numRuns: 80, seed: 7 },
    );
  });
});

describe("hostile schemas and values", () => {
  interface Row {
    area: string;
    input: { pattern: string; value: { $repeat: string; n: number; prefix: string; suffix: string } };
  }
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
    ({ area }) => area === "regex",
  );

  test("the data holds the rows", () => {
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });

  test.each(rows.map(({ input }) => [input.pattern, input.value] as const))(
    "the pattern %s is fast on a long text",
    (pattern, text) => {
      const schema = fromJsonSchema(object({ x: { type: "string", pattern } }));
      for (const n of [text.n, 50_000]) {
        const value = { x: text.prefix + text.$repeat.repeat(n) + text.suffix };
        schema.validate({ x: "" });
        const started = cpuTime();
        schema.validate(value);
        expect(cpuTime() - started).toBeLessThan(100);
      }
    },
  );

  test("a pattern and a text that would take too long end in an issue", () => {
    const schema = fromJsonSchema({ type: "array", items: { pattern: "((([ab]{1,30}){1,30})?a[ab]{50})*[cd]$" } });
    const value = Array.from({ length: 300 }, (_, i) => `${(i % 2 === 0 ? "ab" : "ba").repeat(1500)}c`);
    const started = cpuTime();
    expect(schema.validate(value)).toMatchObject({ issues: [{ code: "too_costly" }] });
    expect(cpuTime() - started).toBeLessThan(10_000);
  });

  test("multiplying references end in an issue", () => {
    const $defs: Record<string, JsonSchema> = { d0: { type: "string" } };
    for (let i = 1; i <= 40; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    expect(codes({ $ref: "#/$defs/d40", $defs }, "x")).toEqual(["too_costly"]);
  });

  test("forms that multiply with the depth of the value end in an issue", () => {
    const form = object({ a: { $ref: "#" }, b: { type: "string" } });
    const json: JsonSchema = { anyOf: [{ type: "string" }, form, { ...form, minProperties: 1 }] };
    let value: unknown = 1;
    for (let i = 0; i < 60; i++) value = { a: value };
    expect(codes(json, value)).toEqual(["too_costly"]);
  });

  test("many forms, many items and many unique objects stay fast", () => {
    const started = cpuTime();
    const anyOf = Array.from({ length: 2000 }, (_, i) => ({ const: `v${i}` }));
    expect(
      codes(
        { type: "array", items: { anyOf } },
        Array.from({ length: 50_000 }, () => "x"),
      ),
    ).not.toEqual([]);
    const items = Array.from({ length: 30_000 }, (_, i) => ({ i }));
    expect(codes({ type: "array", uniqueItems: true }, items)).toEqual([]);
    expect(codes({ type: "array", items: { type: "string" } }, items)).toEqual(["type"]);
    expect(cpuTime() - started).toBeLessThan(5000);
  });

  test("an endlessly nested value ends in an issue", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["a"] = cyclic;
    expect(codes(object({ a: { $ref: "#" } }), cyclic)).toEqual(["too_deep"]);
    expect(codes(object({ a: { $ref: "#", default: 1 } }), cyclic)).toEqual(["too_deep"]);
  });

  test("keys of prototypes are ordinary data", () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const result = check(object({ a: { default: 1 } }), value) as { value: object };
    expect(Object.keys(result.value).toSorted()).toEqual(["__proto__", "a", "constructor"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(Reflect.get(result.value, "polluted")).toBeUndefined();
  });
});

describe("a schema that is used often", () => {
  test("returns the same values and the same issues, before and after it is compiled", () => {
    const schema = fromJsonSchema(object({ a: { type: "string" }, list: { default: ["x"] } }, { required: ["a"] }));
    const fits = Array.from({ length: 200 }, () => schema.validate({ a: "b" }));
    expect(new Set(fits.map((input) => JSON.stringify(input)))).toEqual(
      new Set([JSON.stringify({ value: { a: "b", list: ["x"] } })]),
    );
    const fresh = fromJsonSchema(schema.json);
    expect(fresh.validate({ a: 1 })).toEqual(schema.validate({ a: 1 }));
    expect(fresh.validate({ list: 1 })).toEqual(schema.validate({ list: 1 }));
  });

  test("never modifies its argument", () => {
    const schema = fromJsonSchema(object({ a: { default: 1 } }));
    const input = {};
    for (let count = 0; count < 100; count++) schema.validate(input);
    expect(input).toEqual({});
  });
});

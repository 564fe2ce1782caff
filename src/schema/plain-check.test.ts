import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ValidationBudgetExceeded, ValidationBudget, compileJsonSchema } from "./compile-json-schema.ts";
import { plainCheck } from "./plain-check.ts";
import type { JsonSchema } from "./schema.ts";

const steps = 1_000_000;

function plainOf(json: JsonSchema, max = steps): ((value: unknown) => boolean) | undefined {
  const work = new ValidationBudget();
  const check = plainCheck(json, work);
  return (
    check &&
    ((value) => {
      work.start(max);
      return check(value);
    })
  );
}

function compiledOf(json: JsonSchema): (value: unknown) => boolean {
  const work = new ValidationBudget();
  const { accepts } = compileJsonSchema(json, work);
  return (value) => {
    work.start(steps);
    return accepts(value);
  };
}

/** The verdicts of both checks on a value, and the value after each. */
function compare(json: JsonSchema, value: unknown): { plain: unknown; compiled: unknown } {
  const [one, other] = [structuredClone(value), structuredClone(value)];
  const plain = plainOf(json)?.(one);
  const compiled = compiledOf(json)(other);
  return { plain: [plain, plain === true ? one : "-"], compiled: [compiled, compiled ? other : "-"] };
}

const names = fc.constantFrom("a", "b", "c", "size", "übung", "a/b", "x-y");
const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    1,
    2,
    1.5,
    -3,
    1e300,
    "",
    "a",
    "ab",
    "abc",
    "𝒳",
    "𝒳𝒳",
    "\ud835",
    "x@y.de",
  ),
  fc.integer({ min: -5, max: 5 }),
  fc.string({ maxLength: 4, unit: "binary" }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const typeNames = ["string", "number", "integer", "boolean", "null", "array", "object"];
const counts = fc.nat(3);
const limits = fc.constantFrom(-2, 0, 1, 1.5, 3);

/** Every keyword of plain schemas, in any combination. */
const schemas = fc.letrec<{ schema: JsonSchema; inner: JsonSchema | boolean }>((tie) => ({
  inner: fc.oneof({ weight: 8, arbitrary: tie("schema") }, { weight: 1, arbitrary: fc.boolean() }),
  schema: fc.record(
    {
      type: fc.oneof(fc.constantFrom(...typeNames), fc.uniqueArray(fc.constantFrom(...typeNames), { minLength: 1 })),
      enum: fc.array(scalars, { minLength: 1, maxLength: 4 }),
      const: scalars,
      default: values,
      minimum: limits,
      maximum: limits,
      exclusiveMinimum: limits,
      exclusiveMaximum: limits,
      minLength: counts,
      maxLength: counts,
      pattern: fc.constantFrom("^a", "b$", "^[a-c]*$"),
      format: fc.constantFrom("email", "date", "uri-reference", "unheard-of"),
      items: fc.oneof({ depthSize: "small" }, fc.constant({ type: "string" }), tie("inner")),
      minItems: counts,
      maxItems: counts,
      properties: fc.oneof({ depthSize: "small" }, fc.constant({}), fc.dictionary(names, tie("inner"), { maxKeys: 3 })),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: fc.oneof({ depthSize: "small" }, fc.boolean(), tie("inner")),
      description: fc.string(),
      title: fc.string(),
    },
    { requiredKeys: [] },
  ),
})).schema;

const fitting: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.string({ maxLength: 3 }),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  integer: fc.integer(),
  boolean: fc.boolean(),
  null: fc.constant(null),
  array: fc.array(scalars, { maxLength: 3 }),
  object: fc.dictionary(names, scalars, { maxKeys: 2 }),
};

/** An object schema with a value that matches it unless a limit or a default prevents that. */
const fittingPairs = fc
  .dictionary(names, fc.constantFrom(...typeNames), { maxKeys: 4 })
  .chain((types) =>
    fc.record({
      types: fc.constant(types),
      value: fc.record(
        Object.fromEntries(Object.entries(types).map(([name, type]) => [name, fitting[type] ?? scalars])),
        { requiredKeys: [] },
      ),
      presets: fc.record(
        Object.fromEntries(Object.entries(types).map(([name, type]) => [name, fitting[type] ?? scalars])),
        { requiredKeys: [] },
      ),
      more: fc.record({ maxLength: fc.constant(2), minimum: fc.constant(0), maxItems: counts }, { requiredKeys: [] }),
    }),
  )
  .map(({ types, value, presets, more }): { json: JsonSchema; some: unknown[] } => {
    const properties = Object.entries(types).map(([name, type]) => {
      const preset: unknown = presets[name];
      return [name, { type, ...more, ...(preset !== undefined && { default: preset }) }];
    });
    return {
      json: { type: "object", properties: Object.fromEntries(properties), additionalProperties: false },
      some: [value, {}],
    };
  });

/** Any schema with any values. */
const anyPairs = fc.record({ json: schemas, some: fc.array(values, { minLength: 1, maxLength: 6 }) });

describe("the plain check", () => {
  test("agrees with the compiled validator about every value, and fills in the same defaults", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(anyPairs, fittingPairs), ({ json, some }) => {
        for (const value of some) {
          const { plain, compiled } = compare(json, value);
          expect(plain).toEqual(compiled);
          if (Array.isArray(compiled) && compiled[0] === true) accepted++;
        }
      }),
      { numRuns: 300 },
    );
    // Agreement only about refusals would prove little.
    expect(accepted).toBeGreaterThan(100);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["holes of a list", { items: { type: "string" } }, Object.assign([], { 1: "a" })],
    [
      "keys that are there without a value",
      { properties: { a: { type: "string" } }, required: ["a"] },
      { a: undefined },
    ],
    ["numbers that are none", { minimum: 1 }, Number.NaN],
    ["numbers that are endless", { type: "number" }, Infinity],
    ["characters of two units", { minLength: 2, maxLength: 2 }, "𝒳𝒳"],
    ["half of such a character", { maxLength: 1 }, "\ud835"],
    ["a default that does not fit", { properties: { a: { type: "string", default: 1 } } }, {}],
    ["defaults inside of a default", { properties: { a: { default: {}, properties: { b: { default: 1 } } } } }, {}],
  ])("judges %s like the compiled validator, or leaves them to it", (_, json, value) => {
    const { plain, compiled } = compare(json, value);
    expect([compiled, [false, "-"]]).toContainEqual(plain);
  });

  test("creates a new default for every value", () => {
    const check = plainOf({ properties: { list: { default: [] } } });
    const [one, other]: { list?: unknown }[] = [{}, {}];
    expect([check?.(one), check?.(other), one?.list]).toEqual([true, true, []]);
    expect(one?.list).not.toBe(other?.list);
  });

  test.each<[string, JsonSchema]>([
    ["references", { $defs: { a: {} }, properties: { a: { $ref: "#/$defs/a" } } }],
    ["unions", { properties: { a: { anyOf: [{ type: "string" }] } } }],
    ["tuples of an earlier draft", { items: [{ type: "string" }] }],
    ["items that must differ", { type: "array", uniqueItems: true }],
    ["keys by pattern", { patternProperties: { "^a": {} } }],
    ["names that every object has", { properties: { toString: { type: "string" } } }],
    ["such a name that is required", { required: ["constructor"] }],
    [
      "a default that reaches for a prototype",
      { properties: { a: { default: JSON.parse('{"__proto__":{}}') as unknown } } },
    ],
    ["anything of this inside of a list", { items: { not: {} } }],
  ])("leaves %s to the compiled validator", (_, json) => {
    expect(plainOf(json)).toBeUndefined();
  });

  test("charges for patterns and for wide schemas like the compiled validator", () => {
    expect(() => plainOf({ pattern: "^(a|b)*$" }, 100)?.("ab".repeat(1000))).toThrow(ValidationBudgetExceeded);
    const wide = { items: { enum: Array.from({ length: 500 }, (__, index) => index) } };
    expect(() => plainOf(wide, 10_000)?.(Array.from({ length: 100 }, () => 1))).toThrow(ValidationBudgetExceeded);
  });
});

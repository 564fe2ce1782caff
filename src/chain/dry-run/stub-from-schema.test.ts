import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { stubFromSchema } from "./stub-from-schema.ts";

const cases: [string, JsonSchema, unknown][] = [
  ["a constant", { const: { a: 1 } }, { a: 1 }],
  ["an example before a default", { type: "string", default: "d", examples: ["e"] }, "e"],
  ["a default", { type: "number", default: 3 }, 3],
  ["the first choice", { enum: ["low", "high"] }, "low"],
  ["text", { type: "string", minLength: 6 }, "text.."],
  ["short text", { type: "string", maxLength: 2 }, "te"],
  ["an address", { type: "string", format: "uri" }, "https://example.com/"],
  ["a number above its minimum", { type: "integer", exclusiveMinimum: 4 }, 5],
  ["a number below its maximum", { type: "number", exclusiveMaximum: -1 }, -2],
  ["a number between two close limits", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  ["a multiple", { type: "integer", minimum: 7, multipleOf: 5 }, 10],
  ["zero where it fits", { type: "number", minimum: -3 }, 0],
  ["not null where there is more", { type: ["null", "boolean"] }, true],
  ["the first form that is not null", { anyOf: [{ type: "null" }, { type: "integer" }] }, 0],
  ["required properties only", { properties: { a: { type: "integer" }, b: {} }, required: ["a"] }, { a: 0 }],
  [
    "all properties where none is required",
    { type: "object", properties: { a: { const: 1 }, b: {} } },
    { a: 1, b: null },
  ],
  ["one item of a list", { type: "array", items: { type: "string" } }, ["text"]],
  ["as many items as needed", { type: "array", items: { type: "integer" }, minItems: 3, uniqueItems: true }, [0, 1, 2]],
  ["no item where none may be", { type: "array", maxItems: 0 }, []],
  ["a tuple", { prefixItems: [{ const: 1 }, { const: 2 }], items: false, type: "array" }, [1, 2]],
  [
    "all parts of allOf",
    {
      allOf: [
        { properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: { const: 2 } }, required: ["b"] },
      ],
    },
    { a: 1, b: 2 },
  ],
  ["a reference", { $ref: "#/$defs/x", $defs: { x: { const: 7 } } }, 7],
  [
    "a tree, once round",
    {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { value: { type: "integer" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["value", "children"],
        },
      },
    },
    { value: 0, children: [] },
  ],
  ["nothing is said", {}, null],
  [
    "a key that prototypes have",
    JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}') as JsonSchema,
    JSON.parse('{"__proto__":1}'),
  ],
];

describe("stubFromSchema", () => {
  test.each(cases)("%s", (_name, schema, expected) => {
    expect(JSON.stringify(stubFromSchema(schema))).toBe(JSON.stringify(expected));
    expect(fromJsonSchema(schema).validate(stubFromSchema(schema)).issues).toBeUndefined();
  });

  test("a stub of any ordinary schema is valid, and the same every time", () => {
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.record({ type: fc.constant("string"), minLength: fc.nat(9) }),
        fc.record({ type: fc.constantFrom("integer", "number"), minimum: fc.integer({ min: -9, max: 9 }) }),
        fc.record({ type: fc.constantFrom("integer", "number"), exclusiveMaximum: fc.integer({ min: -9, max: 9 }) }),
        fc.constantFrom<JsonSchema>({ type: "boolean" }, { enum: [1, "a"] }, { type: "string", format: "date-time" }),
        fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) }),
        fc.dictionary(fc.string({ minLength: 1 }), tie("schema"), { maxKeys: 4 }).map((properties) => ({
          type: "object",
          properties,
          required: Object.keys(properties).slice(1),
        })),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      ),
    }));
    fc.assert(
      fc.property(schema, (schema) => {
        const stub = stubFromSchema(schema);
        expect(fromJsonSchema(schema).validate(stub).issues).toBeUndefined();
        expect(stubFromSchema(schema)).toEqual(stub);
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  test("hostile schemas end quickly", () => {
    const wide = {
      type: "array",
      minItems: 1e9,
      items: { type: "array", minItems: 1e9, items: { type: "array", minItems: 1e9 } },
    };
    expect(JSON.stringify(stubFromSchema(wide)).length).toBeLessThan(100_000);
    expect(stubFromSchema({ $ref: "#" })).toBeNull();
    expect(stubFromSchema({ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { $ref: "#/$defs/a" } } })).toBeNull();
    expect(stubFromSchema({ type: "string", minLength: 1e12 })).toHaveLength(10_000);
    const loop = {
      $ref: "#/$defs/a",
      $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
    };
    expect(stubFromSchema(loop)).toBeNull();
  });
});

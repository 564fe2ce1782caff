import { describe, expect, test } from "vitest";
import { defaultOf, describeLimits, describeType, exampleOf } from "./describe-parameter.ts";
import { otherTypesOf, parametersOf } from "./tool-parameters.ts";

describe("the parameters of a schema", () => {
  test("are found in its properties, behind references and in every variant of a union", () => {
    const found = parametersOf({
      $ref: "#/$defs/base",
      anyOf: [
        { properties: { a: { type: "string" }, kind: { const: "a" } }, required: ["a", "kind"] },
        { properties: { b: { type: "number" }, kind: { const: "b" } }, required: ["b", "kind"] },
      ],
      allOf: [{ properties: { c: {} }, required: ["c"] }],
      $defs: { base: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
    });
    expect(found.map(({ name, required }) => [name, required])).toEqual([
      ["id", true],
      ["c", true],
      ["a", false],
      ["kind", false],
      ["b", false],
    ]);
  });

  test("a recursive schema terminates", () => {
    const json = {
      type: "object",
      properties: { node: { $ref: "#/$defs/node" } },
      $defs: { node: { $ref: "#/$defs/node" } },
    };
    expect(parametersOf(json)).toMatchObject([{ name: "node", types: new Set() }]);
    expect(parametersOf({ allOf: [{ $ref: "#" }], properties: { a: {} } })).toHaveLength(1);
  });

  test.each([
    [{ type: "string" }, ["string"], "string"],
    [{ type: ["integer", "null"] }, ["integer", "null"], "integer or null"],
    [{ type: "string", nullable: true }, ["string", "null"], "string or null"],
    [{ enum: ["a", 1, null] }, ["string", "number", "null"], "string or number or null"],
    [{ anyOf: [{ type: "string" }, { type: "array" }] }, ["string", "array"], "string or list"],
    [{ anyOf: [{ type: "string" }, {}] }, [], "any"],
    [{ allOf: [{ description: "x" }, { type: "boolean" }] }, ["boolean"], "boolean"],
    [{ type: "array", items: { type: "string" } }, ["array"], "list of string"],
    [
      { anyOf: [{ type: "string" }, { type: "array", items: { type: ["object", "integer"] } }] },
      ["string", "array"],
      "string or list of object or integer",
    ],
    [{}, [], "any"],
  ])("%j takes %j", (schema, types, words) => {
    const json = { properties: { x: schema } };
    const [parameter] = parametersOf(json);
    expect([...(parameter?.types ?? [])]).toEqual(types);
    expect(parameter && describeType(parameter, json)).toBe(words);
  });

  test.each([
    [{}, []],
    [{ properties: { a: {} } }, undefined],
    [{ properties: { a: {} }, additionalProperties: false }, undefined],
    [{ properties: { a: {} }, additionalProperties: { type: "number" } }, ["number"]],
    [{ properties: { a: {} }, additionalProperties: true }, []],
  ])("other keys of %j take %j", (json, types) => {
    const others = otherTypesOf(json);
    expect(others && [...others]).toEqual(types);
  });
});

test.each([
  [{ type: "integer", minimum: 1, maximum: 7, default: 3 }, ["1 to 7"], 3, 3],
  [{ type: "number", exclusiveMinimum: 0 }, ["above 0"], undefined, 1],
  [{ type: "string", minLength: 2 }, ["at least 2 characters"], undefined, "……"],
  [{ type: "string", pattern: "^https?://" }, ["matches ^https?://"], undefined, "https://example.com"],
  [{ type: "string", enum: ["GET", "a b"] }, ["one of GET, a b"], undefined, "GET"],
  [{ type: "string", minLength: 1 }, ["at least 1 character"], undefined, "…"],
  [{ type: "number", exclusiveMinimum: 4.5 }, ["above 4.5"], undefined, 5],
  [{ type: "number", maximum: -2 }, ["at most -2"], undefined, -2],
  [{ type: "array", maxItems: 3 }, ["at most 3 items"], undefined, []],
  [{ type: "array", maxItems: 1 }, ["at most 1 item"], undefined, []],
  [
    {
      type: "array",
      minItems: 1,
      items: { properties: { a: { type: "string" }, b: {} }, required: ["a"], type: "object" },
    },
    ["at least 1 item"],
    undefined,
    [{ a: "…" }],
  ],
  [{ type: "string", examples: ["北京"], format: "city" }, ["city"], undefined, "北京"],
])("%j is described as text", (...[schema, limits, preset, example]) => {
  const json = { properties: { x: schema } };
  const [parameter] = parametersOf(json);
  if (parameter === undefined) throw new Error("no parameter");
  expect(describeLimits(parameter)).toEqual(limits);
  expect(defaultOf(parameter)).toEqual(preset);
  expect(exampleOf(parameter, json)).toEqual(example);
});

test("an example of a recursive schema terminates", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] };
  const json = { properties: { x: { $ref: "#/$defs/node" } }, $defs: { node } };
  const [parameter] = parametersOf(json);
  expect(parameter && JSON.stringify(exampleOf(parameter, json)).length).toBeLessThan(100);
});

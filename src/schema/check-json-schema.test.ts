import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { checkJsonSchema } from "./check-json-schema.ts";
import { fromJsonSchema } from "./from-json-schema.ts";

function failureOf(json: unknown): { code: string; reason: string | undefined; message: string } {
  try {
    checkJsonSchema(json);
  } catch (error) {
    if (isFailureError(error)) return { code: error.code, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error("the schema was accepted");
}

describe("patterns", () => {
  interface Row {
    area: string;
    input: string | { $repeat: string; n: number; prefix: string; suffix: string };
    expected: string;
  }
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
    ({ area }) => area === "regex-load",
  );

  test("the data holds the rows", () => {
    expect(rows.length).toBeGreaterThanOrEqual(5);
  });

  test.each(
    rows.map(({ input, expected }) => [typeof input === "string" ? input : input.$repeat, input, expected] as const),
  )("%s is refused when the schema is made", (_name, input, expected) => {
    const pattern = typeof input === "string" ? input : input.prefix + input.$repeat.repeat(input.n) + input.suffix;
    const reason = /^refuse:(\w+)/.exec(expected)?.[1];
    for (const json of [
      { type: "object", properties: { x: { type: "string", pattern } } },
      { type: "object", patternProperties: { [pattern]: {} } },
      { $defs: { unused: { anyOf: [{ pattern }] } } },
    ]) {
      expect(failureOf(json)).toMatchObject({ code: "tool_invalid", reason });
      expect(() => fromJsonSchema(json)).toThrow("pattern");
    }
  });
});

describe("an invalid schema is refused with the location of the problem", () => {
  test.each<[unknown, string]>([
    [null, "must be an object"],
    ["string", "must be an object"],
    [[], "must be an object"],
    [
      { type: "strnig" },
      'type: must be one of string, number, integer, boolean, array, object, null; did you mean "string"?',
    ],
    [{ type: [] }, "type: must be one of"],
    [{ properties: { a: { minimum: "1" } } }, "properties.a.minimum: must be a number"],
    [{ exclusiveMinimum: true }, "exclusiveMinimum: must be a number"],
    [{ required: "a" }, "required: must be a list of names"],
    [{ required: [1] }, "required: must be a list of names"],
    [{ enum: [] }, "enum: must be a list of one value or more"],
    [{ anyOf: [] }, "anyOf: must be a list of one schema or more"],
    [{ anyOf: [{ items: 5 }] }, "anyOf[0].items: must be a schema"],
    [{ properties: [] }, "properties: must be an object of schemas"],
    [{ properties: { a: "string" } }, "properties: must be an object of schemas"],
    [{ minLength: -1 }, "minLength: must be a whole number of 0 or more"],
    [{ maxItems: 1.5 }, "maxItems: must be a whole number of 0 or more"],
    [{ multipleOf: 0 }, "multipleOf: must be a number above 0"],
    [{ pattern: 5 }, "pattern: must be a string"],
    [{ pattern: "[" }, "missing closing ]"],
    [{ $async: true }, "not supported"],
    [{ $dynamicRef: "#x" }, "not supported"],
    [{ default: () => 1 }, "JSON cannot carry"],
    [{ default: new Date(0) }, "JSON cannot carry"],
    [{ default: Number.NaN }, "JSON cannot carry"],
    [{ $ref: "#/$defs/none" }, "refers to no schema"],
    [{ $ref: "#/title", title: "x" }, "refers to no schema"],
    [{ $ref: "#/x/y", x: { y: {} } }, "refers to no schema"],
    [{ $ref: "#anchor", $defs: { a: { $anchor: "anchor" } } }, "refers to no schema"],
    [{ $ref: "#/%zz" }, "refers to no schema"],
    [{ properties: { a: { $ref: "https://example.com/s.json" } } }, "properties.a"],
    [{ $ref: "other.json" }, "refers outside the schema"],
    [{ $ref: "#" }, "refers back to itself"],
    [
      {
        anyOf: [{ $ref: "#/$defs/a" }],
        $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
      },
      "refers back to itself",
    ],
  ])("%j", (json, message) => {
    const failure = failureOf(json);
    expect(failure.code).toBe("tool_invalid");
    expect(failure.message).toContain(message);
  });

  test("a schema that is too deep, too large, or circular is refused", () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 66; i++) deep = { properties: { a: deep } };
    expect(failureOf(deep).reason).toBe("schema_too_deep");
    let deeper: unknown = 1;
    for (let i = 0; i < 10_000; i++) deeper = [deeper];
    expect(failureOf({ default: deeper }).reason).toBe("schema_too_deep");
    expect(failureOf({ description: "x".repeat(300_000) }).reason).toBe("schema_too_large");
    expect(failureOf({ enum: Array.from({ length: 200_000 }, (_, i) => i) }).reason).toBe("schema_too_large");
    const cyclic: Record<string, unknown> = {};
    cyclic["properties"] = { a: cyclic };
    expect(failureOf(cyclic).reason).toMatch(/^schema_too_/);
  });

  test("64 levels are allowed", () => {
    let deep: Record<string, unknown> = { type: "string" };
    for (let i = 0; i < 64; i++) deep = { type: "object", properties: { a: deep } };
    expect(() => checkJsonSchema(deep)).not.toThrow();
  });
});

test("the stored schema cannot be changed by the caller", () => {
  const input = { type: "object", properties: { a: { type: "string" } } };
  const stored = checkJsonSchema(input);
  input.properties.a.type = "number";
  expect(stored).toEqual({ type: "object", properties: { a: { type: "string" } } });
  expect(Object.isFrozen(stored["properties"])).toBe(true);
});

test("every accepted schema can be compiled", () => {
  const keyword = fc.constantFrom(
    ...(
      "type properties items anyOf allOf not $ref required enum pattern format minimum additionalProperties prefixItems " +
      "$defs default const nullable $id id if then dependencies uniqueItems $anchor discriminator dependentRequired " +
      "unevaluatedProperties constructor contains $comment"
    ).split(" "),
  );
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(
        "string",
        "object",
        "array",
        "#",
        "#/$defs/a",
        "a",
        "^a+$",
        "uri",
        "toString",
        "__proto__",
      ),
      fc.constantFrom<unknown>(0, 1, 2, true, false, null),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(keyword, tie("any"), { maxKeys: 4, noNullPrototype: true }),
      fc.dictionary(fc.constantFrom("a", "b", "toString"), tie("any"), { maxKeys: 2, noNullPrototype: true }),
    ),
  }));
  let accepted = 0;
  const isAccepted = (json: unknown): boolean => {
    try {
      checkJsonSchema(json);
      return true;
    } catch (error) {
      if (isFailureError(error)) return false;
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.dictionary(keyword, any, { maxKeys: 5, noNullPrototype: true }), (json) => {
      if (!isAccepted(json)) return;
      accepted++;
      for (const value of [{}, [], "a", 1, null, { a: 1 }]) {
        const { issues = [] } = fromJsonSchema(json).validate(value);
        expect(issues.map(({ code }) => code)).not.toContain("schema_invalid");
      }
    }),
    { numRuns: 3000, seed: 11 },
  );
  expect(accepted).toBeGreaterThan(100);
});

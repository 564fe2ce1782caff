import { describe, expect, test } from "vitest";
import type { JsonSchema } from "./schema.ts";
import { unknownKeys } from "./unknown-keys.ts";

function paths(json: JsonSchema, value: unknown): string[] {
  return unknownKeys(json, value).map(({ path }) => path.join("."));
}

const point: JsonSchema = { type: "object", properties: { x: {}, y: {} } };

describe("undeclared keys", () => {
  test.each<[string, JsonSchema, unknown, string[]]>([
    ["at the top", point, { x: 1, z: 1 }, ["z"]],
    [
      "inside objects and arrays",
      { properties: { list: { items: point } } },
      { list: [{ x: 1 }, { q: 1 }] },
      ["list.1.q"],
    ],
    [
      "inside tuples",
      { properties: { t: { prefixItems: [point], items: { properties: { a: {} } } } } },
      { t: [{ z: 1 }, { z: 1 }] },
      ["t.0.z", "t.1.z"],
    ],
    ["inside old tuples", { items: [point], additionalItems: point }, [{ z: 1 }, { z: 1 }], ["0.z", "1.z"]],
    ["behind references", { properties: { p: { $ref: "#/$defs/p" } }, $defs: { p: point } }, { p: { z: 1 } }, ["p.z"]],
    ["in recursion", { properties: { next: { $ref: "#" } } }, { next: { next: { z: 1 } } }, ["next.next.z"]],
    ["none where the schema is closed and all are known", { ...point, additionalProperties: false }, { x: 1 }, []],
    ["none where other keys are welcome", { ...point, additionalProperties: true }, { z: 1 }, []],
    ["inside keys of a map", { additionalProperties: point }, { any: { z: 1 } }, ["any.z"]],
    ["none where nothing is declared", { type: "object" }, { z: 1 }, []],
    ["all where no key is declared but the object is closed", { type: "object", properties: {} }, { z: 1 }, ["z"]],
    ["none that match a pattern", { ...point, patternProperties: { "^z": {} } }, { z1: 1, q: 1 }, ["q"]],
    ["none known to any form", { anyOf: [point, { properties: { z: {} } }] }, { x: 1, z: 1, q: 1 }, ["q"]],
    ["none known to any member", { allOf: [point, { properties: { z: {} } }] }, { x: 1, z: 1, q: 1 }, ["q"]],
    ["none known to a condition", { ...point, if: {}, else: { properties: { z: {} } } }, { z: 1, q: 1 }, ["q"]],
    ["none in a value that is no object", point, 5, []],
  ])("%s", (...row) => {
    const [, json, value, expected] = row;
    expect(paths(json, value)).toEqual(expected);
  });

  test("a suggestion is a key that is not used yet", () => {
    const json: JsonSchema = { properties: { query: {}, limit: {} } };
    expect(unknownKeys(json, { quer: 1 })).toEqual([
      { path: ["quer"], code: "unknown", message: 'unknown key "quer"; did you mean "query"?', suggestion: "query" },
    ]);
    expect(unknownKeys(json, { query: 1, quer: 1 })[0]?.message).toBe('unknown key "quer"; known: query, limit');
    expect(unknownKeys({ properties: { a: { properties: { deep: {} } } } }, { a: { dep: 1 } })[0]?.message).toBe(
      'unknown key "dep" in a; did you mean "deep"?',
    );
  });

  test("keys of prototypes are not known by accident", () => {
    expect(paths({ properties: { a: {} } }, { toString: 1, constructor: 1 })).toEqual(["toString", "constructor"]);
  });

  test("at most twenty are reported, quickly, for any value", () => {
    const value = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, { z: i }]));
    expect(paths(point, value)).toHaveLength(20);
    const cyclic: Record<string, unknown> = { z: 1 };
    cyclic["next"] = cyclic;
    expect(paths({ properties: { next: { $ref: "#" } } }, cyclic)).toHaveLength(20);
  });
});

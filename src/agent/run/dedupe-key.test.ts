import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../base/index.ts";
import { dedupeKey } from "./dedupe-key.ts";

describe("the key of a call", () => {
  test("is the same for the same data, in any order of keys", () => {
    expect(dedupeKey("t", { b: [1, { d: null, c: true }], a: "x" })).toBe(
      dedupeKey("t", { a: "x", b: [1, { c: true, d: null }] }),
    );
    const many = Array.from({ length: 20 }, (_, at) => [`k${at}`, at] as const);
    expect(dedupeKey("t", Object.fromEntries(many))).toBe(dedupeKey("t", Object.fromEntries(many.toReversed())));
    expect(dedupeKey("t", { a: 1, b: undefined })).toBe(dedupeKey("t", { a: 1 }));
    expect(dedupeKey("t", { a: -0 })).toBe(dedupeKey("t", { a: 0 }));
  });

  test.each([
    [{ a: "1" }, { a: 1 }],
    [{ a: "x", b: "y" }, { a: 'x,1 b"1 y' }],
    [{ a: ["1", "2"] }, { a: ['1,"1 2'] }],
    [{ a: [1, 2] }, { a: [12] }],
    [{ a: [] }, { a: {} }],
    [{ a: null }, { a: "null" }],
    [{ a: true }, { a: "true" }],
    [{}, { "": "" }],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
  ])("differs for %j and %j", (one, other) => {
    expect(dedupeKey("t", one)).not.toBe(dedupeKey("t", other));
  });

  test("differs for another tool", () => {
    expect(dedupeKey("t", {})).not.toBe(dedupeKey("u", {}));
    expect(dedupeKey("t", { a: "zz {1 b1" })).not.toBe(dedupeKey('t {1 a"8 zz', { b: 1 }));
  });

  test("distinguishes the same values as JSON, and no others", () => {
    assert(
      property(jsonValue(), jsonValue(), (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(dedupeKey("t", one) === dedupeKey("t", other)).toBe(isSame);
        expect(dedupeKey("t", one)).toBe(dedupeKey("t", JSON.parse(canonicalJson(one))));
      }),
    );
  });

  test("the key of a value that is not plain JSON is that of its JSON form", () => {
    const date = new Date(0);
    expect(dedupeKey("t", { at: date })).toBe(dedupeKey("t", { at: new Date(0) }));
    expect(dedupeKey("t", { at: date })).not.toBe(dedupeKey("t", { at: new Date(1) }));
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`) as unknown;
    expect(dedupeKey("t", deep)).toBe(dedupeKey("t", structuredClone(deep)));
  });
});

import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../base/index.ts";
import { callKey } from "./call-key.ts";

describe("the key of a call", () => {
  test("is the same for the same data, in whatever order its keys are", () => {
    expect(callKey("t", { b: [1, { d: null, c: true }], a: "x" })).toBe(
      callKey("t", { a: "x", b: [1, { c: true, d: null }] }),
    );
    const many = Array.from({ length: 20 }, (_, at) => [`k${at}`, at] as const);
    expect(callKey("t", Object.fromEntries(many))).toBe(callKey("t", Object.fromEntries(many.toReversed())));
    expect(callKey("t", { a: 1, b: undefined })).toBe(callKey("t", { a: 1 }));
    expect(callKey("t", { a: -0 })).toBe(callKey("t", { a: 0 }));
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
  ])("is another for %j and %j", (one, other) => {
    expect(callKey("t", one)).not.toBe(callKey("t", other));
  });

  test("is another for another tool", () => {
    expect(callKey("t", {})).not.toBe(callKey("u", {}));
    expect(callKey("t", { a: "zz {1 b1" })).not.toBe(callKey('t {1 a"8 zz', { b: 1 }));
  });

  test("tells apart what JSON does, and nothing else", () => {
    assert(
      property(jsonValue(), jsonValue(), (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(callKey("t", one) === callKey("t", other)).toBe(isSame);
        expect(callKey("t", one)).toBe(callKey("t", JSON.parse(canonicalJson(one))));
      }),
    );
  });

  test("of what is no plain JSON is that of what JSON makes of it", () => {
    const date = new Date(0);
    expect(callKey("t", { at: date })).toBe(callKey("t", { at: new Date(0) }));
    expect(callKey("t", { at: date })).not.toBe(callKey("t", { at: new Date(1) }));
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`) as unknown;
    expect(callKey("t", deep)).toBe(callKey("t", structuredClone(deep)));
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../secrets/index.ts";
import { failureText, valueText } from "./record-text.ts";

const secret = "swordfish-0123456789-swordfish";
const redactor = createRedactor([secret]);
const large = "y".repeat(300_000);

function previewOf(value: unknown): string {
  const stored = JSON.parse(valueText(value, redactor) ?? "null");
  expect(stored).toMatchObject({ $truncated: true });
  return stored.preview;
}

describe("the text of a value", () => {
  test("is its JSON, or null if there is no value", () => {
    expect(valueText({ a: [1, "é"] }, redactor)).toBe('{"a":[1,"é"]}');
    expect(valueText(null, redactor)).toBe("null");
    expect(valueText(undefined, redactor)).toBeNull();
  });

  test("contains the reason if the value could not be stored", () => {
    const circular: unknown[] = [];
    circular.push(circular);
    const reasons = [1n, circular, () => 1].map((value) => JSON.parse(valueText(value, redactor) ?? "").reason);
    expect(reasons).toEqual(["it holds a BigInt", "it contains itself", "it is a function"]);
  });

  test("redacts values under sensitive names, also in a preview", () => {
    expect(valueText({ password: "p" }, redactor)).toBe('{"password":"[redacted]"}');
    expect(previewOf({ password: "pppppp", large })).not.toContain("pppppp");
    expect(previewOf([{ nested: { apiKey: "zzzzzz" } }, large])).not.toContain("zzzzzz");
  });

  test("survives a redactor that throws", () => {
    const throwing = { text: () => { throw new Error("no"); }, value: () => { throw new Error("no"); } }; // prettier-ignore
    expect(valueText({ a: 1 }, throwing)).toBe('{"$not_json":true,"reason":"reading it threw an error"}');
    const failure = { code: "timeout", message: secret, forModel: secret, retry: "safe" } as const;
    expect(JSON.parse(failureText(failure, throwing))).toMatchObject({ code: "timeout", retry: "safe" });
    expect(failureText(failure, throwing)).not.toContain(secret);
  });

  test("shows the beginning of a large value of any shape, in bounded time", () => {
    expect(previewOf(large)).toMatch(/^"y{1900}/);
    expect(previewOf({ first: 1, large })).toMatch(/^\{"first":1,"large":"y{1900}/);
    expect(previewOf(Array.from({ length: 100_000 }, (_, i) => i))).toMatch(/^\[0,1,2,/);
    expect(previewOf({ toJSON: () => ({ shown: large }) })).toMatch(/^\{"shown":"y/);
    expect(previewOf([new Date(0), large])).toMatch(/^\["1970-01-01T00:00:00.000Z","y/);
  });

  test("never shows a part of a secret, regardless of where a preview is cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 25_000 }), fc.integer({ min: 0, max: 40 }), (before, many) => {
        const text = `${`${secret} `.repeat(many)}${"x".repeat(before)}${secret}${large}`;
        for (const value of [text, { text }, [text, text]]) expect(previewOf(value)).not.toContain("swordfi");
      }),
      { seed: 7, numRuns: 60 },
    );
  });
});

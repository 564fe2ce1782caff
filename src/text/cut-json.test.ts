import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutJson, measureJson } from "./cut-json.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const page = (size: number): Record<string, unknown> => ({
  url: "https://example.com/a",
  title: "A title",
  text: "All work and no play. ".repeat(size),
});

describe("a value as JSON is cut", () => {
  test.each<[unknown, number, string]>([
    [{ a: [1, 2, { b: "c" }], d: null }, 40, '{"a":[1,2,{"b":"c"}],"d":null}'],
    [["a", "b", "c", "d", "e", "f", "g"], 26, '["a","b","… 5 more items"]'],
    [["a", "b", "c", "d", "e", "f", "g"], 19, '["… 7 more items"]'],
    [["a", "b", "c", "d", "e", "f", "g"], 10, '"…"'],
    [[1, 2], 5, "[1,2]"],
    [[1, 2], 4, '"…"'],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 30, '{"a":1,"…":"5 more keys"}'],
    [{ "…": 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 32, '{"…":1,"b":2,"……":"4 more keys"}'],
    ["It rained all day. We stayed at home.", 25, '"It rained all day.…"'],
    ["x".repeat(200), 60, `"${"x".repeat(40)}… (200 characters)"`],
    [["x".repeat(1_000)], 60, `["${"x".repeat(37)}… (1000 characters)"]`],
    [["x".repeat(1_000), "y".repeat(1_000)], 60, `["${"x".repeat(25)}…","${"y".repeat(26)}…"]`],
    ["\n".repeat(50), 20, '"…"'],
    ["\u0001a\u0001b", 12, '"\\u0001a…"'],
    ["👨‍👩‍👧👨‍👩‍👧", 12, '"👨‍👩‍👧…"'],
    [12_345, 4, '"…"'],
    [[], 3, "[]"],
    [undefined, 10, "null"],
  ])("case %#", (value, max, expected) => {
    expect(cutJson(value, max).text).toBe(expected);
  });

  test("values that JSON cannot represent become null", () => {
    expect(cutJson([Number.NaN, 1n, undefined, () => 1], 40).text).toBe("[null,null,null,null]");
  });

  test("every large part stays visible, and the small ones are complete", () => {
    const { text, cut } = cutJson({ query: "play", results: [page(200), page(1), page(300)], total: 3 }, 1_500);
    expect(text.length).toBeGreaterThan(1_300);
    const seen = JSON.parse(text) as { query: string; results: Record<string, string>[]; total: number };
    expect([seen.query, seen.total, cut]).toEqual(["play", 3, true]);
    expect(seen.results.map(({ url, title }) => [url, title])).toEqual(
      Array.from({ length: 3 }, () => ["https://example.com/a", "A title"]),
    );
    expect(seen.results[1]).toEqual(page(1));
    expect(seen.results[2]?.["text"]).toMatch(/^All work.*… \(6600 characters\)$/);
  });

  test("the first of many small items are complete, and the rest are counted", () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const seen = JSON.parse(cutJson(rows, 2_000).text) as unknown[];
    expect(seen.slice(0, 3)).toEqual(rows.slice(0, 3));
    expect(seen.at(-1)).toBe(`… ${10_001 - seen.length} more items`);
    expect(seen.length).toBeGreaterThan(60);
  });

  test("the result is valid JSON within the limit, and complete if it fits", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }),
        fc.integer({ min: 3, max: 300 }),
        (value, max) => {
          const whole = JSON.stringify(value);
          const { text, cut } = cutJson(value, max);
          expect(text.length).toBeLessThanOrEqual(max);
          expect(() => JSON.parse(text) as unknown).not.toThrow();
          expect(cut).toBe(whole.length > max);
          expect(cut ? whole : JSON.stringify(JSON.parse(text))).toBe(whole);
          expect(measureJson(1_000_000)(value)).toBe(whole.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each<[string, () => unknown]>([
    ["a million items", () => Array.from({ length: 1_000_000 }, (_, at) => at)],
    ["many keys", () => Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]))],
    ["one long text", () => "\u0001".repeat(5_000_000)],
    ["long keys", () => ({ ["k".repeat(1_000_000)]: 1, ["l".repeat(1_000_000)]: 2, m: 3 })],
    ["sizes that all differ", () => Array.from({ length: 3_000 }, (_, at) => "x".repeat(at))],
  ])("cutting takes little time: %s", (_what, make) => {
    const value = make();
    const started = cpuTime();
    for (const max of [3, 100, 50_000]) {
      const { text } = cutJson(value, max);
      expect(text.length).toBeLessThanOrEqual(max);
      JSON.parse(text);
    }
    expect(cpuTime() - started).toBeLessThan(2_000);
  });

  test("values that are not JSON are cut, too: extremely deep, circular, or with the same value a billion times", () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const circle: Record<string, unknown> = { name: "circle" };
    circle["self"] = circle;
    circle["list"] = [circle, circle];
    let wide: unknown = "x";
    for (let level = 0; level < 40; level++) wide = [wide, wide];
    for (const value of [deep, circle, wide]) {
      const { text, cut } = cutJson(value, 2_000);
      expect(text.length).toBeLessThanOrEqual(2_000);
      expect(cut).toBe(true);
      JSON.parse(text);
    }
    expect(cutJson(circle, 100).text).toBe('{"name":"circle","self":"…","list":["…","…"]}');
  });

  test("at least three characters remain", () => {
    for (const max of [2, 0, -1, Number.NaN]) expect(() => cutJson({}, max)).toThrow(RangeError);
  });
});

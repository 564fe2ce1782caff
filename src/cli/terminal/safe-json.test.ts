import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stripUnsafe } from "../../text/index.ts";
import { safeJson } from "./safe-json.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

test("the output parses to the same value, and contains nothing to strip", () => {
  const unsafe = fc.constantFrom(
    "\u001b[31m",
    "\u009b",
    "\u202e",
    "\u2028",
    "\u{e0041}",
    "\u200d\u200d\u200d",
    "\ud800",
  );
  const text = fc.array(fc.oneof(unsafe, fc.string({ unit: "grapheme" }))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.jsonValue())), (value) => {
      const json = safeJson(value);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(stripUnsafe(json)).toBe(json);
    }),
    { seed: 7, numRuns: 300 },
  );
});

test("harmless text stays readable", () => {
  expect(safeJson({ 你好: "👩‍👩‍👧 é" }, 0)).toBe('{"你好":"👩‍👩‍👧 é"}');
  expect(safeJson(undefined)).toBe("null");
});

test("a megabyte of hostile text is processed quickly", () => {
  const startedAt = cpuTime();
  safeJson("é\u202e".repeat(500_000));
  expect(cpuTime() - startedAt).toBeLessThan(5000);
});

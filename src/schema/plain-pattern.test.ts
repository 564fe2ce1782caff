import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { plainPattern } from "./pattern.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

describe("a plain pattern", () => {
  test.each([
    "^https?://",
    "^[a-z_][a-z0-9_-]*$",
    String.raw`^\d{4}-\d{2}-\d{2}$`,
    "^v[0-9]+$",
    String.raw`^\w+$`,
    "^",
  ])("%s is matched without the linear-time matcher", (source) => expect(plainPattern(source)).toBeDefined());

  test.each([
    ["https?://", "may begin anywhere"],
    ["^a*a*b", "repeats twice"],
    ["^a?a?a?aaa", "has three optional characters"],
    ["^(a+)+$", "has a group"],
    ["^a|b", "has a choice"],
    ["^[^a]$", "has a class of all others"],
    [String.raw`^\p{L}$`, "has a property"],
    [String.raw`^\s$`, "has blanks, of which the matchers know different ones"],
    ["^[z-a]$", "is wrong"],
    ["^a{1,9}$", "has a count with two ends"],
    ["^.*$", "has a dot"],
    ["^*", "repeats nothing"],
    ["^a**", "repeats a repetition"],
  ])("%s is not plain: it %s", (source) => expect(plainPattern(source)).toBeUndefined());

  test("matches the same texts as the linear-time matcher", () => {
    const atoms = fc.constantFrom(
      "a",
      "b",
      "-",
      "/",
      "[a-b]",
      "[ab.-]",
      String.raw`\d`,
      String.raw`\w`,
      String.raw`\.`,
    );
    const part = fc.tuple(atoms, fc.constantFrom("", "", "", "?", "*", "+", "{2}")).map((pair) => pair.join(""));
    const source = fc.tuple(fc.array(part, { maxLength: 5 }), fc.boolean());
    const text = fc.string({ unit: fc.constantFrom("a", "b", "-", "/", ".", "1", "_", "\n", "é", "😀"), maxLength: 8 });
    fc.assert(
      fc.property(source, text, ([parts, ended], subject) => {
        const pattern = `^${parts.join("")}${ended ? "$" : ""}`;
        const own = plainPattern(pattern);
        fc.pre(own !== undefined);
        expect(own.test(subject)).toBe(RE2JS.compile(RE2JS.translateRegExp(pattern)).test(subject));
      }),
      { numRuns: 3000 },
    );
  });

  test("is matched in time linear in the text", () => {
    const long = "a".repeat(1_000_000);
    for (const source of ["^a+a?a?b$", "^[a-z]*a{9}a?b$", "^a?a?a+b"]) {
      const start = cpuTime();
      expect(plainPattern(source)?.test(long)).toBe(false);
      expect(cpuTime() - start).toBeLessThan(2000);
    }
  });
});

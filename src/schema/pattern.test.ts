import { describe, expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

describe("patterns of JavaScript work as people expect", () => {
  test.each<[string, string, string]>([
    ["^\\d{4}-\\d\\d$", "2026-01", "2026-1"],
    ["^[\\u4e00-\\u9fff]+$", "你好", "hi"],
    ["^\\p{Script=Han}+$", "你好", "hi"],
    ["^\\p{sc=Han}+$", "你好", "hi"],
    ["^\\p{Letter}+$", "é", "1"],
    ["^\\p{Lu}$", "A", "a"],
    ["^\\P{L}$", "1", "a"],
    ["^\\u{1F600}$", "😀", "x"],
    ["^.$", "😀", "ab"],
    ["^(?<year>\\d+)$", "2026", "x"],
    ["^a/b\\/c$", "a/b/c", "ab"],
    ["[(?=]", "?", "a"],
    ["^\\\\1$", "\\1", "1"],
    ["^[^\\u0000-\\u001f]*$", "abc", "a\tb"],
    ["b", "abc", "ac"],
    ["^a$", "a", "a\n"],
  ])("%s", (pattern, fits, misses) => {
    expect(compilePattern(pattern).test(fits)).toBe(true);
    expect(compilePattern(pattern).test(misses)).toBe(false);
  });
});

test.each([
  ["(a)\\1", "backreferences"],
  ["(?<n>a)\\k<n>", "backreferences"],
  ["a(?=b)", "lookaround"],
  ["a(?!b)", "lookaround"],
  ["(?<=a)b", "lookaround"],
  ["(?<!a)b", "lookaround"],
])("%s is refused with a reason", (pattern, why) => {
  expect(() => compilePattern(pattern)).toThrow(why);
});

test("the longest pattern has 512 characters", () => {
  expect(() => compilePattern("a".repeat(512))).not.toThrow();
  expect(() => compilePattern("a".repeat(513))).toThrow("at most 512 characters");
});

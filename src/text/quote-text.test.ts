import { expect, test } from "vitest";
import { quoteText } from "./untrusted-text.ts";

test.each([
  ["plain", '"plain"'],
  ['say "no"\\', '"say \\"no\\"\\\\"'],
  ["上周\u202e五", '"上周<U+202E>五"'],
  ["a\nb\u001b[31m\ud800", '"a␊b␛[31m<U+D800>"'],
  ["x".repeat(200), `"${"x".repeat(80)}…"`],
  [`${"x".repeat(79)}😀`, `"${"x".repeat(79)}…"`],
])("%j is quoted as %s", (text, expected) => {
  expect(quoteText(text)).toBe(expected);
});

import { describe, expect, test } from "vitest";
import { showUnsafe, stripUnsafe } from "./untrusted-text.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

test.each([
  ["plain ASCII\n\ttext", "plain ASCII\n\ttext"],
  ["中文，日本語、한국어", "中文，日本語、한국어"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]8;;http://evil\u0007link\u001b]8;;\u0007", "link"],
  ["\u001b]0;title\u001b\\x", "x"],
  ["\u001bP1$r\u001b\\x", "x"],
  ["\u009b31mred", "red"],
  ["\u001b(B\u001b7x", "x"],
  ["a\u0008\u0007\u0000b", "ab"],
  ["safe\rEVIL", "safe\nEVIL"],
  ["one\r\ntwo", "one\ntwo"],
  ["one\u2028two", "one\ntwo"],
  ["\u202etxt.exe\u202c", "txt.exe"],
  ["\u2066x\u2069", "x"],
  ["hi\u{e0049}\u{e0067}\u{e006e}", "hi"],
  ["zero\u200bwidth\ufeff", "zerowidth"],
  ["a\ufe00\ufe01b\u{e0100}", "ab"],
  ["\ud800x", "\ufffdx"],
])("%j becomes %j", (text, expected) => {
  expect(stripUnsafe(text)).toBe(expected);
});

test("emoji, joined emoji and joiners of living scripts stay", () => {
  for (const text of ["👩‍👩‍👧‍👦", "❤️‍🔥", "می‌خواهم", "क्‍ष", "e\u0301", "1️⃣"]) expect(stripUnsafe(text)).toBe(text);
});

test("joiners and selectors in a row are hidden data", () => {
  expect(stripUnsafe(`a${"\u200d\u200c".repeat(50)}b`)).toBe("ab");
});

test("an unterminated escape sequence hides nothing", () => {
  expect(stripUnsafe(`\u001b]0;${"x".repeat(10)}\nnext`)).toContain("next");
  expect(stripUnsafe("\u001b]visible")).toBe("visible");
});

test("stripping is idempotent", () => {
  const text = "\u001b\u001b[31m[31m a\u202e\u001b[\u001b[0m0m";
  expect(stripUnsafe(stripUnsafe(text))).toBe(stripUnsafe(text));
});

describe("a megabyte of hostile text takes linear time", () => {
  test.each(["\u001b]", "\u009d", "\u001b[", "\u001b[0;", "\u001b(", "\u202e", "\u200d", "\u001b]\u001b", "x\u0090"])(
    "%j",
    (piece) => {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const start = cpuTime();
      stripUnsafe(text);
      showUnsafe(text);
      expect(cpuTime() - start).toBeLessThan(1_500);
    },
  );
});

test("shown unsafe text is visible and harmless", () => {
  expect(showUnsafe("\u001b[31m\u007f\u202e\ud800")).toBe("␛[31m␡<U+202E><U+D800>");
});

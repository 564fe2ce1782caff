import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cutDisplay, displayWidth, padDisplay } from "./display-width.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

test.each([
  ["", 0],
  ["abc", 3],
  ["你好", 4],
  ["ｶﾅ", 2],
  ["Ａ", 2],
  ["한국어", 6],
  ["\u1112\u1161\u11ab", 2],
  ["e\u0301", 1],
  ["👍🏽", 2],
  ["👩‍👩‍👧‍👦", 2],
  ["🇨🇳", 2],
  ["1️⃣", 2],
  ["❤️", 2],
  ["→", 1],
  ["\u200b", 0],
  ["。", 2],
  ["𠀋", 2],
])("%j takes %i columns", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test("padding fills up to the width on either side and does not change longer text", () => {
  expect(padDisplay("你", 4)).toBe("你  ");
  expect(padDisplay("你", 4, "right")).toBe("  你");
  expect(padDisplay("abcdef", 4)).toBe("abcdef");
});

test.each([
  ["hello", 5, "hello"],
  ["hello", 4, "hel…"],
  ["你好世界", 8, "你好世界"],
  ["你好世界", 7, "你好世…"],
  ["你好世界", 6, "你好…"],
  ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"],
  ["abc", 0, ""],
  ["abc", 1, "…"],
])("%j cut to %i is %j", (text, width, expected) => {
  expect(cutDisplay(text, width)).toBe(expected);
});

test("a cut text fits, is a prefix, and breaks no character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(30), (text, width) => {
      const cut = cutDisplay(text, width);
      expect(displayWidth(cut)).toBeLessThanOrEqual(width);
      expect(cut === text || cut === "" || text.startsWith(cut.replace(/…$/, ""))).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
    }),
    { seed: 7 },
  );
});

test("cutting a megabyte reads only its beginning", () => {
  const start = cpuTime();
  expect(cutDisplay("你".repeat(1_000_000), 10)).toBe("你你你你…");
  expect(cpuTime() - start).toBeLessThan(500);
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CutOptions, cutText, findCutPoint } from "./cut-text.ts";
import { graphemes, graphemeBoundaryBefore } from "./display-width.ts";
import { sentenceEnds } from "./sentence-ends.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const family = "👨‍👩‍👧";
const flags = "🇩🇪🇨🇳🇫🇷🇺🇸";

describe("sentences end", () => {
  test.each([
    ["Dr. Wu came. 他走了。Then", ["Dr. Wu came.", " 他走了。", "Then"]],
    ["It costs 3.50 now. Buy!", ["It costs 3.50 now.", " Buy!"]],
    ['He said "Go." She went.', ['He said "Go."', " She went."]],
    ["“走吧。”他说。好！", ["“走吧。”", "他说。", "好！"]],
    ["See e.g. page 3. J. Smith wrote it.", ["See e.g. page 3.", " J. Smith wrote it."]],
    ["What?! Really... yes. no dots", ["What?!", " Really...", " yes. no dots"]],
    ["A title\n\nA paragraph", ["A title\n\n", "A paragraph"]],
    ["no end", ["no end"]],
    ["", [""]],
  ])("%j", (text, expected) => {
    const ends = [...sentenceEnds(text)].filter((end) => end < text.length);
    expect([0, ...ends].map((start, at) => text.slice(start, ends[at]))).toEqual(expected);
  });
});

describe("a text is cut", () => {
  test.each<[[string, number, CutOptions?], string]>([
    [["Short.", 6, {}], "Short."],
    [["It rained. We stayed at home.", 20, {}], "It rained."],
    [["It rained all day. So.", 18, {}], "It rained all day."],
    [["It rained all day. So.", 17, {}], "It rained all…"],
    [["今天下雨。我们待在家里看书。", 8, {}], "今天下雨。"],
    [["今天下雨，我们待在家里看书。", 8, {}], "今天下雨，…"],
    [["我们待在家里看书学习中文", 7, {}], "我们待在家里…"],
    [["我们使用TypeScript写代码", 9, {}], "我们使用…"],
    [["one two three four", 12, {}], "one two…"],
    [["one two three four", 8, {}], "one two…"],
    [["one two three four", 12, { at: "character", ending: "" }], "one two thre"],
    [["one two three four", 12, { ending: " [cut]" }], "one [cut]"],
    [["One. Two. Three. Four.", 12, { afterSentence: "…" }], "One. Two.…"],
    [["first line\nsecond line of words", 20, {}], "first line\nsecond…"],
    [["first line\nsecond line of words", 20, { at: "line" }], "first line"],
    [["First sentence. And a second one that is long", 40, { near: 10 }], "First sentence. And a second one that…"],
    [["A. Bcdefghijklmnopqrstuvwxyz", 20, {}], "A. Bcdefghijklmnopq…"],
    [["abcdef", 3, { ending: "……………" }], "abc"],
    [["abcdef", 1, {}], "…"],
    [["abcdef", 0, {}], ""],
    [[`${family}${family}`, 10, {}], `${family}…`],
    [[`${family}${family}`, 8, {}], "…"],
    [[family.repeat(5), 3, { count: "characters" }], `${family.repeat(2)}…`],
    [[family.repeat(5), 4, { count: "characters", ending: "abc" }], `${family}abc`],
    [[`${family}。${family.repeat(5)}`, 3, { count: "characters" }], `${family}。`],
    [[family.repeat(3), 3, { count: "characters" }], family.repeat(3)],
    [[flags, 7, { ending: "" }], "🇩🇪"],
    [[`x${flags}`, 12, { ending: "" }], "x🇩🇪🇨🇳"],
    [["e\u0301e\u0301e\u0301", 4, { ending: "" }], "e\u0301e\u0301"],
    [["好。\ufe0f好好好", 3, { ending: "" }], "好。\ufe0f"],
    [["一二三。\ufe0f五六七八", 4, { ending: "" }], "一二三"],
  ])("%j: %j", (args, expected) => {
    expect(cutText(...args)).toEqual({ text: expected, cut: expected !== args[0] });
  });

  const piece = fc.constantFrom(
    ...Array.from("ab c.!?。，、中文词语的了\n\t\"'”)"),
    family,
    "🇩🇪",
    "🇨",
    "e\u0301",
    "\u0301",
    "\u200d",
    "\ufe0f",
    "😀",
    "\ud83d",
    "\udc68",
    "Dr. ",
    "TypeScript",
    "\r\n",
    "각",
  );
  const texts = fc.array(piece, { maxLength: 120 }).map((parts) => parts.join(""));

  test("the result never exceeds the limit, and is never cut inside a character", () => {
    const at = fc.constantFrom(...(["line", "sentence", "word", "character"] as const));
    fc.assert(
      fc.property(
        texts,
        fc.nat(130),
        fc.record({ at, near: fc.constantFrom(undefined, 5, 40) }),
        (text, max, options) => {
          const { text: stored, cut } = cutText(text, max, { ...options, ending: "" });
          expect(stored.length).toBeLessThanOrEqual(max);
          expect(text.startsWith(stored)).toBe(true);
          expect(cut).toBe(text.length > max);
          const whole = new Set([0]);
          let end = 0;
          for (const character of graphemes(text)) whole.add((end += character.length));
          expect(whole.has(stored.length)).toBe(true);
          expect(whole.has(findCutPoint(text, max, options))).toBe(true);
          expect(whole.has(graphemeBoundaryBefore(text, max))).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("an English word is cut in the middle only if it is longer than half of the limit", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 8, maxLength: 30 });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 60 }), (list, max) => {
        const text = list.join(" ");
        const { text: stored } = cutText(text, max, { ending: "" });
        expect(stored.length === text.length || text.charAt(stored.length) === " ").toBe(true);
        expect(stored.length).toBeGreaterThanOrEqual(Math.min(text.length, max / 2 - 8));
      }),
    );
  });

  test.each([
    ["blanks", " "],
    ["stops", "."],
    ["Chinese stops", "。"],
    ["stops and quotes", '.."""'],
    ["one character of marks", "\u0301"],
    ["joiners", "\u200d"],
    ["half flags", "🇩"],
    ["letters", "a"],
    ["line ends", "\n"],
    ["halves of pairs", "\ud83d"],
    ["Chinese", "中"],
    ["abbreviations", "Dr. "],
    ["stops with marks", "。\u0301"],
    ["dots with marks", "…\u0301"],
    ["blanks with marks", "\u3000\u0301"],
    ["signs that draw the next one in", "\u0600\u3000"],
    ["line ends in halves", "\r"],
  ])("cutting takes little time, no matter how long and odd the text is: %s", (_what, unit) => {
    const text = `x${unit.repeat(2_000_000 / unit.length)}y`;
    const started = cpuTime();
    for (const max of [10, 1_000, 400_000]) {
      for (const at of ["line", "sentence", "word", "character"] as const) cutText(text, max, { at });
    }
    expect(cpuTime() - started).toBeLessThan(3_000);
  });
});

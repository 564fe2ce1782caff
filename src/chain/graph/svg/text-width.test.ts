import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Font, fitText, textWidth, wrapSvgText } from "./text-width.ts";

const sans: Font = { size: 10, face: "sans" };
const mono: Font = { size: 10, face: "mono" };

test("Chinese takes its square, Latin letters by their shape, mono letters all the same", () => {
  expect(textWidth("你好", sans)).toBe(20);
  expect(textWidth("你好", mono)).toBe(20);
  expect(textWidth("wm", sans)).toBeGreaterThan(textWidth("il", sans) * 2);
  expect(textWidth("wm", mono)).toBe(textWidth("il", mono));
  expect(textWidth("name", { ...sans, bold: true })).toBeGreaterThan(textWidth("name", sans));
  expect(textWidth("e\u0301", mono)).toBe(textWidth("e", mono));
});

test("a text that fits stays whole, a longer one ends in an ellipsis", () => {
  expect(fitText("short", mono, 100)).toBe("short");
  expect(fitText("much too long", mono, 40)).toBe("much…");
  expect(fitText("你好世界", mono, 30)).toBe("你好…");
});

test("for any text, the remaining text fits and no character is split", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 20, max: 200 }), (text, width) => {
      for (const font of [sans, mono]) {
        const stored = fitText(text, font, width);
        expect(textWidth(stored, font)).toBeLessThanOrEqual(width);
        expect(stored.isWellFormed()).toBe(true);
        for (const line of wrapSvgText(text, font, { width, max: 3 })) {
          expect(textWidth(line, font)).toBeLessThanOrEqual(width);
        }
      }
    }),
  );
});

test("lines break between words, and anywhere in Chinese; the last one is cut", () => {
  expect(wrapSvgText("one two three four", mono, { width: 62, max: 9 })).toEqual(["one two", "three four"]);
  expect(wrapSvgText("研究主题总结结果", mono, { width: 40, max: 9 })).toEqual(["研究主题", "总结结果"]);
  expect(wrapSvgText("one two three four five six", mono, { width: 50, max: 2 })).toEqual(["one two", "three f…"]);
  expect(wrapSvgText("  ", mono, { width: 50, max: 2 })).toEqual([]);
  expect(wrapSvgText("研!!!!究 !  ", mono, { width: 20, max: 3 })).toEqual(["研", "!!…", "究…"]);
});

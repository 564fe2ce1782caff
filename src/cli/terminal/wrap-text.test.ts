import { expect, test } from "vitest";
import { wrapText } from "./wrap-text.ts";

test.each([
  ["one two three four five six", 20, ["one two three four", "five six"]],
  ["short", 20, ["short"]],
  ["", 20, [""]],
  ["first\n\nsecond", 20, ["first", "", "second"]],
  ["一二三四五六七八九十一二", 20, ["一二三四五六七八九十", "一二"]],
  ["averyveryverylongwordthatfitsnowhere x", 20, ["averyveryverylongwordthatfitsnowhere", "x"]],
])("%j at %i columns", (text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

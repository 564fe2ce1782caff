import { expect, test } from "vitest";
import { wrapAnswer } from "../open/report-agent-result.ts";

test("code and tables keep their lines, however long they are", () => {
  const code = ["```python", "x = 1  # a comment that is longer than the terminal is wide", "```"];
  const others = [
    "| a cell | another cell | and one more cell |",
    "    indented code that is longer than the terminal",
  ];
  for (const lines of [code, others, ["~~~", "``` a fence of another kind inside of it", "~~~"]]) {
    expect(wrapAnswer(lines.join("\n"), 30)).toEqual(lines);
  }
});

test("prose is wrapped between words, also after code, and list items are indented below their text", () => {
  expect(wrapAnswer("```\nx\n```\none two three four five six seven", 20)).toEqual([
    "```",
    "x",
    "```",
    "one two three four",
    "five six seven",
  ]);
  expect(wrapAnswer("  - one two three four five six seven\n10. eins zwei drei vier fünf sechs", 26)).toEqual([
    "  - one two three four",
    "    five six seven",
    "10. eins zwei drei vier",
    "    fünf sechs",
  ]);
  expect(wrapAnswer("> one two three four five six seven", 24)).toEqual(["> one two three four", "> five six seven"]);
  expect(wrapAnswer("一二三四五六七八九十一二", 20)).toEqual(["一二三四五六七八九十", "一二"]);
});

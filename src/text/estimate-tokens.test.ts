import { expect, test } from "vitest";
import { estimateTokens } from "./cut-text.ts";

test.each([
  ["", 0],
  ["word", 1],
  ["words", 2],
  ["搜索网页", 4],
  ["搜索 web", 3],
  ["かな한글", 4],
])("%j is about %i tokens", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

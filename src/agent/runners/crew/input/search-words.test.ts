import { expect, test } from "vitest";
import { findZone, searchWords } from "./input-by-rule.ts";

test.each([
  ["Search the web for the history of tide mills", "the history of tide mills"],
  ["Find information about tide mills", "tide mills"],
  ["Look up who built the Eiffel Tower", "who built the Eiffel Tower"],
  ["请在网上搜索关于潮汐磨坊的资料。", "潮汐磨坊"],
  ["查找巴黎的人口", "巴黎的人口"],
  ["tide mills", "tide mills"],
  ["搜索", "搜索"],
])("the words of a search for %s are %s", (description, words) => {
  expect(searchWords(description)).toBe(words);
});

test("a long step results in a short search", () => {
  expect(searchWords("x".repeat(100_000)).length).toBeLessThanOrEqual(400);
});

test("zones are recognized by their names, and by cities and countries", () => {
  expect(["Europe/Berlin 的时间", "time in New York", "东京现在几点", "in Nowhere/Land", "now"].map(findZone)).toEqual([
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    undefined,
    undefined,
  ]);
});

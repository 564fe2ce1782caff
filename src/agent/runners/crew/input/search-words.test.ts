import { expect, test } from "vitest";
import { findZone } from "./find-zone.ts";
import { searchWords } from "./search-words.ts";

test.each([
  ["Search the web for the history of tide mills", "the history of tide mills"],
  ["Find information about tide mills", "tide mills"],
  ["Look up who built the Eiffel Tower", "who built the Eiffel Tower"],
  ["请在网上搜索关于潮汐磨坊的资料。", "潮汐磨坊"],
  ["查找巴黎的人口", "巴黎的人口"],
  ["tide mills", "tide mills"],
  ["搜索", "搜索"],
])("of %s the words of a search are %s", (description, words) => {
  expect(searchWords(description)).toBe(words);
});

test("a long step makes no long search", () => {
  expect(searchWords("x".repeat(100_000)).length).toBeLessThanOrEqual(400);
});

test("zones are known by their names, and by places", () => {
  expect(["Europe/Berlin 的时间", "time in New York", "东京现在几点", "in Nowhere/Land", "now"].map(findZone)).toEqual([
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    undefined,
    undefined,
  ]);
});

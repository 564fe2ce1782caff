import { expect, test } from "vitest";
import { planQuery } from "./text-query.ts";
import { extractSnippet } from "./text-snippet.ts";

test.each([
  ["[".repeat(500_000), "a"],
  ["a ".repeat(500_000), "a b c"],
  ["数".repeat(500_000), "数"],
  ["a".repeat(1_000_000), "a"],
  ["---\n".repeat(200_000), "x"],
  [" \n".repeat(500_000), "x"],
  ["😀".repeat(200_000), "😀"],
  ["aB".repeat(200_000), "ab"],
  ["\u0301".repeat(200_000), "e"],
  ["a_".repeat(200_000), "a"],
])("the snippet of hostile text %# is found quickly, and is well-formed", (text, query) => {
  const begin = process.cpuUsage();
  const { snippet, highlights } = extractSnippet(text, planQuery(query));
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(3000);
  expect(snippet.length).toBeLessThan(300);
  expect(snippet.isWellFormed()).toBe(true);
  for (const [, end] of highlights) expect(end).toBeLessThanOrEqual(snippet.length);
});

test("neighboring characters become one highlight", () => {
  const { snippet, highlights } = extractSnippet("关于 数据库系统 的设计", planQuery("数据库系统"));
  expect(highlights.map(([start, end]) => snippet.slice(start, end))).toEqual(["数据库系统"]);
});

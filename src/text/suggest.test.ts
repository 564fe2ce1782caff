import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const tools = ["web_search", "web_fetch", "calculator", "http_request", "搜索网页", "天气"];

test.each([
  ["calculatr", "calculator"],
  ["webSearch", "web_search"],
  ["WEB-SEARCH", "web_search"],
  ["http request", "http_request"],
  ["web_serach", "web_search"],
  ["calc", "calculator"],
  ["search", "web_search"],
  ["搜素网页", "搜索网页"],
  ["天氣", "天气"],
])("%s suggests %s", (word, expected) => {
  expect(suggest(word, tools)).toBe(expected);
});

test.each(["", "zzz", "weather_forecast", "x", "__", "a".repeat(100_000)])("nothing is near %j", (word) => {
  expect(suggest(word, tools)).toBeUndefined();
});

test("two swapped letters are one mistake", () => {
  expect(suggest("nmae", ["type", "name", "tags"])).toBe("name");
});

test("a spelling mistake beats an abbreviation", () => {
  expect(suggest("max", ["maximum_tokens", "mex", "min"])).toBe("mex");
});

test("camelCase names from JSON Schema find their snake_case option", () => {
  expect(suggest("maxItems", ["max_length", "max_items", "items"])).toBe("max_items");
});

test("the first of equals wins, so the result is stable", () => {
  expect(suggest("cat", ["bat", "hat"])).toBe("bat");
});

test("a hostile list of candidates is processed quickly", () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `tool_${i}_${"x".repeat(200)}`);
  const start = cpuTime();
  suggest("tool_4999", [...many, "y".repeat(1_000_000)]);
  expect(cpuTime() - start).toBeLessThan(2_000);
});

test("a common prefix does not count as part of the word", () => {
  const names = ["capability:csv", "capability:fix", "capability:search", "files/read_file"];
  expect(suggest("capability:web", names)).toBeUndefined();
  expect(suggest("capability:ai", names)).toBeUndefined();
  expect(suggest("capability:serach", names)).toBe("capability:search");
  expect(suggest("capabilty:search", names)).toBe("capability:search");
  expect(suggest("files/read_fil", names)).toBe("files/read_file");
});

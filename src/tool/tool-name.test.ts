import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { checkToolName, toolNameProblem } from "./tool-name.ts";

function reason(name: unknown): string | undefined {
  try {
    checkToolName(name);
    return undefined;
  } catch (error) {
    return isFailureError(error) && error.code === "tool_invalid" ? error.reason : "another error";
  }
}

describe("rows of bad inputs", () => {
  interface Row {
    area: string;
    input: { name?: string };
    expected: string;
  }
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
    ({ area, input }) => area === "engine" && input.name !== undefined,
  );

  test("the data holds the row", () => {
    expect(rows.length).toBeGreaterThanOrEqual(1);
  });

  test.each(rows.map(({ input, expected }) => [input.name, expected]))("%s is refused", (name, expected) => {
    expect(`refuse:${reason(name)}`).toBe(expected);
  });
});

test.each([
  "web_search",
  "webSearch",
  "搜索",
  "поиск",
  "खोज",
  "Größe",
  "a.b-c",
  "_private",
  "server/tool",
  "mcp_1/读.取",
  "a".repeat(128),
  "日本語/ツール",
])("%s is a name", (name) => {
  expect(toolNameProblem(name)).toBeUndefined();
});

test.each<[string, unknown]>([
  ["nothing", ""],
  ["no text", 5],
  ["undefined", undefined],
  ["too long", "a".repeat(129)],
  ["a digit first", "1a"],
  ["a dash first", "-a"],
  ["a dot first", ".a"],
  ["a space", "a b"],
  ["a line end", "a\n"],
  ["two namespaces", "a/b/c"],
  ["an empty namespace", "/a"],
  ["an empty name in a namespace", "a/"],
  ["a way out of a folder", "a/.."],
  ["a backslash", "a\\b"],
  ["a null character", "a\0"],
  ["a bidi override", "a\u202eb"],
  ["a zero-width space", "a\u200bb"],
  ["a tag character", "a\u{e0041}"],
  ["a filler that looks like nothing", "a\u3164"],
  ["a variation selector", "a\ufe0f"],
  ["a lone surrogate", "a\ud800"],
  ["an accent on its own", "Gro\u0308\u00dfe"],
  ["an emoji", "a😀"],
  ["a full-width slash", "a\uff0fb"],
])("%s is refused", (_name, name) => {
  expect(reason(name)).toBe("bad_tool_name");
});

test.each([
  "web_搜索",
  "検索_ツールv2",
  "검색_漢字_tool",
  "ㄅㄆ_漢_x",
  "Ελληνικά",
  "חיפוש_2",
  "files/поиск",
  "naïve_Straße",
  "ค้นหา",
])("[S22] %s is highly restrictive", (name) => {
  expect(toolNameProblem(name)).toBeUndefined();
});

test.each([
  ["a Cyrillic letter in a Latin name", "d\u0435lete_all"],
  ["a Greek letter in a Latin name", "\u03bfpen"],
  ["Latin letters in a Cyrillic name", "\u043f\u043e\u0438\u0441\u043a_web"],
  ["a Cyrillic letter after a namespace", "files/re\u0430d"],
  ["a full-width letter", "\uff44elete"],
  ["a mathematical letter", "\u{1d41d}elete"],
  ["a phonetic letter that looks like a", "re\u0251d"],
  ["Cherokee letters that look Latin", "\u13aa\u13a2"],
  ["Hangul with kana", "\uac80\u30c4"],
  ["digits of two scripts", "\u0623\u0628_\u0967"],
])("[S22] %s is refused", (_what, name) => {
  expect(reason(name)).toBe("bad_tool_name");
});

test("[S22] the message names the scripts", () => {
  expect(() => checkToolName("d\u0435lete")).toThrow(/mixes letters of Latin and Cyrillic/);
});

test("the message shows invisible characters", () => {
  expect(() => checkToolName("a\u202eb")).toThrow('the tool name "a<U+202E>b" contains an invisible character');
  expect(() => checkToolName("../../x")).toThrow('the tool name "../../x" must start with a letter or _');
});

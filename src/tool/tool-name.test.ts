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

test("the message shows what nobody sees", () => {
  expect(() => checkToolName("a\u202eb")).toThrow('the tool name "a<U+202E>b" holds a character that nobody sees');
  expect(() => checkToolName("../../x")).toThrow('the tool name "../../x" must start with a letter or _');
});

import { describe, expect, test } from "vitest";
import { parseJsonc } from "./parse-jsonc.ts";

function read(text: string): ReturnType<typeof parseJsonc> {
  return parseJsonc(text, { file: "a.json" });
}

describe("JSON with comments", () => {
  test("is read as editors write it", () => {
    const text =
      '\ufeff// head\n{ "a": [1, -2.5e3, true, null,], /* in "between" */ "b": { "c": "x\\u00e9\\n", }, } // end';
    expect(read(text)).toMatchObject({ value: { a: [1, -2500, true, null], b: { c: "xé\n" } }, problems: [] });
  });

  test.each(["1", '"x"', "[]", "{}", '{"a":{"b":[{"c":null}]}}', '["\\"", "\\\\", "\\/", "\\ud83d\\ude00"]'])(
    "%s is parsed as by JSON.parse",
    (text) => {
      expect(read(text)).toMatchObject({ value: JSON.parse(text), problems: [] });
    },
  );

  test("reports the position of every value", () => {
    const { locate, locateInside } = read('{\n  "a": { "key": "value ${x}" }\n}');
    expect(locate(["a", "key"], "key")).toEqual({ line: 2, column: 10, length: 5 });
    expect(locate(["a", "key"])).toEqual({ line: 2, column: 17, length: 12 });
    expect(locateInside(["a", "key"], 6, 4)).toEqual({ line: 2, column: 24, length: 4 });
    expect(locate(["a", "other"])).toMatchObject({ line: 2, column: 8 });
  });

  test.each<[string, [number, number], string]>([
    ["{", [1, 2], 'a "}" is missing at the end of the file'],
    ['{ "a" 1 }', [1, 7], 'a ":" is missing after "a"'],
    ['{ "a": 1\n  "b": 2 }', [2, 3], 'a "," or a "}" is missing here'],
    ["{ a: 1 }", [1, 3], "a key is a text in double quotes"],
    ["{ \"a\": 'x' }", [1, 8], "strings need double quotes"],
    ['{ "a": yes }', [1, 8], '"yes" is not a value'],
    ['{ "a": 01 }', [1, 8], '"01" is not a value'],
    ['{ "a": "x\n" }', [1, 8], "this string has no end"],
    ['{ "a": "\\x" }', [1, 8], "this string has no end"],
    ["{} {}", [1, 4], "continues after the end of its value"],
    ['{ "a": , }', [1, 8], "a value is missing"],
    ["[".repeat(100), [1, 66], "nests deeper than 64"],
    ["", [1, 1], "a value is missing"],
  ])("%s is refused at its position", (text, [line, column], message) => {
    expect(read(text)).toMatchObject({
      value: undefined,
      problems: [{ line, column, severity: "error", message: expect.stringContaining(message) }],
    });
  });

  test("a duplicate key is reported, and no key reaches a prototype", () => {
    expect(read('{"a":1,"a":2}').problems).toMatchObject([{ code: "duplicate_key", column: 8 }]);
    const { value } = read('{"__proto__":{"x":1}}');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("[S17] a text with more than 50,000 keys and items is refused, and a deep one is not read to its end", () => {
    const keys = Array.from({ length: 60_000 }, (_, at) => `"${at}":1`);
    expect(read(`{${keys.join()}}`).problems).toMatchObject([{ code: "too_many_keys", hint: "split it" }]);
    expect(read("[".repeat(1_000_000)).problems).toHaveLength(1);
  });

  test("large texts take linear time, and too large ones are refused unread", () => {
    const large = `{ "a": "${"x".repeat(900_000)}", ${" ".repeat(100_000)} }`;
    expect(read(large).problems).toEqual([]);
    expect(read(`"${"x".repeat(2_000_000)}"`).problems).toMatchObject([{ code: "too_large" }]);
  });
});

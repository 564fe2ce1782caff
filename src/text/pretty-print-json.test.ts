import { describe, expect, test } from "vitest";
import { prettyPrintJson } from "./pretty-print-json.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

describe("formatted JSON", () => {
  test.each([
    {},
    [],
    [[]],
    { a: {}, b: [{}, [1, -2.5e-7, null, true]], "": "" },
    ["a\\", '"', '\\"', "{[,:]}", "\n\u2028", "混合"],
    "text",
    12,
    null,
    { nested: { list: [{ key: "value" }, "two  spaces"] } },
  ])("%j is written as JSON.stringify would", (value) => {
    const written = JSON.stringify(value, undefined, 2);
    expect(prettyPrintJson(JSON.stringify(value), 10_000)).toEqual({ text: written, cut: false });
    expect(prettyPrintJson(`\n ${JSON.stringify(value, undefined, 3)} \n`, 10_000)).toEqual({
      text: written,
      cut: false,
    });
    expect(prettyPrintJson(JSON.stringify(value), written.length).cut).toBe(false);
    expect(prettyPrintJson(JSON.stringify(value), written.length - 1)).toEqual({
      text: written.slice(0, -1),
      cut: true,
    });
  });

  test("numbers keep their digits, keys their order and number", () => {
    const { text } = prettyPrintJson('{"b":12345678901234567890,"a":1.0,"a":2}', 1000);
    expect(text).toBe('{\n  "b": 12345678901234567890,\n  "a": 1.0,\n  "a": 2\n}');
  });

  test("no more than the limit is written, regardless of the nesting depth", () => {
    const deep = `${"[".repeat(2_000_000)}1${"]".repeat(2_000_000)}`;
    const began = cpuTime();
    const { text, cut } = prettyPrintJson(deep, 1_000_000);
    expect({ length: text.length, cut }).toEqual({ length: 1_000_000, cut: true });
    expect(cpuTime() - began).toBeLessThan(1000);
  });

  test("broken JSON terminates too", () => {
    for (const text of ["]]]}", '{"a', '{"a":"\\', "[1,,", "{]", " ", '"\\\\\\"']) {
      expect(prettyPrintJson(text, 100).text.length).toBeLessThanOrEqual(100);
    }
  });
});

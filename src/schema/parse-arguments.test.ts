import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

function code(text: string): string | undefined {
  return parseArguments(text).issues?.[0]?.code;
}

describe("rows of bad inputs", () => {
  interface Row {
    area: string;
    input: string;
    expected: string;
  }
  const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
    ({ area }) => area === "json-args",
  );

  test("the data holds the rows", () => {
    expect(rows.length).toBeGreaterThanOrEqual(8);
  });

  test.each(rows.map(({ input, expected }) => [input, expected]))("%j is refused", (input, expected) => {
    expect(`refuse:${code(input)}`).toBe(expected);
  });
});

test("one JSON object is parsed unchanged", () => {
  expect(parseArguments('{"a": [1, {"b": "你好 😀"}], "": null}')).toEqual({
    value: { a: [1, { b: "你好 😀" }], "": null },
  });
  expect(parseArguments(" {} ")).toEqual({ value: {} });
});

describe("refused, even if hidden", () => {
  test.each<[string, string]>([
    ['{"a": {"b": [{"__proto__": 1}]}}', "forbidden_key"],
    ['{"constructor": {}}', "forbidden_key"],
    ['{"a": {"prototype": 1}}', "forbidden_key"],
    ['{"\\u005f_proto__": 1}', "forbidden_key"],
    ['{"a": ["\\udfff"]}', "bad_unicode"],
    ['{"\\ud800": 1}', "bad_unicode"],
    ['{"a": "x\\ud83d"}', "bad_unicode"],
    ["   ", "args_not_json"],
    ['{"a": 1', "args_not_json"],
    ['{"a": 1} {"b": 2}', "args_not_json"],
    ['```json\n{"a": 1}\n```', "args_not_json"],
    ["undefined", "args_not_json"],
    ["1e999", "args_not_object"],
    ["true", "args_not_object"],
    ['[{"a": 1}]', "args_not_object"],
    [`{"a": "${"x".repeat(1024 * 1024)}"}`, "args_too_large"],
    [`{"a": "${"你".repeat(350_000)}"}`, "args_too_large"],
    [`{"a": [${"0,".repeat(100_001)}0]}`, "args_too_large"],
    [`{"a": ${"[".repeat(70)}${"]".repeat(70)}}`, "args_too_deep"],
    [`{"a": ${"[".repeat(400_000)}${"]".repeat(400_000)}}`, "args_too_deep"],
    [`${'{"a":'.repeat(65)}1${"}".repeat(65)}`, "args_too_deep"],
  ])("%.40s", (text, expected) => {
    expect(code(text)).toBe(expected);
  });

  test("64 levels are allowed", () => {
    expect(code(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`)).toBeUndefined();
  });
});

test("the issue says what the model should send", () => {
  expect(parseArguments("").issues?.[0]?.message).toBe(
    "the arguments are empty; send one JSON object, {} if there are none",
  );
  expect(parseArguments("{'a':1}").issues?.[0]?.message).toMatch(
    /^the arguments are not JSON \(.+\); send one JSON object/,
  );
  expect(parseArguments("[1]").issues?.[0]?.message).toBe(
    'the arguments must be one JSON object such as {"name": "value"}, got [1]',
  );
  expect(parseArguments('{"a":{"__proto__":1}}').issues).toEqual([
    { path: ["a", "__proto__"], code: "forbidden_key", message: 'the key "__proto__" is not allowed; remove it' },
  ]);
});

test("every JSON object of sane size and text is accepted, and nothing throws", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true }),
      (value) => {
        const text = JSON.stringify(value);
        const refused = /"(?:__proto__|constructor|prototype)":/.test(text) || /\\ud[89a-f]/.test(text);
        const result = parseArguments(text);
        expect(result.issues !== undefined).toBe(refused);
        expect(result.issues === undefined ? result.value : value).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 200, seed: 3 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => void parseArguments(text)),
    { numRuns: 500, seed: 4 },
  );
});

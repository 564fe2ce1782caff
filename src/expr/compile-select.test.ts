import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { query } from "json-p3";
import { describe, expect, test } from "vitest";
import rows from "../../test/data/bad-inputs.json" with { type: "json" };
import suite from "../../test/data/jsonpath-cts.json" with { type: "json" };
import { type ExpressionFault, compileSelect, isExpressionError, missing } from "./index.ts";
import { compilePlainSelect } from "./select-query.ts";

function faultOf(run: () => unknown): ExpressionFault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isExpressionError(error)) return error.fault;
    throw error;
  }
}

/** The nodes that a path finds, as a list even if it can find only one. */
function nodesOf(path: string, document: unknown): unknown {
  const { singular, select } = compileSelect(path);
  const found = select(document);
  if (!singular) return found;
  return found === missing ? [] : [found];
}

describe("[A04] a JSONPath selects from a document", () => {
  const document = {
    data: {
      items: [
        { name: "a", n: 1 },
        { name: "b", n: 2, tags: ["x"] },
      ],
    },
    "odd key": { "": 0 },
    nothing: null,
  };

  test.each<[string, unknown]>([
    ["$.data.items[*].name", ["a", "b"]],
    ["$.data.items", document.data.items],
    ["$", document],
    ["$.data.items[0].name", "a"],
    ["$.data.items[-1].n", 2],
    ["$['odd key']['']", 0],
    ['$["odd key"][""]', 0],
    ["$.nothing", null],
    ["$.nowhere", missing],
    ["$.data.items[7]", missing],
    ["$.data.items.name", missing],
    ["$.nowhere[*]", []],
    ["$.data.items[*].nowhere", []],
    ["$.data.*", [document.data.items]],
    ["$..name", ["a", "b"]],
    ["$.data.items[?@.n > 1].name", ["b"]],
    ["$.data.items[?@.tags[?@ == 'x']].name", ["b"]],
    ["$.data.items[?search(@.name, '[ab]')].n", [1, 2]],
    ["$.data.items[1:].name", ["b"]],
    ["$.data.items[0, 1].n", [1, 2]],
    ["$.data.items[?length(@.name) == 1 && count(@.*) > 2].n", [2]],
    ["$.constructor", missing],
    ["$.data.items.length", missing],
    ["$['toString']", missing],
    ["$..['__proto__']", []],
  ])("%s", (path, expected) => {
    expect(compileSelect(path).select(document)).toEqual(expected);
  });

  test.each<[string, boolean]>([
    ["$", true],
    ["$.a[0]['b']", true],
    ["$[ 'a' ]", true],
    ["$.a[*]", false],
    ["$..a", false],
    ["$[0, 1]", false],
    ["$[0:1]", false],
    ["$[?@.a]", false],
  ])("it detects whether it can match only one node: %s", (path, singular) => {
    expect(compileSelect(path).singular).toBe(singular);
  });
});

test("the standard's compliance suite: no wrong result, and nothing is refused", () => {
  const wrong: string[] = [];
  const refused: string[] = [];
  for (const { name, selector, document, result, results, invalid_selector: isInvalid } of suite.tests as Case[]) {
    let found: unknown;
    const fault = faultOf(() => (found = nodesOf(selector, document)));
    const accepted = results ?? [result];
    const isRight = isInvalid
      ? fault === "select_syntax"
      : fault === undefined && accepted.some((nodes) => isDeepStrictEqual(nodes, found));
    if (fault === "select_refused") refused.push(name);
    else if (!isRight) wrong.push(name);
  }
  expect(wrong).toEqual([]);
  expect(refused).toEqual([]);
  expect(suite.tests.length).toBeGreaterThanOrEqual(703);
});

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: unknown;
  readonly result?: unknown;
  readonly results?: unknown[];
  readonly invalid_selector?: boolean;
}

describe("paths of names, indexes and * are parsed without the package", () => {
  const part = fc.oneof(
    fc.constantFrom("a", "b", "a-b", "_", "é", "你", "😀", "0", "constructor").map((name) => `.${name}`),
    fc.constantFrom("a", "", "it", "x y", "é", '"', "'", "\\", "\n", "__proto__").map((name) => `['${name}']`),
    fc.constantFrom("a", "", '"', "'", "$", "\uD83D", "\u0085", "\u2028").map((name) => `["${name}"]`),
    fc.constantFrom(
      "[0]",
      "[-1]",
      "[1]",
      "[-0]",
      "[01]",
      "[9007199254740993]",
      "[*]",
      ".*",
      "[ 0 ]",
      " .a",
      "[1,2]",
      "..a",
    ),
  );
  const document = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom(null, 1, "text", false),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "a-b", "", "é", "你", "0", "x y"), tie("value"), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).value;

  test("they find exactly what the package finds", () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), document, (parts, value) => {
        const path = `$${parts.join("")}`;
        if (compilePlainSelect(path) !== undefined) plain++;
        const reference = ((): unknown => {
          try {
            return query(path, value as Parameters<typeof query>[1]).values();
          } catch {
            return "refused";
          }
        })();
        const own = ((): unknown => {
          try {
            return nodesOf(path, value);
          } catch (error) {
            if (isExpressionError(error)) return "refused";
            throw error;
          }
        })();
        expect(own).toEqual(reference);
      }),
      { numRuns: 3000 },
    );
    expect(plain).toBeGreaterThan(500);
  });
});

describe("an invalid path is refused with its position and the reason", () => {
  test.each<[string, number, RegExp]>([
    ["", 0, /cannot be read/],
    ["data.items", 0, /expected '\$'/],
    ["$.", 2, /cannot be read/],
    ["$.items[", 8, /cannot be read/],
    ["$.items[?@.a === 1]", 15, /cannot be read/],
    ["$.items[?nope(@)]", 9, /no such function/],
  ])("%s", (path, at, message) => {
    const compile = (): unknown => compileSelect(path);
    expect(compile).toThrow(expect.objectContaining({ fault: "select_syntax", at }));
    expect(compile).toThrow(message);
    expect(compile).not.toThrow(/TOKEN_/);
  });

  test("one that does not start with $ gets a hint to do so", () => {
    expect(() => compileSelect("data.items")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('starts with "$"') as string }),
    );
  });
});

describe("the guard", () => {
  const list = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `n${id}`, tags: ["a", "b"] }));
  const nested = (): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level++) value = { a: value };
    return value;
  };
  const deep = nested();
  const document = { list, deep, other: nested(), text: "a".repeat(100_000), pattern: "(a|aa)+b" };

  test.each<[string, ExpressionFault]>([
    [`$.${"a".repeat(1100)}`, "select_refused"],
    [`$[?match(@, '${"a".repeat(600)}')]`, "select_refused"],
    ["$[?match(@, '(a{1,1000}){1,1000}')]", "select_refused"],
    ["$..*..*..*", "budget"],
    ["$.list[?count($..*) > 1]", "budget"],
    ["$.list[?$..[?@..a]]", "budget"],
    ["$.list[?@.tags[?$.list[?@.id == 1]]]", "budget"],
    ["$.list[?search($.text, '(a|aa)+b')]", "budget"],
    ["$.list[?search($.text, $.pattern)]", "budget"],
    ["$.list[?search(@.name, @.name)]", "budget"],
    ["$[?@ == $.other]", "too_deep"],
    ["$.list[?@ == $.deep || $.deep == $.other]", "too_deep"],
  ])("%s is refused with a named fault", (path, fault) => {
    expect(faultOf(() => compileSelect(path).select(document))).toBe(fault);
  });

  test("a document as deep as it is long can be queried", () => {
    expect(compileSelect("$..b").select(deep)).toEqual([]);
    expect((compileSelect("$..a").select(deep) as unknown[]).length).toBe(100_000);
  });

  test("a list of 150,000 items is selected from", () => {
    const many = { list: Array.from({ length: 150_000 }, (_, id) => ({ id })) };
    expect((compileSelect("$.list[*].id").select(many) as unknown[]).length).toBe(150_000);
    expect(compileSelect("$.list[?@.id >= 149999].id").select(many) as unknown[]).toEqual([149_999]);
  });

  test("a path that nests as deep as it is long is parsed or refused", () => {
    for (const [open, close] of [
      ["(", ")"],
      ["!", ""],
      ["@[?", "]"],
      ["length(", ")"],
    ] as const) {
      const path = `$[?${open.repeat(200)}@.a${close.repeat(200)}]`;
      const fault = faultOf(() => compileSelect(path).select([{ a: 1 }]));
      expect([undefined, "select_syntax", "select_refused"]).toContain(fault);
    }
  });
});

describe("patterns are those of RFC 9485", () => {
  const fits = (pattern: string, text: string, name = "match"): unknown =>
    (nodesOf(`$[?${name}(@, $.pattern)]`, { text, pattern }) as unknown[]).includes(text);

  test.each<[string, string, boolean]>([
    ["a.c", "abc", true],
    ["a.c", "a\nc", false],
    ["a.c", "a\rc", false],
    ["a.c", "a\u2028c", true],
    ["a.c", "a😀c", true],
    ["[a-c]+", "abcabc", true],
    ["[^a-c]+", "xyz", true],
    ["[-a]+", "-a-", true],
    ["[a.]", ".", true],
    ["\\p{Lu}\\P{Lu}*", "Abc", true],
    ["\\.\\-\\n", ".-\n", true],
    ["a{2,3}", "aaa", true],
    ["a{2,3}", "aaaa", false],
    ["(ab|cd)*", "abcdab", true],
    ["", "", true],
    ["a|", "", true],
    // None of these is an I-Regexp, and an invalid pattern matches nothing.
    ["(?i)a", "a", false],
    ["(?:a)", "a", false],
    ["a(?=b)", "a", false],
    ["(a)\\1", "aa", false],
    ["\\d", "1", false],
    ["a**", "a", false],
    ["*a", "a", false],
    ["(a", "a", false],
    ["a)", "a", false],
    ["[", "[", false],
    ["[]", "", false],
    ["{1}", "", false],
    ["\\p{Greek}", "α", false],
  ])("%s on %j: %s", (pattern, text, expected) => {
    expect(fits(pattern, text)).toBe(expected);
  });

  test("search() finds a part, match() requires the whole", () => {
    expect(fits("b", "abc")).toBe(false);
    expect(fits("b", "abc", "search")).toBe(true);
    expect(fits("a|b", "abc", "match")).toBe(false);
  });
});

const jsonpathRows = (rows as { area: string; input: string; expected: string }[]).filter(
  ({ area }) => area === "jsonpath",
);

test("the hostile paths exist", () => {
  expect(jsonpathRows.length).toBeGreaterThanOrEqual(4);
});

test.each(jsonpathRows)("[A04] a hostile path is refused or answered in time: $input", ({ input, expected }) => {
  const document = { a: ["a".repeat(5000), "aab"], b: Array.from({ length: 300 }, () => [[1], [[2]]]) };
  let found: unknown;
  const before = process.threadCpuUsage();
  const fault = faultOf(() => (found = nodesOf(input, document)));
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(100);
  const allowed: Record<string, unknown[]> = { "refuse:syntax": ["select_syntax"], "[]": [undefined] };
  expect(allowed[expected] ?? [undefined, "budget"]).toContain(fault);
  expect(expected === "[]" ? found : []).toEqual([]);
});

test("the suite's license is stored with it", async () => {
  const notice = await readFile(new URL("../../test/data/jsonpath-cts.LICENSE.txt", import.meta.url), "utf8");
  expect(notice).toContain("BSD-2");
  expect(notice).toContain("Copyright 2020");
});

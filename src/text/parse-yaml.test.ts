import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasErrors } from "./problem.ts";
import { parseYaml } from "./parse-yaml.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

interface Row {
  readonly area: string;
  readonly input: unknown;
  readonly expected: string;
}

const rows = (JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[]).filter(
  (row) => row.area === "yaml",
);

function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  const { $repeat, n, prefix = "", suffix = "" } = input as Record<string, string> & { n: number };
  if ($repeat !== undefined) return prefix + $repeat.repeat(n) + suffix;
  return Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join("\n");
}

/** Expectation of a row -> the codes of its problems. */
const codes: Record<string, readonly string[]> = {
  "refuse:alias": ["alias"],
  "refuse:too_large": ["too_large"],
  "refuse:parse error": ["too_deep"],
  "refuse:unknown tag": ["unknown_tag"],
  "refuse:forbidden_key": ["forbidden_key", "forbidden_key"],
  "refuse:duplicate key": ["duplicate_key"],
  "country is the string": ["digits_lost", "digits_lost"],
};

const parse = (text: string) => parseYaml(text, { file: "t.yaml" });

describe("hostile YAML", () => {
  test("the list has rows", () => expect(rows.length).toBeGreaterThanOrEqual(7));

  test.each(rows.map((row) => [JSON.stringify(row.input).slice(0, 60), row] as const))("%s", (_title, row) => {
    const expected = Object.entries(codes).find(([start]) => row.expected.startsWith(start))?.[1];
    expect(expected, `a code for ${row.expected}`).toBeDefined();
    const { problems } = parse(textOf(row.input));
    expect(problems.map(({ code }) => code)).toEqual(expect.arrayContaining([...(expected ?? [])]));
    expect(hasErrors(problems)).toBe(row.expected.startsWith("refuse"));
  });

  test("a country code is not a boolean, a version only warns, a file mode too", () => {
    const { value, problems } = parse("country: NO\nver: 1.10\noct: 0777");
    expect(value).toEqual({ country: "NO", ver: 1.1, oct: 777 });
    expect(problems.map(({ severity, line, column }) => [severity, line, column])).toEqual([
      ["warning", 2, 6],
      ["warning", 3, 6],
    ]);
  });
});

test.each([
  ["64 KiB of distinct keys", Array.from({ length: 7_000 }, (_, i) => `k${i}: 1`).join("\n")],
  ["brackets", "[".repeat(65_000)],
  ["braces", "{".repeat(65_000)],
  ["closing brackets", "]".repeat(65_000)],
  ["dashes", "- ".repeat(32_000)],
  ["question marks", "? ".repeat(32_000)],
  ["quotes", '"'.repeat(65_000)],
  ["directives", "%FOO\n".repeat(13_000)],
  ["documents", "---\n".repeat(16_000)],
  ["tags", "! ".repeat(32_000)],
  ["anchors", "&a ".repeat(20_000)],
  ["aliases", "- *a\n".repeat(13_000)],
])("a file full of %s is processed quickly, with few problems", (_name, text) => {
  const start = cpuTime();
  const { problems } = parse(text);
  expect(cpuTime() - start).toBeLessThan(3_000);
  expect(problems.length).toBeLessThanOrEqual(51);
});

test("nesting of 64 levels is read, of 65 refused with its position", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(parse(nested(64)).problems).toEqual([]);
  expect(parse(nested(66)).problems).toMatchObject([{ code: "too_deep", line: 1 }]);
  expect(parse("- ".repeat(80) + "x").problems).toMatchObject([{ code: "too_deep" }]);
});

test("every problem is reported at once, in the order of the file", () => {
  const { problems } = parse("a: &x 1\nb: *x\nc: !foo 2\na: 3\n__proto__: 4\ni: .inf\n");
  expect(problems.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
    "alias 1:7",
    "alias 2:4",
    "unknown_tag 3:4",
    "duplicate_key 4:1",
    "forbidden_key 5:1",
    "not_json 6:4",
  ]);
});

test("a file with a syntax error has no value, one with softer errors keeps it for further checks", () => {
  expect(parse("a: [1").value).toBeUndefined();
  expect(parse("a: 1\na: 2").value).toEqual({ a: 1 });
});

test("an older YAML version cannot be requested", () => {
  expect(parse("%YAML 1.1\n---\na: NO").problems).toMatchObject([{ code: "yaml_directive", line: 1 }]);
  expect(parse("%YAML 1.2\n---\na: NO").problems).toEqual([]);
});

test("two documents in one file are refused", () => {
  expect(parse("a: 1\n---\nb: 2").problems).toMatchObject([{ code: "several_documents", line: 2, column: 1 }]);
});

test.each([
  ["1.10", true],
  ["0.50", true],
  ["007", true],
  ["9007199254740993", true],
  ["1.5", false],
  ["1.0", false],
  ["0", false],
  ["0.5", false],
  ["1e3", false],
  ["0xff", false],
  ['"1.10"', false],
])("a number written %s warns about lost digits: %s", (source, warns) => {
  expect(parse(`v: ${source}`).problems.map(({ severity }) => severity)).toEqual(warns ? ["warning"] : []);
});

test("values are JSON data of plain objects with string keys", () => {
  const { value } = parse("1: yes\ntrue: [~, on]\nx: {y: 2026-01-01}\n");
  expect(value).toEqual({ "1": "yes", true: [null, "on"], x: { y: "2026-01-01" } });
});

describe("locate", () => {
  const { locate } = parse('name: 名\nlist:\n  - id: a\n    "q k": {b: 1}\nempty:\n');
  test.each([
    [["name"], "key", { line: 1, column: 1, length: 4 }],
    [["name"], "value", { line: 1, column: 7, length: 1 }],
    [["list", 0, "id"], "value", { line: 3, column: 9, length: 1 }],
    [["list", 0, "q k"], "key", { line: 4, column: 5, length: 5 }],
    [["list", 0, "q k", "b"], "value", { line: 4, column: 16, length: 1 }],
    [["empty"], "value", { line: 5, column: 1, length: 5 }],
    [["list", 0, "none", "deeper"], "value", { line: 3, column: 5 }],
    [["nothing"], "key", { line: 1, column: 1 }],
  ] as const)("%j %s is at %j", (path, part, position) => {
    expect(locate(path, part)).toMatchObject(position);
  });

  test("a file that could not be read still has a position", () => {
    expect(parse("a: [").locate(["a"])).toMatchObject({ line: 1 });
  });
});

test("importing the module does not load the YAML library", async () => {
  const { execFileSync } = await import("node:child_process");
  const code = `import("./src/text/index.ts").then(async () => {
    const { createRequire } = await import("node:module");
    const { cache } = createRequire(process.cwd() + "/package.json");
    console.log(Object.keys(cache).some((file) => /node_modules.yaml/.test(file)));
  })`;
  expect(execFileSync(process.execPath, ["-e", code], { encoding: "utf8" }).trim()).toBe("false");
});

test("a line break inside an unreadable text still counts", () => {
  const text = '"\nname: a\nstyle: string="plain"\ntags: b: c\n';
  const { problems } = parseYaml(text, { file: "a.yaml" });
  const rows = text.split("\n");
  for (const { line, column } of problems) expect(column).toBeLessThanOrEqual((rows[line - 1]?.length ?? 0) + 1);
  expect(problems.length).toBeGreaterThan(0);
});

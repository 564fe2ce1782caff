import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { jsonOperations, jsonProcessTool, textOperations, textProcessTool } from "./index.ts";

const engine = createEngine({ tools: [textProcessTool, jsonProcessTool] });

interface Refusal {
  readonly reason: string | undefined;
  readonly message: string;
}

async function refusal(tool: string, args: object): Promise<Refusal> {
  const result = await engine.call(tool, args);
  if (result.success) throw new Error(`it gave ${JSON.stringify(result.output).slice(0, 200)}`);
  return { reason: result.error.reason, message: result.error.message };
}

async function outputOf(tool: string, args: object): Promise<unknown> {
  const result = await engine.call(tool, args);
  if (!result.success) throw new Error(result.error.message);
  return result.output;
}

describe("what an operation takes", () => {
  test.each([
    ["text_process", textProcessTool, textOperations],
    ["json_process", jsonProcessTool, jsonOperations],
  ] as const)("is in the schema of %s, and every parameter is used by some operation", (_name, tool, operations) => {
    const properties = new Set(Object.keys(tool.input.json["properties"] as object));
    const taken = new Set(Object.values(operations).flatMap(({ takes }) => takes));
    for (const parameter of taken) expect(properties).toContain(parameter);
    for (const always of ["operation", "text", "data"]) properties.delete(always);
    expect([...properties].filter((parameter) => !taken.has(parameter))).toEqual([]);
  });

  test.each([
    ["text_process", { operation: "truncate", text: "abc", limit: 2 }, "limit"],
    ["text_process", { operation: "upper", text: "abc", find: "a" }, "find"],
    ["text_process", { operation: "join", items: ["a"], text: "b" }, "text"],
    ["text_process", { operation: "count", text: "a", all: false }, "all"],
    ["json_process", { operation: "sort_by", data: [2, 1], path: "items" }, "path"],
    ["json_process", { operation: "flatten", data: {}, delimiter: "_" }, "delimiter"],
  ])("any other parameter is refused: %s %j", async (tool, args, parameter) => {
    const { reason, message } = await refusal(tool, args);
    expect(reason).toBe("bad_parameter");
    expect(message).toContain(`takes no \`${parameter}\`; it takes `);
  });

  test("an explicit default is accepted", async () => {
    const args = { operation: "sort_by", data: [2, 1], lists: "replace", header: true, indent: 2, order: "desc" };
    expect(await outputOf("json_process", args)).toMatchObject({ result: [2, 1] });
  });

  test.each([
    ["split", { separator: ",", pattern: "," }],
    ["replace", { find: "a", pattern: "a", replacement: "" }],
    ["extract", { what: "emails", pattern: "a" }],
  ])("two parameters with the same purpose are refused: %s", async (operation, more) => {
    const { reason, message } = await refusal("text_process", { operation, text: "a,b", ...more });
    expect(reason).toBe("bad_parameter");
    expect(message).toContain("not both");
  });
});

describe("an unknown operation", () => {
  test.each([
    ["text_process", textOperations, { text: "a" }],
    ["json_process", jsonOperations, { data: "1" }],
  ])("makes %s list all operations", async (tool, operations, more) => {
    const result = await engine.call(tool, { operation: "zzz", ...more });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error" } });
    const { message } = await refusal(tool, { operation: "zzz", ...more });
    expect(message).toContain(`operation must be one of ${Object.keys(operations).join(", ")}; got "zzz"`);
    expect(message).not.toContain("did you mean");
    for (const odd of [5, null, [], {}, "\u202e"]) await refusal(tool, { operation: odd, ...more });
  });

  test.each([
    ["text_process", "uppercase", "upper"],
    ["text_process", "toLowerCase", "lower"],
    ["text_process", "word_count", "count"],
    ["text_process", "uper", "upper"],
    ["text_process", "sort", "sort_lines"],
    ["json_process", "to_csv", "json_to_csv"],
    ["json_process", "group", "group_by"],
    ["json_process", "deep_merge", "merge"],
  ])("%s: %s may mean %s", async (tool, operation, resolved) => {
    const { message } = await refusal(tool, { operation });
    expect(message).toContain(`did you mean "${resolved}"?`);
  });
});

describe("data that an operation cannot process is reported:", () => {
  test.each([
    [{ operation: "pick", data: 5, keys: ["a"] }, "wrong_type", "pick needs an object"],
    [{ operation: "omit", data: '"text"', keys: ["a"] }, "wrong_type", "omit needs an object"],
    [{ operation: "sort_by", data: { a: [] } }, "wrong_type", "with get or query first"],
    [{ operation: "get", data: {}, path: "$.a[*].b" }, "bad_path", "use the operation query"],
    [{ operation: "get", data: {}, path: "a..b" }, "bad_path", "use the operation query"],
  ])("%j", async (args, reason, words) => {
    expect(await refusal("json_process", args)).toEqual({ reason, message: expect.stringContaining(words) });
  });
});

describe("work that costs too much is refused immediately:", () => {
  const text = `${"abcdefgh".repeat(120_000)}!z`;
  const wide = Array.from({ length: 3_000 }, (_, at) => ({ [`k${at}`]: 1 }));
  const csv = `${Array.from({ length: 15_000 }, (_, at) => `c${at}`).join(",")}\n${"1\n".repeat(4_000)}`;

  test.each<[string, string, object]>([
    [
      "repetitions of repetitions",
      "text_process",
      { operation: "extract", text, pattern: "(?:[a-h]{1,400}){1,2}[!]{2}z" },
    ],
    [
      "hundreds of choices",
      "text_process",
      { operation: "replace", text, pattern: "(?:(?:a|b)?){300}z", replacement: "" },
    ],
    ["many groups", "text_process", { operation: "split", text, pattern: "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)z" }],
    ["a table of holes", "json_process", { operation: "json_to_csv", data: wide }],
    ["a wide header", "json_process", { operation: "csv_to_json", data: csv }],
    [
      "a pattern in a schema",
      "json_process",
      { operation: "validate", data: [text], schema: { items: { pattern: "(?:[a-h]{1,400}){1,2}[!]{2}z" } } },
    ],
  ])("%s", async (_what, tool, args) => {
    const started = performance.now();
    expect(["too_costly", "too_large"]).toContain((await refusal(tool, args)).reason);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test("input that is merely long is accepted", async () => {
    const pattern = "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}";
    const mails = "ann@example.com, ".repeat(50_000);
    expect(await outputOf("text_process", { operation: "extract", text: mails, pattern })).toMatchObject({
      truncated: true,
    });
  });
});

test("CSV with escaped formulas cannot begin a formula, with any cell separator of a spreadsheet", async () => {
  const cells = ["=1+1", "+1", "-1", "@A1", " =1", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a"];
  const args = {
    operation: "json_to_csv",
    data: [cells, ["a;=1", "a\t=1", "a|=1", "plain", -1]],
    escape_formulas: true,
  };
  const { result } = (await outputOf("json_process", args)) as { result: string };
  const read = await outputOf("json_process", { operation: "csv_to_json", data: result, header: false });
  expect(read).toMatchObject({
    result: [cells.map((cell) => `'${cell}`), ["a;=1", "a\t=1", "a|=1", "plain", "-1"]],
  });
  expect(result).toContain('"a;=1","a\t=1","a|=1",plain,-1');
});

describe("a message shows the input escaped:", () => {
  const odd = "\u202e\u001b[31m\u{e0041}\n";

  test.each<[string, object]>([
    ["text_process", { operation: "upper", text: "a", locale: odd }],
    ["text_process", { operation: "extract", text: "a", pattern: `(${odd}` }],
    ["text_process", { operation: "extract", text: "a", pattern: `(?<${odd}>a)` }],
    ["json_process", { operation: "parse", data: odd }],
    ["json_process", { operation: "parse", data: `{"a":${odd}}` }],
    ["json_process", { operation: "get", data: {}, path: `[${odd}` }],
    ["json_process", { operation: "set", data: [], path: [odd], value: 1 }],
    ["json_process", { operation: "query", data: {}, path: `$.${odd}` }],
    ["json_process", { operation: "unflatten", data: { [`${odd}.a`]: 1, [odd]: 2 } }],
    ["json_process", { operation: "patch", data: {}, patch: [{ op: "remove", path: `/${odd}` }] }],
    ["json_process", { operation: "validate", data: 1, schema: { pattern: `(${odd}` } }],
    ["json_process", { operation: "validate", data: 1, schema: { $ref: `#/${odd}` } }],
  ])("%s %j", async (tool, args) => {
    const { message } = await refusal(tool, args);
    expect(showUnsafe(message)).toBe(message);
  });
});

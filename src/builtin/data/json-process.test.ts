import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import badInputs from "../../../test/data/bad-inputs.json" with { type: "json" };
import { createEngine } from "../../engine/index.ts";
import {
  type JsonProcessInput,
  diffValues,
  jsonOperations,
  jsonProcessTool,
  parseCsv,
  patchValue,
  processJson,
  writeCsv,
} from "./index.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const engine = createEngine({ tools: [jsonProcessTool] });

function give(operation: JsonProcessInput["operation"], data: unknown, more: Partial<JsonProcessInput> = {}): unknown {
  return processJson({ operation, data, ...more }).result;
}

/** Returns the expectation for a call that fails. */
function failing(
  operation: JsonProcessInput["operation"],
  data: unknown,
  more: Partial<JsonProcessInput> = {},
): unknown {
  try {
    return { unexpected: give(operation, data, more) };
  } catch (error) {
    return (error as { reason?: string }).reason ?? error;
  }
}

describe("[D06] json_process", () => {
  test.each((jsonProcessTool.input.json["examples"] as JsonProcessInput[]).map((example) => [example]))(
    "runs its example %j",
    async (example) => {
      const result = await engine.call("json_process", example);
      expect(result).toMatchObject({ success: true, output: { operation: example.operation } });
    },
  );

  test("accepts JSON text and values alike", async () => {
    const args = { operation: "query", path: "$.a[*]" };
    for (const data of [{ a: [1, 2] }, '{"a":[1,2]}', '\ufeff{"a":[1,2]}']) {
      expect(await engine.call("json_process", { ...args, data })).toMatchObject({
        output: { result: [1, 2], found: true },
      });
    }
  });

  test.each<[Partial<JsonProcessInput>, string]>([
    [{ operation: "query" }, "path"],
    [{ operation: "get" }, "path"],
    [{ operation: "set", path: "a" }, "value"],
    [{ operation: "pick" }, "keys"],
    [{ operation: "merge" }, "other"],
    [{ operation: "diff" }, "other"],
    [{ operation: "patch" }, "patch"],
    [{ operation: "group_by", data: [] }, "key"],
  ])("says what %j lacks", async (input, parameter) => {
    expect(await engine.call("json_process", { data: {}, ...input })).toMatchObject({
      success: false,
      error: { code: "validation_error", reason: "missing_parameter", issues: [{ path: [parameter] }] },
    });
  });

  test("applies a default through the engine too", async () => {
    const args = { operation: "get", data: {}, path: "a.b", default: { x: 1 } };
    expect(await engine.call("json_process", args)).toMatchObject({ output: { result: { x: 1 }, found: false } });
    expect(await engine.call("json_process", { ...args, default: undefined })).toMatchObject({
      output: { result: null },
    });
  });

  test("is pure, and describes every operation", () => {
    expect(jsonProcessTool.effect).toBe("pure");
    const { operation } = jsonProcessTool.input.json["properties"] as Record<string, { description: string }>;
    for (const name of Object.keys(jsonOperations)) expect(operation!.description).toContain(`${name}: `);
  });
});

describe("json_process reads", () => {
  const data = { items: [{ id: 1, "a.b": "x" }, { id: 2 }], constructor: "Ferrari" };

  test.each<[JsonProcessInput["path"], unknown, boolean]>([
    ["items[0].id", 1, true],
    ["$.items[1].id", 2, true],
    ["items.1.id", 2, true],
    ["/items/0/a.b", "x", true],
    ['items[0]["a.b"]', "x", true],
    ["items[0]['a.b']", "x", true],
    [["items", 0, "a.b"], "x", true],
    ["items[-1].id", 2, true],
    ["", data, true],
    ["$", data, true],
    ["constructor", "Ferrari", true],
    ["toString", null, false],
    ["items.length", null, false],
    ["items[7].id", null, false],
    ["items[0].id.x", null, false],
  ])("%j", (path, result, found) => {
    expect(processJson({ operation: "get", data, path: path! })).toEqual({ result, found });
  });

  test("a default if there is nothing, but not if there is null", () => {
    expect(give("get", {}, { path: "a", default: 7 })).toBe(7);
    expect(give("get", { a: null }, { path: "a", default: 7 })).toBe(null);
  });

  test.each(["a..b", "a[", "a[b]", "[0]x", 'a["b', "a]"])("the path %j is refused", (path) => {
    expect(failing("get", {}, { path })).toBe("bad_path");
  });

  test("keys, and the value of a text", () => {
    expect(give("keys", '{"b":1,"a":2}')).toEqual(["b", "a"]);
    expect(give("parse", ' {"b":[1]} ')).toEqual({ b: [1] });
    expect(failing("keys", [])).toBe("wrong_type");
  });

  test.each(badInputs.filter(({ area }) => area === "jsonpath").map(({ input }) => [input as string]))(
    "the JSONPath %j within its limits",
    (path) => {
      const wide = { a: Array.from({ length: 200 }, (_, at) => ({ b: Array.from({ length: 50 }, () => ({ at })) })) };
      const started = cpuTime();
      const found = failing("query", wide, { path });
      expect(cpuTime() - started).toBeLessThan(2_000);
      const allowed: Record<string, unknown[]> = { "": ["bad_path"], "$['constructor']": [{ unexpected: null }] };
      // Any other path either finds something or is refused with a message.
      expect(allowed[path] ?? [found]).toContainEqual(found);
      expect(found).not.toBeInstanceOf(Error);
    },
  );
});

describe("json_process changes", () => {
  test.each<[unknown, JsonProcessInput["path"], unknown]>([
    [{ a: 1 }, "b.c[0].d", { a: 1, b: { c: [{ d: 9 }] } }],
    [{ a: [1, 2] }, "a[-1]", { a: [1, 9] }],
    [{ a: [1] }, "a.1", { a: [1, 9] }],
    [{ a: [1] }, "/a/-", { a: [1, 9] }],
    [{ a: 1 }, "toString", { a: 1, toString: 9 }],
    [5, "", 9],
    [null, "a", { a: 9 }],
  ])("%j at %j", (data, path, expected) => {
    const before = JSON.stringify(data);
    expect(give("set", data, { path: path!, value: 9 })).toEqual(expected);
    expect(JSON.stringify(data)).toBe(before);
  });

  test.each<[unknown, string]>([
    [{ a: [1] }, "a[3]"],
    [{ a: [1] }, "a.x"],
    [{ a: "text" }, "a.b"],
  ])("a path that cannot be set is refused: in %j at %j", (data, path) => {
    expect(failing("set", data, { path, value: 1 })).toBe("bad_path");
  });

  test("picked and omitted keys, through lists", () => {
    const data = { total: 2, items: [{ id: 1, user: { name: "a", mail: "x" } }, { id: 2 }] };
    expect(give("pick", data, { keys: ["items.user.name", "nosuch"] })).toEqual({
      items: [{ user: { name: "a" } }, {}],
    });
    expect(give("pick", data, { keys: ["items", "items.id"] })).toEqual({ items: data.items });
    expect(give("omit", data, { keys: ["total", "items.user.mail"] })).toEqual({
      items: [{ id: 1, user: { name: "a" } }, { id: 2 }],
    });
    expect(give("pick", [{ a: 1, b: 2 }], { keys: ["a"] })).toEqual([{ a: 1 }]);
  });

  test("two values into one", () => {
    const first = { a: { b: 1, list: [1] }, keep: true };
    const second = { a: { c: 2, list: [2] }, keep: null };
    expect(give("merge", first, { other: second })).toEqual({ a: { b: 1, c: 2, list: [2] }, keep: null });
    expect(give("merge", first, { other: JSON.stringify(second), lists: "concat" })).toMatchObject({
      a: { list: [1, 2] },
    });
    expect(give("merge", [{ a: 1 }, { b: 2 }, { a: 3 }])).toEqual({ a: 3, b: 2 });
  });

  test("values to paths and back", () => {
    const data = { a: { b: [1, { c: null }], empty: {}, none: [] }, "x.y": 1, "": 2 };
    const flat = { "a.b[0]": 1, "a.b[1].c": null, "a.empty": {}, "a.none": [], '["x.y"]': 1, '[""]': 2 };
    expect(give("flatten", data)).toEqual(flat);
    expect(give("unflatten", flat)).toEqual(data);
    expect(give("flatten", 5)).toEqual({ "": 5 });
    expect(give("unflatten", { "": 5 })).toBe(5);
    expect(give("unflatten", { "a[1]": 2, "a[0]": 1 })).toEqual({ a: [1, 2] });
    for (const broken of [{ "a[1]": 1 }, { a: 1, "a.b": 2 }, { "a.b": 2, a: 1 }, { "a[0]": 1, "a.b": 1 }]) {
      expect(failing("unflatten", broken)).toBe("bad_path");
    }
  });

  test("any JSON to paths and back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (json) => {
        const data: unknown = JSON.parse(JSON.stringify(json));
        if (JSON.stringify(data).includes('"__proto__"')) return;
        expect(give("unflatten", give("flatten", { data }))).toEqual({ data });
      }),
      { numRuns: 200 },
    );
  });
});

describe("json_process compares and patches", () => {
  test.each([
    [
      { a: 1, b: 2 },
      { a: 2, c: 3 },
      [
        { op: "replace", path: "/a", value: 2 },
        { op: "remove", path: "/b" },
        { op: "add", path: "/c", value: 3 },
      ],
    ],
    [[1, 2, 3, 4], [1, 3, 4], [{ op: "remove", path: "/1" }]],
    [[1, 3], [1, 2, 3], [{ op: "add", path: "/1", value: 2 }]],
    [{ "a/b~": 1 }, { "a/b~": 2 }, [{ op: "replace", path: "/a~1b~0", value: 2 }]],
    [1, [1], [{ op: "replace", path: "", value: [1] }]],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, []],
  ])("%j and %j", (before, after, changes) => {
    expect(give("diff", before, { other: after })).toEqual(changes);
  });

  test("any two values, so that the patch converts one to the other", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [before, after] = JSON.parse(JSON.stringify([a, b])) as [unknown, unknown];
        if (JSON.stringify([before, after]).includes('"__proto__"')) return;
        const stored = JSON.stringify(before);
        expect(patchValue(before, diffValues(before, after))).toEqual(after);
        expect(JSON.stringify(before)).toBe(stored);
      }),
      { numRuns: 300 },
    );
  });

  test("every operation of RFC 6902 is supported", () => {
    const patch = [
      { op: "test", path: "/a/b", value: { y: [1], x: 1 } },
      { op: "copy", from: "/a/b", path: "/copy" },
      { op: "move", from: "/a/b/x", path: "/list/0" },
      { op: "add", path: "/list/-", value: 9 },
      { op: "remove", path: "/list/1" },
      { op: "replace", path: "/a/b/y/0", value: 5 },
    ];
    expect(give("patch", { a: { b: { x: 1, y: [1] } }, list: [2, 3] }, { patch })).toEqual({
      a: { b: { y: [5] } },
      list: [1, 3, 9],
      copy: { x: 1, y: [1] },
    });
    expect(give("patch", { a: 1 }, { patch: [{ op: "replace", path: "", value: [] }] })).toEqual([]);
  });

  test.each([
    [[{ op: "test", path: "/a", value: 2 }], "patch_failed"],
    [[{ op: "remove", path: "/nosuch" }], "patch_failed"],
    [[{ op: "replace", path: "/nosuch", value: 1 }], "patch_failed"],
    [[{ op: "add", path: "/list/5", value: 1 }], "patch_failed"],
    [[{ op: "add", path: "/list/01", value: 1 }], "patch_failed"],
    [[{ op: "add", path: "/a/b", value: 1 }], "patch_failed"],
    [[{ op: "move", from: "/list", path: "/list/0" }], "patch_failed"],
    [[{ op: "add", path: "a", value: 1 }], "bad_patch"],
    [[{ op: "add", path: "/a" }], "bad_patch"],
    [[{ op: "boil", path: "/a" }], "bad_patch"],
    [[7], "bad_patch"],
    [{}, "bad_patch"],
  ])("%j is refused", (patch, reason) => {
    expect(failing("patch", { a: 1, list: [1] }, { patch })).toBe(reason);
  });
});

describe("json_process reads and writes CSV", () => {
  test.each<[string, Partial<JsonProcessInput>, unknown]>([
    ["a,b\r\n1,2\r\n", {}, [{ a: "1", b: "2" }]],
    ['\ufeffa;b\n"x;""y""\nz";2', {}, [{ a: 'x;"y"\nz', b: "2" }]],
    ["a\tb\n1\t2", {}, [{ a: "1", b: "2" }]],
    ["a|b\r1|2", {}, [{ a: "1", b: "2" }]],
    ["a,a,,a\n1,2,3,4,5", {}, [{ a: "1", a_2: "2", column_3: "3", a_3: "4", column_5: "5" }]],
    ["a,b\n\n1\n\n", {}, [{ a: "1", b: "" }]],
    [
      "a,b\n1,2",
      { header: false },
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    ["a\n1,5", { delimiter: ";" }, [{ a: "1,5" }]],
    [
      "n,t,e,z,big\n-1.5e3,TRUE,,007,12345678901234567890",
      { infer: true },
      [{ n: -1500, t: true, e: null, z: "007", big: "12345678901234567890" }],
    ],
    ['a\n"x" y,', {}, [{ a: "x y", column_2: "" }]],
    ['a\n""', {}, [{ a: "" }]],
    ["", {}, []],
    ["a,b", {}, []],
    ["姓名，年龄", {}, []],
  ])("%j %j", (csv, options, expected) => {
    expect(give("csv_to_json", csv, options)).toEqual(expected);
  });

  test("the line of an unclosed quote is reported", () => {
    expect(() => give("csv_to_json", 'a\nb\n"c\nd')).toThrow("line 3");
    expect(failing("csv_to_json", { a: 1 })).toBe("wrong_type");
    expect(failing("csv_to_json", "__proto__,a\n1,2")).toBe("forbidden_key");
  });

  test("CSV is written from objects and lists", () => {
    expect(
      give("json_to_csv", [
        { a: 1, b: 'x, "y"' },
        { b: null, c: { d: [1] } },
      ]),
    ).toBe('a,b,c\r\n1,"x, ""y""",\r\n,,"{""d"":[1]}"\r\n');
    expect(give("json_to_csv", '[[1,"a;b"],[true,null]]', { delimiter: ";" })).toBe('1;"a;b"\r\ntrue;\r\n');
    expect(give("json_to_csv", [{ a: 1, b: 2 }], { columns: ["b", "z"], header: false })).toBe("2,\r\n");
    expect(give("json_to_csv", [{ a: "=1+1", b: -1, c: "-x" }], { escape_formulas: true })).toBe(
      "a,b,c\r\n'=1+1,-1,'-x\r\n",
    );
    expect(failing("json_to_csv", [{ a: 1 }, 5])).toBe("wrong_type");
  });

  test("any table, there and back", () => {
    const cell = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\r", "").toWellFormed());
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }),
        fc.constantFrom(",", ";", "\t"),
        (rows, delimiter) => {
          expect(parseCsv(writeCsv(rows, { delimiter }), { delimiter, header: false })).toEqual(rows);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("json_process arranges lists", () => {
  const people = [
    { name: "b", age: 30, team: "x" },
    { name: "a", age: 4 },
    { name: "c", team: "x" },
  ];

  test("lists are sorted by a key, items without it last", () => {
    expect((give("sort_by", people, { key: "age" }) as typeof people).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect((give("sort_by", people, { key: "age", order: "desc" }) as typeof people).map(({ name }) => name)).toEqual([
      "b",
      "a",
      "c",
    ]);
    expect(give("sort_by", [10, "b", 9, "a", null, true])).toEqual([9, 10, "a", "b", true, null]);
  });

  test("lists are grouped", () => {
    expect(give("group_by", people, { key: "team" })).toEqual([
      { key: "x", count: 2, items: [people[0], people[2]] },
      { key: null, count: 1, items: [people[1]] },
    ]);
    expect(give("group_by", [{ k: "__proto__" }], { key: "k" })).toEqual([
      { key: "__proto__", count: 1, items: [{ k: "__proto__" }] },
    ]);
  });

  test("repetitions are removed", () => {
    expect(give("unique", [1, "1", 1, { a: 1, b: 2 }, { b: 2, a: 1 }])).toEqual([1, "1", { a: 1, b: 2 }]);
    expect(give("unique", people, { key: "team" })).toEqual([people[0], people[1]]);
    expect(failing("unique", { a: 1 })).toBe("wrong_type");
  });
});

describe("json_process checks and formats", () => {
  test("a value against a schema", () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
    expect(give("validate", { n: 1 }, { schema })).toEqual({ valid: true, issues: [] });
    expect(give("validate", '{"n":0}', { schema: JSON.stringify(schema) })).toMatchObject({
      valid: false,
      issues: [{ path: "n" }],
    });
    expect(give("validate", "{n:0}")).toMatchObject({ valid: false, issues: [{ code: "not_json" }] });
    expect(failing("validate", {}, { schema: { type: "strnig" } })).toBe("bad_schema");
    expect(failing("validate", {}, { schema: [] })).toBe("bad_schema");
    expect(failing("validate", {}, { schema: { pattern: "(a)\\1" } })).toBe("bad_schema");
  });

  test("text, keeping the digits of every integer", () => {
    const text = '{"b":[1,2],"a":12345678901234567890}';
    expect(give("format", text)).toBe('{\n  "b": [\n    1,\n    2\n  ],\n  "a": 12345678901234567890\n}');
    expect(give("minify", ` ${text} `, { sort_keys: true })).toBe('{"a":12345678901234567890,"b":[1,2]}');
    expect(give("format", { b: 1 }, { indent: 0 })).toBe('{"b":1}');
    expect(processJson({ operation: "get", data: text, path: "b[0]" })).toEqual({
      result: 1,
      found: true,
      inexact: true,
    });
    expect(processJson({ operation: "get", data: '{"a":1234567890123456}', path: "a" })).not.toHaveProperty("inexact");
  });
});

describe("json_process stands", () => {
  test.each<[string, string, unknown, Partial<JsonProcessInput>]>([
    ["text that is no JSON", "not_json", "{a:1}", {}],
    ["a number that is too large", "not_json", "[1e999]", {}],
    ["a text that is too long", "too_large", `"${"a".repeat(2_000_001)}"`, {}],
    ["too many values", "too_large", `[${"1,".repeat(300_000)}1]`, {}],
    ["a million levels of text", "too_deep", "[".repeat(1_000_000), {}],
    ["a hundred and one levels", "too_deep", `${"[".repeat(101)}${"]".repeat(101)}`, {}],
    ["a key that reaches a prototype", "forbidden_key", '{"a":[{"__proto__":{"polluted":1}}]}', {}],
    [
      "the same in another parameter",
      "forbidden_key",
      {},
      { operation: "merge", other: '{"__proto__":{"polluted":1}}' },
    ],
    ["a path to a prototype", "forbidden_key", {}, { operation: "set", path: "a.__proto__.polluted", value: 1 }],
    [
      "a pointer to a prototype",
      "forbidden_key",
      {},
      { operation: "patch", patch: [{ op: "add", path: "/__proto__/polluted", value: 1 }] },
    ],
    ["a flat path to a prototype", "forbidden_key", { "a.__proto__.polluted": 1 }, { operation: "unflatten" }],
    ["a path that is too long", "bad_path", {}, { operation: "set", path: "a.".repeat(99) + "a", value: 1 }],
    [
      "a long key above many values",
      "too_large",
      { ["k".repeat(10_000)]: Array.from({ length: 10_000 }, (_, at) => at) },
      { operation: "flatten" },
    ],
    [
      "a long key above many changes",
      "too_large",
      { ["k".repeat(10_000)]: Array.from({ length: 10_000 }, () => 1) },
      { operation: "diff", other: { ["k".repeat(10_000)]: Array.from({ length: 10_000 }, () => 2) } },
    ],
    [
      "rows with keys of their own",
      "too_large",
      Array.from({ length: 5_000 }, (_, at) => ({ [`k${at}`]: at })),
      { operation: "json_to_csv" },
    ],
    [
      "a wide first row and many short ones",
      "too_large",
      `${"a,".repeat(5_000)}a\n${"1\n".repeat(50_000)}`,
      { operation: "csv_to_json" },
    ],
    [
      "copies that double",
      "too_large",
      { a: [1] },
      { operation: "patch", patch: Array.from({ length: 40 }, () => ({ op: "copy", from: "/a", path: "/a/-" })) },
    ],
    [
      "copies into the depth",
      "too_large",
      { a: {} },
      { operation: "patch", patch: Array.from({ length: 5_000 }, () => ({ op: "copy", from: "", path: "/a" })) },
    ],
    ["an object that is no data", "not_json", { a: new Map() }, {}],
    ["a function", "not_json", { a: () => 1 }, {}],
  ])("%s (%s)", (...[, reason, data, more]) => {
    const started = cpuTime();
    const found = failing(more.operation ?? "parse", data, more);
    expect(found === reason || (reason === "too_large" && found === "patch_failed")).toBe(true);
    expect(cpuTime() - started).toBeLessThan(3_000);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("a value that holds itself", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(failing("parse", loop)).toBe("too_deep");
  });

  test("data of the maximum size, in every operation", { timeout: 60_000 }, () => {
    const data = Array.from({ length: 30_000 }, (_, at) => ({ id: at % 1000, name: `name ${at}`, tags: ["x"] }));
    const other = data.map((item) => ({ ...item, name: `${item.name}!` }));
    const calls: JsonProcessInput[] = [
      { operation: "query", data, path: "$[*].tags[0]" },
      { operation: "pick", data, keys: ["id", "tags"] },
      { operation: "flatten", data },
      { operation: "diff", data, other },
      { operation: "sort_by", data, key: "name" },
      { operation: "group_by", data, key: "id" },
      { operation: "unique", data },
      { operation: "json_to_csv", data },
      { operation: "format", data: JSON.stringify(data), sort_keys: true },
      { operation: "validate", data, schema: { type: "array", items: { type: "object", required: ["id"] } } },
      { operation: "csv_to_json", data: writeCsv(data.map(({ id, name }) => ({ id, name }))) },
      { operation: "set", data, path: "[5].name", value: 1 },
    ];
    for (const call of calls) {
      const started = performance.now();
      processJson(call);
      expect([call.operation, performance.now() - started < 3_000]).toEqual([call.operation, true]);
    }
  });
});

import { describe, expect, test } from "vitest";
import { FailureError } from "../base/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type Problem, formatProblem } from "../text/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import { defineTool } from "./define-tool.ts";
import { ToolRegistry } from "./registry.ts";
import { type ToolFileOptions, parseToolFile } from "./tool-file.ts";
import type { AnyTool } from "./tool.ts";

const executors = new ToolRegistry();
executors.register(
  defineTool({
    name: "http_request",
    description: "Sends",
    effect: (args: { method?: string }) => (args.method === "GET" ? "read" : "once"),
    timeoutMs: (args: { timeout?: number }) => (args.timeout ?? 30) * 1000,
    input: fromJsonSchema<{ method?: string; timeout?: number }, object>({
      type: "object",
      properties: { url: { type: "string", maxLength: 30 }, method: { default: "GET" }, timeout: { default: 7 } },
      required: ["url"],
    }),
    run: (args) => ({ sent: args }),
  }),
);
executors.register(
  defineTool({ name: "writer", description: "Writes", effect: "idempotent", destructive: true, run: () => null }),
);
executors.register(defineTool({ name: "echo", description: "Gives back", effect: "pure", run: (args) => args }));

/** The tool file of the format's first description, unchanged. */
const httpRequest = `# tools/http_request.yaml
name: http_request
version: "1.0.0"
description: 发送 HTTP 请求并返回响应
category: http
tags:
  - network
  - api
  - request

# 参数定义
parameters:
  - name: url
    type: string
    required: true
    description: 请求 URL
    validation:
      pattern: "^https?://"

  - name: method
    type: string
    required: false
    default: "GET"
    description: HTTP 方法
    validation:
      enum: ["GET", "POST", "PUT", "DELETE", "PATCH"]

  - name: headers
    type: object
    required: false
    description: 请求头

  - name: body
    type: object
    required: false
    description: 请求体（POST/PUT/PATCH）

  - name: timeout
    type: number
    required: false
    default: 30
    description: 超时时间（秒）
    validation:
      min: 1
      max: 300

# 入口配置
entry:
  type: builtin          # builtin | external | custom
  handler: http_request  # 执行器名称

# 可选：输出定义
output:
  type: object
  properties:
    status_code: integer
    headers: object
    body: any
`;

const context = { signal: new AbortController().signal, secrets: { get: () => undefined } } as unknown as ToolContext &
  CompositeContext;

const parse = (text: string, options: Partial<ToolFileOptions> = {}) =>
  parseToolFile(text, { file: "tools/t.yaml", executors, ...options });

async function load(text: string, options?: Partial<ToolFileOptions>): Promise<AnyTool> {
  const { tool, problems } = await parse(text, options);
  expect(problems).toEqual([]);
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

const minimal = (more = "", parameters = ""): string =>
  `name: t\ndescription: d\n${parameters === "" ? "" : `parameters:\n${parameters}\n`}entry: { type: builtin, handler: echo }\n${more}`;

const positions = (problems: readonly Problem[]): string[] =>
  problems.map(
    ({ severity, code, line, column }) => `${severity === "error" ? "" : "warning "}${code} ${line}:${column}`,
  );

function thrownBy(work: () => unknown): FailureError {
  try {
    work();
  } catch (error) {
    return error as FailureError;
  }
  throw new Error("nothing was thrown");
}

describe("a whole file", () => {
  test("[B01] the first tool file ever written loads unchanged", async () => {
    const tool = await load(httpRequest);
    expect(tool).toMatchObject({
      name: "http_request",
      version: "1.0.0",
      description: "发送 HTTP 请求并返回响应",
      category: "http",
      tags: ["network", "api", "request"],
      id: "http_request",
      status: "active",
    });
    expect(tool.input.json).toEqual({
      type: "object",
      properties: {
        url: { type: "string", pattern: "^https?://", description: "请求 URL" },
        method: {
          type: "string",
          enum: ["GET", "POST", "PUT", "DELETE", "PATCH"],
          default: "GET",
          description: "HTTP 方法",
        },
        headers: { type: "object", description: "请求头" },
        body: { type: "object", description: "请求体（POST/PUT/PATCH）" },
        timeout: { type: "number", minimum: 1, maximum: 300, default: 30, description: "超时时间（秒）" },
      },
      required: ["url"],
    });
    expect(Object.keys(tool.input.json["properties"] as object)).toEqual([
      "url",
      "method",
      "headers",
      "body",
      "timeout",
    ]);
    expect(tool.output?.json).toEqual({
      type: "object",
      properties: { status_code: { type: "integer" }, headers: { type: "object" }, body: {} },
    });
    expect(tool.input.validate({ url: "https://h/" })).toEqual({
      value: { url: "https://h/", method: "GET", timeout: 30 },
    });
    expect(tool.input.validate({ url: "ftp://h/" })).toMatchObject({ issues: [{ path: ["url"] }] });
  });

  test("[B01] every key reaches the tool", async () => {
    const tool = await load(
      minimal(
        `id: t-1\nversion: "2.0"\nstatus: deprecated\ndisplay_name: T\naliases: [tt, t.t]\ncapabilities: [search]\ncategory: ai
effect: read\ndestructive: true\ntimeout: 500ms\ncache: { ttl: 2m }\nalways_enabled: true\nbackground: true\ngated: true\ntags: [x]\noutput: string`,
      ),
    );
    expect(tool).toMatchObject({
      id: "t-1",
      version: "2.0",
      status: "deprecated",
      displayName: "T",
      aliases: ["tt", "t.t"],
      capabilities: ["search"],
      category: "ai",
      effect: "read",
      destructive: true,
      timeoutMs: 500,
      cache: { ttlMs: 120_000 },
      alwaysEnabled: true,
      background: true,
      gated: true,
      tags: ["x"],
      output: { json: { type: "string" } },
    });
  });

  test("[B04] a custom category is allowed, a probable misspelling warns, a missing one becomes general", async () => {
    expect((await load(minimal("category: robotics"))).category).toBe("robotics");
    const { tool, problems } = await parse(minimal("category: databse"));
    expect(tool?.category).toBe("databse");
    expect(problems).toMatchObject([
      { severity: "warning", code: "unknown_category", hint: 'did you mean "database"?' },
    ]);
    expect((await load(minimal())).category).toBe("general");
  });

  test("empty keys count as missing", async () => {
    expect(
      await load(minimal("tags:\noutput:\ntimeout:\n", "  - { name: a, type: string, default: , validation: }")),
    ).toMatchObject({
      tags: [],
    });
  });

  test.each([
    ["", "wrong_type 1:1"],
    ["- a\n- b", "wrong_type 1:1"],
    ["just text", "wrong_type 1:1"],
    ["a: [1", "yaml_syntax 1:4"],
  ])("%j is not a tool file", async (text, expected) => {
    const { tool, problems } = await parse(text);
    expect(tool).toBeUndefined();
    expect(positions(problems)).toEqual([expected]);
  });

  test("all problems are reported at once, each with its position", async () => {
    const { tool, problems } = await parse(`nam: x
version: 1.10
description: d
stauts: active
tags: one
effect: reed
timeout: soon
gated: yes
aliases: ["../../x", ok]
cache: { tll: 3 }
parameters:
  - name: a
    type: strng
  - name: b
    type: number
    default: 5
    validation: { min: 9, max: 3, min_length: 2, minimun: 1 }
  - name: b
    type: string
    default: 3
    validation: { enum: [1, x], pattern: "(?=a)b" }
  - type: string
entry:
  type: buildin
`);
    expect(tool).toBeUndefined();
    expect(positions(problems)).toEqual([
      "unknown_key 1:1",
      "warning digits_lost 2:10",
      "wrong_type 2:10",
      "unknown_key 4:1",
      "wrong_type 5:7",
      "bad_value 6:9",
      "wrong_type 7:10",
      "wrong_type 8:8",
      "bad_tool_name 9:11",
      "unknown_key 10:10",
      "bad_value 13:11",
      "bad_default 16:14",
      "bad_range 17:32",
      "wrong_option 17:35",
      "unknown_key 17:50",
      "duplicate_parameter 18:11",
      "bad_default 20:14",
      "bad_enum 21:26",
      "bad_pattern 21:42",
      "missing_key 22:5",
      "bad_value 24:9",
    ]);
    expect(problems.map(({ hint }) => hint)).toEqual(
      expect.arrayContaining([
        'did you mean "name"?',
        'did you mean "status"?',
        'did you mean "read"?',
        'did you mean "ttl"?',
        'did you mean "string"?',
        'did you mean "builtin"?',
        "put quotes around it",
        "write a list: [one]",
        "write true",
        "it applies to string",
      ]),
    );
    for (const problem of problems) expect(formatProblem(problem)).toContain("tools/t.yaml:");
  });
});

describe("parameters", () => {
  const schemaOf = async (parameter: string): Promise<unknown> =>
    ((await load(minimal("", `  - { name: p, ${parameter} }`))).input.json["properties"] as Record<string, unknown>)[
      "p"
    ];

  test.each(["string", "number", "integer", "boolean", "array", "object"])(
    "[B02] a parameter may have the type %s",
    async (type) => {
      expect(await schemaOf(`type: ${type}`)).toEqual({ type });
    },
  );

  test.each([
    [
      'type: string, validation: { pattern: "^a", min_length: 1, max_length: 3 }',
      { type: "string", pattern: "^a", minLength: 1, maxLength: 3 },
    ],
    ["type: string, validation: { enum: [a, b] }", { type: "string", enum: ["a", "b"] }],
    ["type: number, validation: { min: 0.5, max: 9 }", { type: "number", minimum: 0.5, maximum: 9 }],
    ["type: integer, validation: { min: 1, max: 1 }", { type: "integer", minimum: 1, maximum: 1 }],
    ["type: integer, validation: { enum: [1, 2] }", { type: "integer", enum: [1, 2] }],
    [
      "type: array, validation: { items: string, min_items: 1, max_items: 3 }",
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 },
    ],
    ["type: array, validation: { items: any }", { type: "array", items: {} }],
    [
      "type: array, validation: { items: { type: object, properties: { id: { type: integer, required: true }, tag: string } } }",
      {
        type: "array",
        items: { type: "object", properties: { id: { type: "integer" }, tag: { type: "string" } }, required: ["id"] },
      },
    ],
    [
      "type: object, validation: { properties: { city: string, zip: { type: string, validation: { max_length: 5 } } }, required: [city] }",
      {
        type: "object",
        properties: { city: { type: "string" }, zip: { type: "string", maxLength: 5 } },
        required: ["city"],
      },
    ],
    [
      "type: array, validation: { items: { anyOf: [string, { type: number, minimum: 1 }] } }",
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number", minimum: 1 }] } },
    ],
  ])("[B03] %s", async (source, expected) => {
    expect(await schemaOf(source)).toEqual(expected);
  });

  test("[B03] the validation applies to arguments, including nested ones", async () => {
    const tool = await load(
      minimal(
        "",
        "  - { name: list, type: array, validation: { items: { type: object, properties: { n: { type: integer, validation: { max: 3 } } } } } }",
      ),
    );
    expect(tool.input.validate({ list: [{ n: 3 }] })).toMatchObject({ value: {} });
    expect(tool.input.validate({ list: [{ n: 4 }] })).toMatchObject({ issues: [{ path: ["list", 0, "n"] }] });
  });

  test.each([
    ["type: boolean, validation: { min: 1 }", "wrong_option"],
    ["type: string, validation: { max: 1 }", "wrong_option"],
    ["type: number, validation: { pattern: x }", "wrong_option"],
    ["type: object, validation: { items: string }", "wrong_option"],
    ["type: string, validation: { min_length: -1 }", "bad_value"],
    ["type: string, validation: { min_length: 1.5 }", "wrong_type"],
    ["type: string, validation: { min_length: 3, max_length: 2 }", "bad_range"],
    ["type: array, validation: { min_items: 3, max_items: 2 }", "bad_range"],
    ["type: number, validation: { min: 3, max: 2 }", "bad_range"],
    ['type: number, validation: { enum: ["1"] }', "bad_enum"],
    ["type: string, validation: { enum: [] }", "bad_value"],
    ["type: string, validation: [a]", "wrong_type"],
    ["type: array, validation: { items: strin }", "bad_value"],
    ["type: array, validation: { items: { type: int } }", "unknown_type"],
    ["type: array, validation: { items: { type: string, min_length: 2 } }", "unknown_key"],
    ["type: array, validation: { items: { type: string, minimumLength: 2 } }", "unknown_key"],
    ["type: array, validation: { items: { type: string, minLength: two } }", "bad_schema"],
    ["type: object, validation: { properties: { a: string }, required: [b] }", "bad_value"],
    ["type: string, default: 3", "bad_default"],
    ["type: integer, default: 1.5", "bad_default"],
    ["type: number, default: 99, validation: { max: 9 }", "bad_default"],
    ["type: string, default: c, validation: { enum: [a, b] }", "bad_default"],
    ['type: string, default: xa, validation: { pattern: "^a" }', "bad_default"],
    ["type: string, default: toolong, validation: { max_length: 3 }", "bad_default"],
    ["type: array, default: [1], validation: { items: string }", "bad_default"],
    ["type: object, default: {}, validation: { properties: { a: string }, required: [a] }", "bad_default"],
    ["type: string, required: 1", "wrong_type"],
    ["type: string, requried: true", "unknown_key"],
  ])("%s is refused with %s", async (source, code) => {
    const { tool, problems } = await parse(minimal("", `  - { name: p, ${source} }`));
    expect(tool).toBeUndefined();
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(problems[0]?.line).toBe(4);
  });

  test.each(["__proto__", "constructor", "prototype"])("no parameter is named %s", async (name) => {
    const { tool, problems } = await parse(minimal("", `  - { name: ${name}, type: string }`));
    expect(tool).toBeUndefined();
    expect(positions(problems)).toEqual(["forbidden_key 4:13"]);
  });

  test.each(["((a{100}){100}){100}", "(?=a)b", `${"(?:".repeat(1500)}a`, "a**", "(\\w)\\1"])(
    "the pattern %.20s is refused at its position",
    async (pattern) => {
      const { problems } = await parse(
        minimal("", `  - name: p\n    type: string\n    validation:\n      pattern: ${JSON.stringify(pattern)}`),
      );
      expect(problems).toMatchObject([{ line: 7, column: 16, severity: "error" }]);
      expect(["bad_pattern", "pattern_too_long"]).toContain(problems[0]?.code);
    },
  );
});

describe("output", () => {
  test.each([
    ["any", {}],
    ["string", { type: "string" }],
    ["{ type: array, items: integer }", { type: "array", items: { type: "integer" } }],
    [
      "{ type: object, properties: { a: { type: [string, 'null'] } }, required: [a], additionalProperties: false }",
      { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"], additionalProperties: false },
    ],
  ])("%s", async (source, expected) => {
    expect((await load(minimal(`output: ${source}`))).output?.json).toEqual(expected);
  });

  test("an unknown type is reported with its position", async () => {
    const { problems } = await parse(minimal("output:\n  type: object\n  properties:\n    code: integr\n"));
    expect(problems).toMatchObject([{ code: "unknown_type", line: 7, column: 11, hint: 'did you mean "integer"?' }]);
  });
});

describe("[B07] builtin entries", () => {
  test("run the executor, whose schema validates the arguments after the file's own", async () => {
    const tool = await load(httpRequest);
    expect(await tool.run({ url: "https://h/", method: "POST", timeout: 1 }, context)).toEqual({
      sent: { url: "https://h/", method: "POST", timeout: 1 },
    });
    const tooLong = { url: `https://h/${"x".repeat(30)}` };
    expect(thrownBy(() => tool.run(tooLong, context)).toFailure()).toMatchObject({
      code: "validation_error",
      issues: [{ path: ["url"] }],
    });
  });

  test("use effect, destructiveness and timeout of the executor", async () => {
    const { effect, destructive, timeoutMs } = await load(httpRequest);
    const evaluate = (rule: unknown, args: object): unknown => (rule as (args: object) => unknown)(args);
    expect(evaluate(effect, { url: "https://h/" })).toBe("read");
    expect(evaluate(effect, { url: "https://h/", method: "POST" })).toBe("once");
    expect(evaluate(effect, {})).toBe("once");
    expect(evaluate(destructive, { url: "https://h/", method: "GET" })).toBe(false);
    expect(evaluate(timeoutMs, { url: "https://h/" })).toBe(7_000);
  });

  test("settings of the file take priority", async () => {
    const tool = await load(`${httpRequest}effect: idempotent\ntimeout: 5\ndestructive: true\n`);
    expect(tool).toMatchObject({ effect: "idempotent", timeoutMs: 5_000, destructive: true });
  });

  const evaluate = ({ destructive }: AnyTool): boolean =>
    typeof destructive === "function" ? destructive({ url: "https://h/", method: "POST" }) : destructive;

  test.each([
    ["{ type: builtin, handler: writer }", "idempotent", true],
    ["{ type: builtin, handler: writer }", "read", true],
    ["{ type: builtin, handler: http_request }", "read", true],
    ["{ type: builtin, handler: echo }", "idempotent", false],
    ["{ type: builtin, handler: echo }", "once", true],
    ["{ type: http, url: https://h/, method: PUT }", "idempotent", true],
    ["{ type: http, url: https://h/, method: DELETE }", "idempotent", true],
    ["{ type: http, url: https://h/, method: POST }", "read", true],
    ["{ type: http, url: https://h/ }", "idempotent", false],
    ["{ type: command, command: [rm, x] }", "idempotent", true],
    // The effect of a command or a function is known only from the file.
    ["{ type: command, command: [wc] }", "read", false],
  ])("an effect does not remove the approval of its entry: %s, %s", async (entry, effect, destructive) => {
    const file = `name: t\ndescription: d\neffect: ${effect}\nparameters: { url: string? }\nentry: ${entry}\n`;
    expect(evaluate(await load(file))).toBe(destructive);
    const { tool, problems } = await parse(`${file}destructive: false\n`);
    expect(tool).toMatchObject({ effect, destructive: false });
    expect(problems.filter(({ code }) => code === "no_approval")).toMatchObject(
      destructive ? [{ severity: "warning", line: 6, column: 1 }] : [],
    );
  });

  test("an executor argument that no parameter can provide is reported", async () => {
    const file = (...names: string[]): string =>
      minimal("", names.map((name) => `  - { name: ${name}, type: string }`).join("\n"));
    const toHttp = (text: string): string => text.replace("handler: echo", "handler: http_request");
    const { tool, problems } = await parse(toHttp(file("城市", "URL")));
    expect(problems).toMatchObject([
      {
        severity: "warning",
        code: "missing_input",
        message: 'the executor "http_request" needs "url", which is not among the parameters',
        line: 6,
        column: 34,
      },
    ]);
    expect(tool).toBeDefined();
    expect((await parse(toHttp(file("url")))).problems).toEqual([]);
    expect((await parse(file())).problems).toEqual([]);
  });

  test("an executor argument with a default need not be a parameter", async () => {
    const preset = defineTool({
      name: "preset",
      description: "d",
      input: fromJsonSchema({
        type: "object",
        properties: { a: { type: "string", default: "x" }, b: {}, c: {} },
        required: ["a", "b", "c"],
      }),
      run: (args) => args,
    });
    const own = new ToolRegistry();
    own.register(preset);
    const { problems } = await parse(minimal().replace("handler: echo", "handler: preset"), { executors: own });
    expect(problems.map(({ message }) => message)).toEqual([
      'the executor "preset" needs "b" and "c", which are not among the parameters',
    ]);
  });

  test("an unknown executor produces a tool that reports it, and an error for validation", async () => {
    const { tool, problems } = await parse(minimal().replace("handler: echo", "handler: ehco"));
    expect(problems).toMatchObject([
      { severity: "error", code: "executor_not_found", line: 3, column: 34, hint: 'did you mean "echo"?' },
    ]);
    expect(tool?.broken).toMatchObject({ code: "executor_not_found", retry: "never" });
    expect(tool?.broken?.message).toContain('did you mean "echo"?');
    expect(() => tool?.run({}, context)).toThrow(FailureError);
  });

  test("produces no tool if there are other errors", async () => {
    expect((await parse(minimal("nmae: x").replace("handler: echo", "handler: ehco"))).tool).toBeUndefined();
  });

  test("results of a tool that writes cannot be cached", async () => {
    const { problems } = await parse(minimal("effect: once\ncache: { ttl: 5 }"));
    expect(positions(problems)).toEqual(["useless_cache 5:1"]);
  });
});

describe("entries", () => {
  test.each([
    ["{ type: external }", "bad_value"],
    ["{ type: external, url: https://h/, command: [x] }", "bad_value"],
    ["{ handler: echo }", "bad_value"],
    ["{ type: builtin }", "missing_key"],
    ["{ type: builtin, handler: echo, url: x }", "unknown_key"],
    ["{ type: builtin, handlr: echo }", "unknown_key"],
    ["echo", "wrong_type"],
  ])("%s is refused with %s", async (entry, code) => {
    const { tool, problems } = await parse(`name: t\ndescription: d\nentry: ${entry}\n`);
    expect(tool).toBeUndefined();
    expect(problems.map((problem) => problem.code)).toEqual([code]);
  });

  test("a command line is refused with the equivalent list", async () => {
    const { problems } = await parse('name: t\ndescription: d\nentry: { type: external, command: "jq -r .a" }\n');
    expect(problems).toMatchObject([
      { code: "shell_command", line: 3, hint: 'write a list, one argument per item: ["jq", "-r", ".a"]' },
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { fromJsonSchema } from "../schema/index.ts";
import { entrySchemas, parameterTypes, toolFileSchema, validationSchemas } from "./tool-file-schema.ts";
import { parseToolFile } from "./tool-file.ts";
import type { AnyTool } from "./tool.ts";
import { ToolRegistry } from "./registry.ts";
import { defineTool } from "./define-tool.ts";

const executors = new ToolRegistry();
executors.register(defineTool({ name: "echo", description: "d", effect: "read", run: (args) => args }));
const schema = fromJsonSchema(toolFileSchema);

const accepts = (file: object): boolean => {
  const result = schema.validate(file);
  return !(result instanceof Promise) && result.issues === undefined;
};

/** JSON is YAML. */
const parse = (file: object) => parseToolFile(JSON.stringify(file), { file: "t.yaml", executors });

const loads = async (file: object): Promise<AnyTool | undefined> => (await parse(file)).tool;

const base = { name: "t", description: "d", entry: { type: "builtin", handler: "echo" } };
const parameter = (over: object): object => ({ ...base, parameters: [{ name: "p", type: "string", ...over }] });
const entry = (value: object): object => ({ ...base, entry: value });

/** A valid value for each key of the file. */
const examples: Record<string, unknown> = {
  ...base,
  version: "1",
  category: "ai",
  tags: ["a"],
  parameters: [{ name: "p", type: "string" }],
  examples: [{ p: "x" }],
  output: { type: "object", properties: { a: "integer", b: { type: "array", items: "any" } } },
  id: "x",
  status: "draft",
  display_name: "T",
  aliases: ["u"],
  capabilities: ["c"],
  effect: "read",
  destructive: false,
  targets: { p: "path" },
  sends: true,
  timeout: "2m",
  cache: { ttl: 3 },
  always_enabled: true,
  background: false,
  gated: true,
};

const options: Record<string, unknown> = {
  pattern: "^a",
  min_length: 0,
  max_length: 9,
  enum: undefined,
  min: 1,
  max: 5,
  items: "string",
  min_items: 0,
  max_items: 3,
  properties: { a: "string" },
  required: [],
};

const entries: Record<string, Record<string, unknown>> = {
  builtin: { type: "builtin", handler: "echo" },
  http: {
    type: "external",
    url: "https://h.example/x",
    method: "PUT",
    headers: { a: 1 },
    query: { q: [1, 2] },
    body: { a: 1 },
    result: "body",
    timeout: 4,
  },
  command: {
    type: "external",
    command: ["x", ""],
    stdin: "s",
    output: "json",
    env: { A: "b" },
    cwd: ".",
    timeout: "1s",
  },
  custom: { type: "custom", module: "./x.ts", export: "y" },
  prompt: {
    type: "prompt",
    prompt: "p",
    system: "s",
    model: "fast",
    temperature: 0.5,
    max_tokens: 100,
    timeout: "1m",
  },
};

const keysOf = (json: { readonly properties?: unknown }): string[] => Object.keys(json.properties as object).sort();

describe("the schema for editors and the parser agree", () => {
  test("both know the same keys of a file", async () => {
    expect(keysOf(toolFileSchema)).toEqual(Object.keys(examples).sort());
    expect(accepts(examples)).toBe(true);
    expect(await parse(examples)).toMatchObject({ problems: [], tool: { name: "t" } });
  });

  test.each(Object.keys(entries))("both know the same keys of a %s entry", async (kind) => {
    const example = entries[kind] ?? {};
    expect(keysOf(entrySchemas[kind as keyof typeof entrySchemas])).toEqual(Object.keys(example).sort());
    expect(accepts(entry(example))).toBe(true);
    const codes = (await parse(entry(example))).problems.map(({ code }) => code);
    expect(codes.filter((code) => code !== "module_not_found")).toEqual([]);
  });

  test.each(parameterTypes)("both know the same validation of a %s", async (type) => {
    const own = keysOf(validationSchemas[type]).filter((key) => key !== "enum");
    const file = parameter({ type, validation: Object.fromEntries(own.map((key) => [key, options[key]])) });
    expect(accepts(file)).toBe(true);
    expect((await parse(file)).problems).toEqual([]);
    for (const foreign of Object.keys(options).filter((key) => key !== "enum" && !own.includes(key))) {
      const wrong = parameter({ type, validation: { [foreign]: options[foreign] } });
      expect([foreign, accepts(wrong), await loads(wrong)]).toEqual([foreign, false, undefined]);
    }
  });

  test.each([
    {},
    { ...base, name: undefined },
    { ...base, description: undefined },
    { ...base, entry: undefined },
    { ...base, nmae: "x" },
    { ...base, name: 3 },
    { ...base, name: "" },
    { ...base, version: 1 },
    { ...base, tags: "a" },
    { ...base, tags: [1] },
    { ...base, status: "gone" },
    { ...base, effect: "write" },
    { ...base, destructive: "yes" },
    { ...base, timeout: 0 },
    { ...base, timeout: "soon" },
    { ...base, cache: {} },
    { ...base, cache: { ttl: 1, x: 1 } },
    { ...base, output: "integr" },
    { ...base, parameters: { a: 3 } },
    { ...base, parameters: [{ type: "string" }] },
    { ...base, parameters: [{ name: "p" }] },
    parameter({ type: "strng" }),
    parameter({ requird: true }),
    parameter({ required: "yes" }),
    parameter({ validation: [] }),
    parameter({ validation: { min_length: -1 } }),
    parameter({ type: "array", validation: { items: "strng" } }),
    entry({}),
    entry({ type: "shell" }),
    entry({ type: "builtin" }),
    entry({ type: "external" }),
    entry({ type: "external", url: "https://h/", command: ["x"] }),
    entry({ type: "external", url: "https://h/", handler: "x" }),
    entry({ type: "external", url: "https://h/", method: "FETCH" }),
    entry({ type: "external", url: "https://h/", headers: { a: [] } }),
    entry({ type: "external", command: "x y" }),
    entry({ type: "external", command: [] }),
    entry({ type: "custom" }),
    entry({ type: "prompt" }),
    entry({ type: "prompt", prompt: "" }),
    entry({ type: "prompt", prompt: "p", temperature: 3 }),
    entry({ type: "prompt", prompt: "p", max_tokens: 0 }),
    { ...base, examples: ["x"] },
  ])("both reject %j", async (file) => {
    const plain = JSON.parse(JSON.stringify(file)) as object;
    expect(accepts(plain)).toBe(false);
    expect(await loads(plain)).toBeUndefined();
  });
});

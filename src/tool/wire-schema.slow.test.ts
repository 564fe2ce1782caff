import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type JsonSchema, fromJsonSchema, isRecord, resolveRef, subSchemas } from "../schema/index.ts";
import { defineTool } from "./define-tool.ts";
import type { AnyTool } from "./tool.ts";
import { toAnthropicTools, toOpenAITools, toGeminiTools, toMcpTools } from "./wire-formats.ts";
import { createWireNames } from "./wire-names.ts";
import { toWireSchema } from "./wire-schema.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

/** A Zod schema and matching values, in JSON form. */
interface Sample {
  readonly schema: z.ZodType;
  readonly json: fc.Arbitrary<unknown>;
}

const iso = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const words = fc.constantFrom("red", "green", "blue", "", "a b", "紅");

const leaves: readonly Sample[] = [
  { schema: z.string(), json: fc.string() },
  { schema: z.string().min(2).max(5), json: fc.stringMatching(/^[a-z]{2,5}$/) },
  { schema: z.string().regex(/^[a-z]+$/), json: fc.stringMatching(/^[a-z]+$/) },
  { schema: z.string().regex(/^(?!x)[a-z]+$/), json: fc.stringMatching(/^[a-w]+$/) },
  { schema: z.string().transform((text) => text.length), json: fc.string() },
  { schema: z.string().refine(() => true), json: fc.string() },
  { schema: z.string().brand<"id">().readonly(), json: fc.string() },
  { schema: z.string().pipe(z.coerce.number()), json: fc.integer().map(String) },
  { schema: z.email(), json: fc.constantFrom("ann@example.com", "b.c@example.org") },
  { schema: z.url(), json: fc.webUrl() },
  { schema: z.uuid(), json: fc.uuid({ version: 4 }) },
  { schema: z.iso.datetime(), json: iso },
  { schema: z.iso.date(), json: iso.map((text) => text.slice(0, 10)) },
  { schema: z.ipv4(), json: fc.ipV4() },
  { schema: z.base64(), json: fc.base64String() },
  { schema: z.stringbool(), json: fc.constantFrom("true", "false", "yes", "0") },
  { schema: z.templateLiteral(["id-", z.int()]), json: fc.nat().map((id) => `id-${id}`) },
  { schema: z.number(), json: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { schema: z.number().gt(0).lt(10), json: fc.integer({ min: 1, max: 9 }) },
  { schema: z.number().multipleOf(5), json: fc.integer({ min: -9, max: 9 }).map((n) => n * 5) },
  { schema: z.int(), json: fc.integer() },
  { schema: z.int32(), json: fc.integer() },
  { schema: z.float32(), json: fc.integer() },
  { schema: z.coerce.number(), json: fc.integer() },
  { schema: z.preprocess((value) => value, z.number()), json: fc.integer() },
  { schema: z.boolean(), json: fc.boolean() },
  { schema: z.date(), json: iso },
  { schema: z.coerce.date(), json: iso },
  {
    schema: z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    }),
    json: iso,
  },
  { schema: z.bigint(), json: fc.bigInt().map(String) },
  { schema: z.literal(5n), json: fc.constant("5") },
  { schema: z.literal("x"), json: fc.constant("x") },
  { schema: z.literal(7), json: fc.constant(7) },
  { schema: z.literal(null), json: fc.constant(null) },
  { schema: z.literal([1, "a", null, true]), json: fc.constantFrom(1, "a", null, true) },
  { schema: z.enum(["red", "green", "blue", "", "a b", "紅"]), json: words },
  { schema: z.enum({ one: 1, two: 2 }), json: fc.constantFrom(1, 2) },
  { schema: z.null(), json: fc.constant(null) },
  { schema: z.any(), json: fc.jsonValue({ maxDepth: 2 }) },
  { schema: z.unknown(), json: fc.jsonValue({ maxDepth: 2 }) },
  { schema: z.json(), json: fc.jsonValue({ maxDepth: 3 }) },
  { schema: z.array(z.never()), json: fc.constant([]) },
];

const leaf = fc.constantFrom(...leaves);
const key = fc.constantFrom("a", "b_c", "d-e", "f.g", "名字", "with space", "9th", "$top", "x".repeat(70), "q?");

const { node, object } = fc.letrec<{ node: Sample; object: Sample }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 2, arbitrary: tie("object") },
    { weight: 1, arbitrary: tie("node").map(wrapped) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(9), tie("node")).map(([pick, inner]) => listed(pick, inner)) },
    { weight: 1, arbitrary: fc.tuple(tie("node"), tie("node")).map(([a, b]) => paired(a, b)) },
  ),
  object: fc
    .tuple(
      fc.nat(2),
      fc.dictionary(key, fc.tuple(fc.nat(3), tie("node")), { minKeys: 0, maxKeys: 4, noNullPrototype: true }),
    )
    .map(([kind, fields]) => shaped(kind, fields)),
}));

function wrapped(inner: Sample): Sample {
  return { schema: inner.schema.nullable(), json: fc.option(inner.json, { nil: null }) };
}

function listed(pick: number, inner: Sample): Sample {
  if (pick < 4) return { schema: z.array(inner.schema).max(5), json: fc.array(inner.json, { maxLength: 5 }) };
  const entries = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), inner.json, { maxKeys: 3, noNullPrototype: true });
  if (pick < 7) return { schema: z.record(z.string(), inner.schema), json: entries };
  return {
    schema: z.partialRecord(z.enum(["p", "q"]), inner.schema),
    json: fc.record({ p: inner.json, q: inner.json }, { requiredKeys: [], noNullPrototype: true }),
  };
}

function paired(a: Sample, b: Sample): Sample {
  return {
    schema: z.union([
      z.tuple([a.schema, b.schema]),
      z.tuple([b.schema], a.schema),
      z.object({ only: a.schema }),
      z.object({ left: a.schema }).and(z.object({ right: b.schema })),
    ]),
    json: fc.oneof(
      fc.tuple(a.json, b.json),
      fc.tuple(b.json, a.json),
      a.json.map((only) => ({ only })),
      fc.tuple(a.json, b.json).map(([left, right]) => ({ left, right })),
    ),
  };
}

const presences: readonly ((schema: z.ZodType) => z.ZodType)[] = [
  (schema) => schema,
  (schema) => schema.optional(),
  (schema) => z.lazy(() => schema.describe("about").nullish()),
  (schema) => schema.optional().catch(undefined),
];

function shaped(kind: number, fields: Record<string, [number, Sample]>): Sample {
  const shape: Record<string, z.ZodType> = {};
  const values: Record<string, fc.Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const [name, [presence, inner]] of Object.entries(fields)) {
    values[name] = inner.json;
    if (presence === 0) required.push(name);
    shape[name] = presences[presence]?.(inner.schema) ?? inner.schema;
  }
  const json = fc.record(values, { requiredKeys: required, noNullPrototype: true });
  if (kind === 0) return { schema: z.object(shape), json };
  if (kind === 1) return { schema: z.strictObject(shape), json };
  const extra = fc.tuple(json, fc.integer()).map(([value, more]) => Object.assign({}, value, { more_keys: more }));
  return { schema: z.looseObject(shape), json: extra };
}

const recursive: z.ZodType = z.object({
  name: z.string(),
  at: z.date().optional(),
  get children(): z.ZodType {
    return z.array(recursive).optional();
  },
});

const tree: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  tree: fc.record(
    { name: fc.string(), at: iso, children: fc.array(tie("tree"), { maxLength: 2, depthIdentifier: "tree" }) },
    { requiredKeys: ["name"], noNullPrototype: true },
  ),
})).tree;

/** Schemas at the top level of a tool's input. */
const top: fc.Arbitrary<Sample> = fc.oneof(
  { weight: 4, arbitrary: object },
  { weight: 1, arbitrary: fc.constant<Sample>({ schema: recursive, json: tree }) },
  {
    weight: 2,
    arbitrary: fc.tuple(node, node).map(([a, b]): Sample => ({
      schema: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), both: a.schema, first: a.schema }),
        z.strictObject({ kind: z.literal(["b", "c"]), both: b.schema, second: b.schema.optional() }),
      ]),
      json: fc.oneof(
        fc.record({ kind: fc.constant("a"), both: a.json, first: a.json }, { noNullPrototype: true }),
        fc.record({ kind: fc.constantFrom("b", "c"), both: b.json }, { noNullPrototype: true }),
      ),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(object, object)
      .map(([a, b]): Sample => ({ schema: z.union([a.schema, b.schema]), json: fc.oneof(a.json, b.json) })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(node, node).map(([a, b]): Sample => ({
      schema: z.intersection(z.object({ left: a.schema }), z.strictObject({ right: b.schema })),
      json: fc.record({ left: a.json, right: b.json }, { noNullPrototype: true }),
    })),
  },
  {
    weight: 1,
    arbitrary: node.map((inner): Sample => ({ schema: z.record(z.string(), inner.schema), json: fc.constant({}) })),
  },
);

const toolAndArguments = top.chain(({ schema, json }) =>
  json.map((args) => ({ tool: toolOf(schema), args: JSON.parse(JSON.stringify(args)) as unknown })),
);

function toolOf(schema: z.ZodType): AnyTool {
  return defineTool({ name: "t", description: "A tool.", input: schema, run: () => null });
}

const ajv = new Ajv2020({ strict: false, logger: false });

/** Violations of the rules that OpenAI and Anthropic document and enforce; empty if there are none. */
function portableProblems(schema: JsonSchema, keys: RegExp): string[] {
  const problems: string[] = [];
  if (schema["type"] !== "object" || !isRecord(schema["properties"])) problems.push("no plain object at the top");
  const forbidden = ["anyOf", "oneOf", "allOf", "enum", "not", "$ref", "const"];
  problems.push(
    ...forbidden.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => `${keyword} at the top`),
  );
  if (ajv.validateSchema(schema) !== true) problems.push(`not draft 2020-12: ${ajv.errorsText()}`);
  problems.push(...everySchema(schema).flatMap((inner) => portableNodeProblems(schema, inner, keys)));
  return problems;
}

function portableNodeProblems(root: JsonSchema, schema: JsonSchema, keys: RegExp): string[] {
  const forbidden = ["oneOf", "allOf", "not", "prefixItems", "patternProperties", "if", "$id", "$schema"];
  const problems = forbidden.filter((keyword) => Object.hasOwn(schema, keyword));
  const { type, items, $ref } = schema;
  if ([type].flat().includes("array") && !isRecord(items)) problems.push("array schema missing items");
  if (typeof $ref === "string" && resolveRef(root, $ref) === undefined) problems.push(`${$ref} leads nowhere`);
  problems.push(...keysOf(schema).filter((name) => !keys.test(name)));
  const inner = subSchemas(schema).filter(({ path }) => path[0] !== "additionalProperties");
  return inner.every((part) => isRecord(part.schema)) ? problems : [...problems, "a boolean schema"];
}

const geminiKeywords = new Set(
  (
    "type format title description nullable enum maxItems minItems properties required minLength maxLength pattern " +
    "anyOf items minimum maximum"
  ).split(" "),
);
const geminiTypes = new Set(["string", "number", "integer", "boolean", "array", "object"]);

/** Violations of the subset of OpenAPI that Gemini documents, and known causes of errors. */
function geminiProblems(root: JsonSchema): string[] {
  const problems = root["type"] === "object" ? [] : ["no object at the top"];
  return [...problems, ...everySchema(root).flatMap(geminiNodeProblems)];
}

function geminiNodeProblems(schema: JsonSchema): string[] {
  const {
    type,
    anyOf,
    enum: values = [],
    format = "enum",
    required = [],
    properties = { some: {} },
    items = {},
  } = schema;
  const texts = values as unknown[];
  const rules: Record<string, boolean> = {
    "a keyword outside the subset": Object.keys(schema).every((keyword) => geminiKeywords.has(keyword)),
    "other fields beside anyOf": anyOf === undefined || Object.keys(schema).length === 1,
    "an empty anyOf": anyOf === undefined || (anyOf as unknown[]).length > 0,
    "no type": anyOf !== undefined || geminiTypes.has(String(type)),
    "values of no text": texts.length === 0 || type === "string",
    "an empty value": texts.every((value) => typeof value === "string" && value !== ""),
    "an unknown format": format === "enum" || format === "date-time",
    "an array without items": type !== "array" || Object.hasOwn(schema, "items"),
    "items that are no schema": isRecord(items),
    "no properties": Object.keys(properties as object).length > 0,
    "a bad key": keysOf(schema).every((name) => /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name)),
    "an unknown required key": (required as string[]).every((name) => keysOf(schema).includes(name)),
  };
  return Object.keys(rules).filter((rule) => rules[rule] !== true);
}

function everySchema(schema: JsonSchema): JsonSchema[] {
  return [schema, ...subSchemas(schema).flatMap(({ schema: inner }) => (isRecord(inner) ? everySchema(inner) : []))];
}

function keysOf(schema: JsonSchema): string[] {
  return Object.keys(isRecord(schema["properties"]) ? schema["properties"] : {});
}

const anyKey = /^[^\p{C}]+$/u;
const anthropicKey = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Renames the keys of arguments to the keys declared to the provider. */
function toWireKeys(value: unknown, tool: AnyTool, provider: "openai" | "anthropic" | "mcp"): unknown {
  if (Array.isArray(value)) return value.map((item) => toWireKeys(item, tool, provider));
  if (!isRecord(value)) return value;
  const { keys } = toWireSchema(tool.input.json, provider);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const wire = keys.toWire(name);
      return [keys.fromWire(wire) === name ? wire : name, toWireKeys(item, tool, provider)];
    }),
  );
}

describe("[E04] every schema gets a wire schema that each provider accepts", () => {
  const runs = { numRuns: 150, seed: 20260131 };

  test("the samples are valid: a tool accepts its own arguments in JSON form", async () => {
    await fc.assert(
      fc.asyncProperty(toolAndArguments, async ({ tool, args }) => {
        expect((await tool.input.validate(args)).issues).toBeUndefined();
      }),
      runs,
    );
  });

  test("OpenAI", () => {
    fc.assert(
      fc.property(toolAndArguments, ({ tool }) => {
        expect(portableProblems(toOpenAITools([tool])[0]!.function.parameters, anyKey)).toEqual([]);
      }),
      runs,
    );
  });

  test("Anthropic", () => {
    fc.assert(
      fc.property(toolAndArguments, ({ tool }) => {
        expect(portableProblems(toAnthropicTools([tool])[0]!.input_schema, anthropicKey)).toEqual([]);
      }),
      runs,
    );
  });

  test("MCP", () => {
    fc.assert(
      fc.property(toolAndArguments, ({ tool }) => {
        expect(portableProblems(toMcpTools([tool])[0]!.inputSchema, anthropicKey)).toEqual([]);
      }),
      runs,
    );
  });

  test("Gemini", () => {
    fc.assert(
      fc.property(toolAndArguments, ({ tool }) => {
        const { parameters } = toGeminiTools([tool])[0]!.functionDeclarations[0]!;
        expect(parameters === undefined ? [] : geminiProblems(parameters)).toEqual([]);
      }),
      runs,
    );
  });

  test("the wire schema accepts everything that the tool accepts: it may be looser, never stricter", () => {
    fc.assert(
      fc.property(toolAndArguments, fc.constantFrom("openai", "anthropic", "mcp"), ({ tool, args }, provider) => {
        const schema = fromJsonSchema(toWireSchema(tool.input.json, provider).schema);
        expect(schema.validate(toWireKeys(args, tool, provider))).not.toHaveProperty("issues");
      }),
      runs,
    );
  });

  test("renamed parameters are translated back", () => {
    fc.assert(
      fc.property(toolAndArguments, ({ tool, args }) => {
        const names = createWireNames([tool], "anthropic");
        expect(names.argumentsFromWire("t", toWireKeys(args, tool, "anthropic"))).toEqual(args);
      }),
      runs,
    );
  });
});

describe("schemas from real tools", () => {
  function wire(json: JsonSchema): JsonSchema {
    return toWireSchema(fromJsonSchema(json).json, "openai").schema;
  }

  test("a reference at the top is inlined, and the definitions it needs stay", () => {
    const schema = wire({
      $ref: "#/definitions/Query",
      definitions: {
        Query: {
          type: "object",
          properties: { next: { $ref: "#/definitions/Query" }, text: { $ref: "#/definitions/Text" } },
        },
        Text: { type: "string" },
        Unused: { type: "number" },
      },
    });
    expect(schema).toMatchObject({
      type: "object",
      properties: { next: { $ref: "#/$defs/Query" }, text: { $ref: "#/$defs/Text" } },
    });
    expect(Object.keys(schema["$defs"] as object).toSorted()).toEqual(["Query", "Text"]);
  });

  test("references to any location are moved into $defs", () => {
    const schema = wire({
      type: "object",
      anyOf: [
        { properties: { a: { type: "string", minLength: 3 } } },
        { properties: { b: { $ref: "#/anyOf/0/properties/a" } } },
      ],
    });
    expect(portableProblems(schema, anyKey)).toEqual([]);
    expect(fromJsonSchema(schema).validate({ b: "xy" })).toMatchObject({ issues: [{ code: "min_length" }] });
  });

  test("forms at the top are merged: all keys, required if all require them, constants listed", () => {
    expect(
      wire({
        oneOf: [
          {
            type: "object",
            properties: { op: { const: "add" }, n: { type: "number" } },
            required: ["op", "n"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: { op: { const: "del" }, n: { type: "string" } },
            required: ["op"],
            additionalProperties: false,
          },
        ],
      }),
    ).toEqual({
      type: "object",
      properties: { op: { enum: ["add", "del"] }, n: { anyOf: [{ type: "number" }, { type: "string" }] } },
      required: ["op"],
      additionalProperties: false,
      description: 'Exactly one of these forms: { op: "add", n } | { op: "del", n? }',
    });
  });

  test("members of allOf are merged, at the top and inside", () => {
    const schema = wire({
      allOf: [
        { type: "object", properties: { a: { allOf: [{ type: "string" }, { minLength: 2 }] } }, required: ["a"] },
        { $ref: "#/$defs/More" },
      ],
      $defs: { More: { type: "object", properties: { b: { type: "integer" } }, required: ["b"] } },
    });
    expect(schema).toEqual({
      type: "object",
      properties: { a: { type: "string", minLength: 2 }, b: { type: "integer" } },
      required: ["a", "b"],
    });
  });

  test("closed members do not refuse each other's keys", () => {
    const closed = (key: string): JsonSchema => ({
      type: "object",
      properties: { [key]: {} },
      additionalProperties: false,
    });
    expect(wire({ type: "object", properties: { x: { allOf: [closed("a"), closed("b")] } } })).toMatchObject({
      properties: { x: { properties: { a: {}, b: {} }, additionalProperties: false } },
    });
  });

  test("tuples, patterns for keys, conditions and old drafts become portable", () => {
    const schema = wire({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        list: { type: "array" },
        map: { type: "object", patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
        off: false,
        on: true,
        maybe: { type: "string", nullable: true },
      },
      if: { required: ["pair"] },
      else: { required: ["list"] },
      dependencies: { pair: ["list"] },
    });
    expect(portableProblems(schema, anyKey)).toEqual([]);
    expect(schema["properties"]).toEqual({
      pair: {
        type: "array",
        items: { anyOf: [{ type: "string" }, { type: "number" }] },
        description: "Items in this order: string, number.",
      },
      list: { type: "array", items: {} },
      map: { type: "object", additionalProperties: { type: "number" } },
      on: {},
      maybe: { type: ["string", "null"] },
    });
  });

  test("multiplying references stay small and fast", () => {
    const $defs: Record<string, JsonSchema> = { d0: { type: "object", properties: { x: { type: "string" } } } };
    for (let i = 1; i <= 40; i++) {
      const ref = { $ref: `#/$defs/d${i - 1}` };
      $defs[`d${i}`] = { allOf: [ref, { properties: { [`p${i}`]: { anyOf: [ref, { allOf: [ref, ref] }] } } }] };
    }
    const json = fromJsonSchema({ $ref: "#/$defs/d40", $defs }).json;
    const tool = defineTool({ name: "t", description: "d", input: fromJsonSchema(json), run: () => null });
    const started = cpuTime();
    expect(portableProblems(toOpenAITools([tool])[0]!.function.parameters, anyKey)).toEqual([]);
    expect(geminiProblems(toGeminiTools([tool])[0]!.functionDeclarations[0]!.parameters!)).toEqual([]);
    expect(cpuTime() - started).toBeLessThan(5000);
    expect(JSON.stringify(toOpenAITools([tool])).length).toBeLessThan(300_000);
  });

  test("a conversion is cached", () => {
    const tool = toolOf(z.object({ a: z.string() }));
    expect(toOpenAITools([tool])[0]!.function.parameters).toBe(toOpenAITools([tool])[0]!.function.parameters);
    expect(toGeminiTools([tool])[0]!.functionDeclarations[0]!.parameters).toBe(
      toGeminiTools([tool])[0]!.functionDeclarations[0]!.parameters,
    );
  });
});

describe("Gemini's subset expresses the rest in descriptions", () => {
  function parameters(shape: z.ZodRawShape): JsonSchema {
    return toGeminiTools([toolOf(z.object(shape))])[0]!.functionDeclarations[0]!.parameters![
      "properties"
    ] as JsonSchema;
  }

  test("values, bounds, defaults and formats are preserved", () => {
    expect(
      parameters({
        level: z.literal([1, 2, 3]).describe("How loud."),
        ratio: z.number().gt(0).default(0.5),
        count: z.int().gt(0).lt(10),
        mail: z.email(),
        at: z.date().nullable(),
        mode: z.enum(["on", "off", ""]),
        flag: z.literal(true),
        nothing: z.null(),
      }),
    ).toEqual({
      level: { type: "number", description: "How loud. One of 1, 2, 3." },
      ratio: { type: "number", minimum: 0, description: "Default: 0.5. More than 0." },
      count: { type: "integer", minimum: 1, maximum: 9 },
      mail: { type: "string", description: "Format: email." },
      at: { type: "string", format: "date-time", nullable: true },
      mode: { type: "string", format: "enum", enum: ["on", "off"], description: "May be empty." },
      flag: { type: "boolean", description: "One of true." },
      nothing: { type: "string", nullable: true, description: "Always null." },
    });
  });

  test("values of a map are described, without offering refused keys", () => {
    expect(
      parameters({
        scores: z.record(z.enum(["a", "b"]), z.number()).describe("By team."),
        labels: z.record(z.string(), z.union([z.string(), z.null()])),
        more: z.object({ id: z.string() }).catchall(z.int()),
      }),
    ).toMatchObject({
      scores: { type: "object", description: "By team. Keys: a, b. A map, its values of type number." },
      labels: { type: "object", description: expect.stringMatching(/^A map, its values of type /) as string },
      more: { type: "object", description: "Other keys have values of type integer." },
    });
  });

  test("recursion ends in a description", () => {
    const text = JSON.stringify(toGeminiTools([toolOf(recursive)]));
    expect(text).toContain("of the same shape as above");
    expect(text.length).toBeLessThan(2000);
  });

  test("a tool without parameters has none", () => {
    const tool = defineTool({ name: "now", description: "The time.", run: () => null });
    expect(toGeminiTools([tool])).toEqual([{ functionDeclarations: [{ name: "now", description: "The time." }] }]);
  });

  test("no tools, no entry", () => {
    expect(toGeminiTools([])).toEqual([]);
  });
});

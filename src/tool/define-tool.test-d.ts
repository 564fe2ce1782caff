// Compiled, never run: `tsc` fails if a type differs from these lines.
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { type } from "arktype";
import { fail } from "../base/index.ts";
import { type PlainJsonSchema, fromJsonSchema } from "../schema/index.ts";
import type { CallTool, ToolContext } from "./context.ts";
import { defineTool } from "./define-tool.ts";
import { type ToolResult, ok } from "./result.ts";
import type { InputOf, OutputOf } from "./tool.ts";

const search = defineTool({
  name: "search",
  description: "d",
  input: z.object({
    query: z.string(),
    limit: z.number().default(10),
    since: z.date().optional(),
    size: z.string().transform((text) => text.length),
  }),
  effect: ({ limit }) => (limit > 5 ? "read" : "pure"),
  destructive: ({ query }) => query === "",
  timeoutMs: ({ size }) => size * 10,
  run: async (args, context) => {
    // The output of a transform reaches the handler; a default makes the value non-optional.
    expectTypeOf(args).toEqualTypeOf<{ query: string; limit: number; since?: Date | undefined; size: number }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
    // @ts-expect-error only a composite tool can call others
    void context.callTool;
    return { hits: [args.query], size: args.size };
  },
});

// Callers pass the input side.
expectTypeOf<InputOf<typeof search>>().toEqualTypeOf<{
  query: string;
  size: string;
  limit?: number | undefined;
  since?: Date | undefined;
}>();
expectTypeOf<OutputOf<typeof search>>().toEqualTypeOf<{ hits: string[]; size: number }>();

declare const call: CallTool;

async function results(): Promise<void> {
  const result = await call(search, { query: "x", size: "abc" });
  expectTypeOf(result).toEqualTypeOf<ToolResult<{ hits: string[]; size: number }>>();
  // @ts-expect-error the output is there only after success was checked
  void result.output;
  if (result.success) {
    expectTypeOf(result.output.hits).toEqualTypeOf<string[]>();
    // @ts-expect-error a success has no error
    void result.error;
  } else {
    expectTypeOf(result.error.code).toExtend<string>();
    // @ts-expect-error a failure has no output
    void result.output;
  }
  // @ts-expect-error wrong type of an argument
  await call(search, { query: 1, size: "abc" });
  // @ts-expect-error an argument is missing
  await call(search, { query: "x" });
  // @ts-expect-error an argument that the tool does not know
  await call(search, { query: "x", size: "abc", limt: 5 });
  const byName = await call("search", { anything: true });
  if (byName.success) expectTypeOf(byName.output).toEqualTypeOf<unknown>();
}
void results;

// No input: no arguments.
const now = defineTool({ name: "now", description: "d", run: () => 1 });
expectTypeOf<InputOf<typeof now>>().toEqualTypeOf<Record<string, never>>();

// Handlers may be synchronous, asynchronous or generators, and may fail or add attachments; the output type excludes
// failures and attachments.
const generated = defineTool({
  name: "g",
  description: "d",
  async *run() {
    yield { percent: 50 };
    return { done: true };
  },
});
expectTypeOf<OutputOf<typeof generated>>().toEqualTypeOf<{ done: boolean }>();

const careful = defineTool({
  name: "c",
  description: "d",
  run: async () => (process.pid > 1 ? ok({ n: 1 }, { meta: { tokens: 5 } }) : fail("no", { retry: "never" })),
});
expectTypeOf<OutputOf<typeof careful>>().toEqualTypeOf<{ n: number }>();

// The output schema decides what the handler returns and what callers get.
const counted = defineTool({
  name: "o",
  description: "d",
  output: z.object({ n: z.string().transform(Number) }),
  run: () => ({ n: "5" }),
});
expectTypeOf<OutputOf<typeof counted>>().toEqualTypeOf<{ n: number }>();

defineTool({
  name: "o",
  description: "d",
  output: z.object({ n: z.number() }),
  // @ts-expect-error the handler returns what the output schema does not take
  run: () => ({ n: "5" }),
});

defineTool({
  name: "o",
  description: "d",
  output: z.object({ n: z.number() }),
  // A failure is always allowed.
  run: () => fail("no"),
});

// Composite tools can call others.
defineTool({
  name: "all",
  description: "d",
  composite: true,
  run: async (_args, { callTool }) => {
    const result = await callTool(search, { query: "x", size: "y" });
    return result.success ? result.output.size : 0;
  },
});

defineTool({
  name: "all",
  description: "d",
  composite: false,
  // @ts-expect-error not composite
  run: (_args, { callTool }) => callTool("x", {}),
});

// Other dialects.
const ark = defineTool({
  name: "a",
  description: "d",
  input: type({ at: "string.date.parse" }),
  run: ({ at }) => at.getTime(),
});
expectTypeOf<InputOf<typeof ark>>().toEqualTypeOf<{ at: string }>();
expectTypeOf<OutputOf<typeof ark>>().toEqualTypeOf<number>();

const json = defineTool({
  name: "j",
  description: "d",
  input: fromJsonSchema<{ url: string }, { url: string }>({ type: "object" }),
  run: ({ url }) => url.length,
});
expectTypeOf<InputOf<typeof json>>().toEqualTypeOf<{ url: string }>();

// The types of a literal JSON Schema are inferred: a default makes a property optional for callers only.
const plain = defineTool({
  name: "p",
  description: "d",
  input: {
    type: "object",
    properties: {
      url: { type: "string" },
      limit: { type: "integer", default: 10 },
      kind: { type: "string", enum: ["a", "b"] },
      when: { type: ["number", "null"] },
      paths: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      headers: { type: "object", additionalProperties: { type: "boolean" } },
      facts: { type: "object" },
      nested: { type: "object", properties: { exact: { const: 1 } }, required: ["exact"] },
      other: { $ref: "#/$defs/other" },
    },
    required: ["url", "limit", "nested"],
  },
  output: { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] },
  effect: ({ limit }) => (limit > 5 ? "read" : "pure"),
  run: (args) => {
    expectTypeOf(args).toEqualTypeOf<{
      readonly url: string;
      readonly limit: number;
      readonly kind?: "a" | "b";
      readonly when?: number | null;
      readonly paths?: string | readonly string[];
      readonly headers?: Readonly<Record<string, boolean>>;
      readonly facts?: Readonly<Record<string, unknown>>;
      readonly nested: { readonly exact: 1 };
      readonly other?: unknown;
    }>();
    return { found: true, rest: args.url };
  },
});
expectTypeOf<InputOf<typeof plain>>().toEqualTypeOf<{
  readonly url: string;
  readonly limit?: number;
  readonly kind?: "a" | "b";
  readonly when?: number | null;
  readonly paths?: string | readonly string[];
  readonly headers?: Readonly<Record<string, boolean>>;
  readonly facts?: object;
  readonly nested: { readonly exact: 1 };
  readonly other?: unknown;
}>();
// The output is that of the handler, which the schema only checks.
expectTypeOf<OutputOf<typeof plain>>().toEqualTypeOf<{ found: boolean; rest: string }>();

defineTool({
  name: "p",
  description: "d",
  output: { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] },
  // @ts-expect-error the handler returns what the output schema does not accept
  run: () => ({ found: "yes" }),
});

// A JSON Schema that is not a literal provides only this type information.
declare const unknownSchema: PlainJsonSchema;
const loose = defineTool({
  name: "l",
  description: "d",
  input: unknownSchema,
  output: unknownSchema,
  run: (args): unknown => {
    expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
    return args["url"];
  },
});
expectTypeOf<InputOf<typeof loose>>().toEqualTypeOf<Record<string, unknown>>();
expectTypeOf<OutputOf<typeof loose>>().toEqualTypeOf<unknown>();

// @ts-expect-error a description is required
defineTool({ name: "x", run: () => null });
// @ts-expect-error there is no such effect
defineTool({ name: "x", description: "d", effect: "writes", run: () => null });
// @ts-expect-error there is no such option
defineTool({ name: "x", description: "d", handler: () => null, run: () => null });
// @ts-expect-error properties alone are not a schema
defineTool({ name: "x", description: "d", input: { url: { type: "string" } }, run: () => null });
// @ts-expect-error nor are those of Zod
defineTool({ name: "x", description: "d", input: { url: z.string() }, run: () => null });

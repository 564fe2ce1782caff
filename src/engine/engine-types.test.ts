import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type ToolError, type ToolResult, type ToolSuccess, defineTool, ok } from "../tool/index.ts";
import { createEngine } from "./engine.ts";

const engine = createEngine();

const count = defineTool({
  name: "count",
  description: "Counts the words of a text.",
  effect: "pure",
  input: z.object({
    text: z.string().transform((text) => text.split(" ")),
    limit: z.coerce.number().default(10),
  }),
  output: z.object({ words: z.number().transform(String) }),
  run: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ text: string[]; limit: number }>();
    return { words: Math.min(args.text.length, args.limit) };
  },
});

test("a call by tool object has the tool's argument and result types", async () => {
  const result = await engine.call(count, { text: "one two three" });
  expectTypeOf(result).toEqualTypeOf<ToolResult<{ words: string }>>();
  expect(result).toMatchObject({ output: { words: "3" } });
});

test("wrong arguments do not compile", async () => {
  // @ts-expect-error -- `text` is a string
  const first = await engine.call(count, { text: 5 });
  // @ts-expect-error -- `text` is missing
  const second = await engine.call(count, {});
  // @ts-expect-error -- there is no `txt`
  const third = await engine.call(count, { text: "a", txt: "b" });
  // @ts-expect-error -- a tool with parameters needs them
  const fourth = await engine.call(count);
  expect([first, second, third, fourth].map(({ success }) => success)).toEqual([false, false, true, false]);
});

test("a result is narrowed by success", async () => {
  const result = await engine.call(count, { text: "one two" });
  // @ts-expect-error -- there is an output only after a success
  expectTypeOf(result.output).toBeAny();
  if (result.success) {
    expectTypeOf(result).toEqualTypeOf<ToolSuccess<{ words: string }>>();
    expectTypeOf(result.output.words).toBeString();
  } else {
    expectTypeOf(result).toEqualTypeOf<ToolError>();
    expectTypeOf(result.error.retry).toEqualTypeOf<"safe" | "unsafe" | "never">();
  }
  expect(result.success).toBe(true);
});

test("a call by name has unknown argument and output types", async () => {
  const result = await engine.call("count", { anything: 1 });
  expectTypeOf(result).toEqualTypeOf<ToolResult>();
  expect(result.success).toBe(false);
});

test("without an output schema the handler's own type reaches the caller, from wherever it returns", async () => {
  const define = { description: "d", input: z.object({}) };
  const plain = defineTool({ ...define, name: "plain", run: () => ({ n: 1 }) });
  const later = defineTool({ ...define, name: "later", run: async () => ({ n: 1 }) });
  const beside = defineTool({ ...define, name: "beside", run: () => ok({ n: 1 }) });
  const steps = defineTool({
    ...define,
    name: "steps",
    run: async function* () {
      yield "progress";
      return { n: 1 };
    },
  });
  expectTypeOf(await engine.call(plain, {})).toEqualTypeOf<ToolResult<{ n: number }>>();
  expectTypeOf(await engine.call(later, {})).toEqualTypeOf<ToolResult<{ n: number }>>();
  expectTypeOf(await engine.call(beside, {})).toEqualTypeOf<ToolResult<{ n: number }>>();
  expectTypeOf(await engine.call(steps, {})).toEqualTypeOf<ToolResult<{ n: number }>>();
  for (const tool of [plain, later, beside, steps]) {
    expect(await engine.call(tool, {})).toMatchObject({ output: { n: 1 } });
  }
});

test("an output that does not match the output schema does not compile, and is refused at run time", async () => {
  const wrong = defineTool({
    name: "wrong",
    description: "d",
    output: z.object({ n: z.number() }),
    // @ts-expect-error -- `n` is a number
    run: () => ({ n: "1" }),
  });
  expect(await createEngine().call(wrong, {}, { maxRetries: 0 })).toMatchObject({ error: { code: "output_invalid" } });
});

test("only a composite can call other tools, typed like the engine", async () => {
  const parent = defineTool({
    name: "parent",
    description: "d",
    composite: true,
    run: async (_args, { callTool }) => {
      const result = await callTool(count, { text: "a b" });
      expectTypeOf(result).toEqualTypeOf<ToolResult<{ words: string }>>();
      expectTypeOf(await callTool("count", 1)).toEqualTypeOf<ToolResult>();
      // @ts-expect-error -- `text` is a string
      await callTool(count, { text: 1 });
      return result.success ? result.output.words : "";
    },
  });
  expect(await engine.call(parent, {})).toMatchObject({ output: "2" });
  defineTool({
    name: "plain",
    description: "d",
    // @ts-expect-error -- there is no callTool
    run: (_args, { callTool }) => callTool as unknown,
  });
});

test("the context of a handler is read-only", async () => {
  const tool = defineTool({
    name: "writes",
    description: "d",
    run: (_args, context) => {
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      // @ts-expect-error -- the attempt is the engine's
      expect(() => (context.attempt = 5)).toThrow(TypeError);
      return 1;
    },
  });
  expect(await engine.call(tool, {})).toMatchObject({ success: true });
});

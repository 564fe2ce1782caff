import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicTool, StructuredTool, tool } from "@langchain/core/tools";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createEngine } from "../../engine/index.ts";
import { type FromLangChainToolOptions, type LangChainTool, fromLangChainTool, toLangChainTools } from "./index.ts";

async function call(input: LangChainTool, args: unknown, options: FromLangChainToolOptions = { effect: "read" }) {
  const ours = fromLangChainTool(input, options);
  return createEngine({ tools: [ours] }).call(ours.name, args);
}

const weather = tool(async ({ city }: { city: string }) => ({ city, degrees: 21 }), {
  name: "weather",
  description: "The weather of a city.",
  schema: z.object({ city: z.string().describe("Which city") }),
});

describe("[E07] a LangChain tool in an engine", () => {
  test("keeps its schema, and its output is parsed back into JSON", async () => {
    const ours = fromLangChainTool(weather, { effect: "read" });
    expect(ours.input.json).toMatchObject({ properties: { city: { type: "string", description: "Which city" } } });
    expect(await call(weather, { city: "Oslo" })).toMatchObject({
      success: true,
      output: { city: "Oslo", degrees: 21 },
    });
    expect(await call(weather, { city: 3 })).toMatchObject({
      error: { code: "validation_error", issues: [{ path: ["city"], message: "city must be a string, got 3" }] },
    });
  });

  test("an imported tool has the effect once unless an option changes it", () => {
    expect(fromLangChainTool(weather)).toMatchObject({ effect: "once", destructive: true });
    expect(fromLangChainTool(weather, { effect: "read" })).toMatchObject({ effect: "read", destructive: false });
  });

  test("a transform is applied once, and defaults as the schema defines them", async () => {
    const double = tool(({ n, by }: { n: number; by: number }) => `${n * by}`, {
      name: "double",
      description: "Doubles.",
      schema: z.object({ n: z.string().transform(Number), by: z.number().default(2) }),
    });
    expect(await call(double, { n: "21" })).toMatchObject({ output: "42" });
  });

  test("schemas of Zod 3 and plain JSON Schema are supported", async () => {
    const old = tool(({ n }: { n: number }) => `${n}`, {
      name: "old",
      description: "Old.",
      // LangChain accepts it; its types do not, under exactOptionalPropertyTypes.
      schema: z3.object({ n: z3.number().min(1) }) as never,
    });
    expect(await call(old, { n: 5 })).toMatchObject({ output: "5" });
    expect(await call(old, { n: 0 })).toMatchObject({ error: { code: "validation_error" } });
    const json = tool((args) => JSON.stringify(args), {
      name: "json",
      description: "JSON.",
      schema: { type: "object", properties: { n: { type: "integer", default: 7 } } } as const,
    });
    expect(await call(json, {})).toMatchObject({ output: { n: 7 } });
    expect(await call(json, { n: "x" })).toMatchObject({ error: { code: "validation_error" } });
  });

  test("a tool with a single string parameter takes it as input", async () => {
    const shout = new DynamicTool({ name: "shout", description: "Shouts.", func: async (text) => text.toUpperCase() });
    expect(await call(shout, { input: "hi" })).toMatchObject({ output: "HI" });
  });

  test("a runnable converted to a tool works", async () => {
    const runnable = RunnableLambda.from(({ n }: { n: number }) => n + 1).asTool({
      name: "next",
      description: "The next number.",
      schema: z.object({ n: z.number() }),
    });
    expect(await call(runnable, { n: 1 })).toMatchObject({ success: true });
  });

  test("a thrown error is a failure, and so is a message with the status error", async () => {
    const broken = tool(() => Promise.reject(new Error("no network")), {
      name: "broken",
      description: "Fails.",
      schema: z.object({}),
    });
    expect(await call(broken, {}, { effect: "pure" })).toMatchObject({
      error: { code: "execution_error", message: "no network" },
    });
    const text = tool(() => new ToolMessage({ content: "not today", status: "error", tool_call_id: "x" }), {
      name: "saying",
      description: "Says no.",
      schema: z.object({}),
    });
    expect(await call(text, {}, { effect: "pure" })).toMatchObject({ error: { message: "not today" } });
  });

  test("content blocks become text and attachments, an artifact is stored in meta", async () => {
    const rich = tool(
      () => [
        [
          { type: "text", text: "two pictures" },
          { type: "image", mimeType: "image/png", data: "AQID" },
          { type: "image_url", image_url: { url: "data:image/gif;base64,BAU=" } },
        ],
        { pages: 2 },
      ],
      { name: "rich", description: "Rich.", schema: z.object({}), responseFormat: "content_and_artifact" },
    );
    expect(await call(rich, {})).toMatchObject({
      output: "two pictures",
      attachments: [
        { kind: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) },
        { kind: "image", mimeType: "image/gif", data: new Uint8Array([4, 5]) },
      ],
      meta: { artifact: { pages: 2 } },
    });
  });

  test("a command for a graph is rejected with an explanation", async () => {
    const going = tool(() => ({ lg_name: "Command", lc_direct_tool_output: true, goto: "elsewhere" }), {
      name: "going",
      description: "Goes.",
      schema: z.object({}),
    });
    expect(await call(going, {})).toMatchObject({
      error: { message: expect.stringContaining("LangGraph command") as string },
    });
  });

  test("it is cancelled with the call, and receives its conversation", async () => {
    const seen: { thread?: unknown; aborted?: boolean } = {};
    const hanging = tool(
      (_args: object, config) =>
        new Promise<string>(() => {
          seen.thread = config.configurable?.["thread_id"];
          config.signal?.addEventListener("abort", () => (seen.aborted = true));
        }),
      { name: "hanging", description: "Hangs.", schema: z.object({}) },
    );
    const ours = fromLangChainTool(hanging, { effect: "read" });
    const stop = new AbortController();
    const result = createEngine().call(ours, {}, { signal: stop.signal, conversationId: "c-9" });
    setTimeout(() => stop.abort(), 5);
    expect(await result).toMatchObject({ error: { code: "cancelled" } });
    expect(seen).toEqual({ thread: "c-9", aborted: true });
  });

  test("yielded values are progress", async () => {
    const steps = tool(
      async function* () {
        yield "one";
        yield "two";
        return "three";
      },
      { name: "steps", description: "Steps.", schema: z.object({}) },
    );
    const progress: unknown[] = [];
    const ours = fromLangChainTool(steps, { effect: "read" });
    const result = await createEngine().call(ours, {}, { onProgress: (value) => progress.push(value) });
    expect(result).toMatchObject({ output: "three" });
    expect(progress).toEqual(["one", "two"]);
  });

  test("an invalid name is reported, and can be replaced", async () => {
    class Spaced extends StructuredTool {
      override name = "my tool";
      override description = "";
      override schema = z.object({});
      protected override _call(): Promise<string> {
        return Promise.resolve("ok");
      }
    }
    expect(() => fromLangChainTool(new Spaced())).toThrow("tool name");
    expect(await call(new Spaced(), {}, { name: "my_tool", effect: "read" })).toMatchObject({ output: "ok" });
  });

  test("a Windlass tool converted to LangChain and back behaves the same", async () => {
    const engine = createEngine({ tools: [fromLangChainTool(weather, { effect: "read" })] });
    const [there] = toLangChainTools(engine);
    expect(await call(there!, { city: "Bergen" })).toMatchObject({ output: { city: "Bergen", degrees: 21 } });
    expect(await call(there!, { city: 1 }, { name: "w", effect: "read" })).toMatchObject({
      error: { code: "validation_error" },
    });
  });
});

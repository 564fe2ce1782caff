import { jsonSchema, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine/index.ts";
import { type AiSdkTool, type FromAiSdkToolOptions, fromAiSdkTool, toAiSdkTools } from "./index.ts";

async function call(input: AiSdkTool, args: unknown, options: FromAiSdkToolOptions = { effect: "read" }) {
  return createEngine({ tools: [fromAiSdkTool("given", input, options)] }).call("given", args);
}

const weather = tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string().transform((city) => city.trim()), days: z.number().default(1) }),
  execute: ({ city, days }) => ({ city, days }),
});

describe("a tool of the AI SDK in an engine", () => {
  test("keeps its schema; arguments are checked, transformed and completed once", async () => {
    expect(fromAiSdkTool("weather", weather, { effect: "read" })).toMatchObject({
      name: "weather",
      description: "The weather of a city.",
      input: { json: { properties: { city: { type: "string" } }, required: ["city"] } },
    });
    expect(await call(weather, { city: " Oslo " })).toMatchObject({ output: { city: "Oslo", days: 1 } });
    expect(await call(weather, { city: 1 })).toMatchObject({
      error: { code: "validation_error", issues: [{ message: "city must be a string, got 1" }] },
    });
  });

  test("an imported tool defaults to the effect once; needing approval makes it destructive", () => {
    expect(fromAiSdkTool("w", weather)).toMatchObject({ effect: "once", destructive: true });
    const request = { ...weather, needsApproval: () => Promise.resolve(false) };
    expect(fromAiSdkTool("w", request, { effect: "read" })).toMatchObject({ effect: "read", destructive: true });
  });

  test("schemas of jsonSchema() are supported, with their own validation", async () => {
    const even = tool({
      description: "Takes even numbers.",
      inputSchema: jsonSchema<{ n: number }>(
        { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        {
          validate: (value) => {
            const { n } = value as { n: number };
            return n % 2 === 0
              ? { success: true, value: { n } }
              : { success: false, error: new Error("n must be even") };
          },
        },
      ),
      execute: ({ n }) => n,
    });
    expect(await call(even, { n: 2 })).toMatchObject({ output: 2 });
    expect(await call(even, { n: 3 })).toMatchObject({ error: { issues: [{ message: "n must be even" }] } });
    expect(await call(even, { n: "x" })).toMatchObject({ error: { issues: [{ path: ["n"] }] } });
    const later = tool({ inputSchema: jsonSchema(Promise.resolve({ type: "object" })), execute: () => 1 });
    expect(() => fromAiSdkTool("later", later)).toThrow("it is created asynchronously");
  });

  test("yielded values are progress, and the last one is the output", async () => {
    const steps = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield { done: 1 };
        yield { done: 2 };
      },
    });
    const progress: unknown[] = [];
    const ours = fromAiSdkTool("steps", steps, { effect: "read" });
    const result = await createEngine().call(ours, {}, { onProgress: (value) => progress.push(value) });
    expect(result).toMatchObject({ output: { done: 2 } });
    expect(progress).toEqual([{ done: 1 }, { done: 2 }]);
  });

  test("its model output becomes the result: text, files, or a failure", async () => {
    const plain = tool({ inputSchema: z.object({}), execute: () => ({ raw: 1 }) });
    const shown = (toModelOutput: NonNullable<(typeof plain)["toModelOutput"]>): AiSdkTool => ({
      ...plain,
      toModelOutput,
    });
    expect(await call(plain, {})).toMatchObject({ output: { raw: 1 } });
    expect(
      await call(
        shown(() => ({ type: "text", value: "short" })),
        {},
      ),
    ).toMatchObject({ output: "short" });
    expect(
      await call(
        shown(() => ({ type: "error-text", value: "no" })),
        {},
        { effect: "pure" },
      ),
    ).toMatchObject({
      error: { message: "no" },
    });
    expect(
      await call(
        shown(() => ({ type: "execution-denied", reason: "not you" })),
        {},
      ),
    ).toMatchObject({
      error: { code: "permission_denied", message: "not you" },
    });
    const rich = shown(() => ({
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
      ],
    }));
    expect(await call(rich, {})).toMatchObject({
      output: "see",
      attachments: [{ kind: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }],
    });
  });

  test("it gets the call's id, its signal and a context, and is cancelled with the call", async () => {
    const seen: { id?: string; context?: unknown; aborted?: boolean } = {};
    const hanging = tool({
      inputSchema: z.object({}),
      execute: (_args, { toolCallId, abortSignal, context }) =>
        new Promise<string>((_resolve, reject) => {
          Object.assign(seen, { id: toolCallId, context });
          abortSignal?.addEventListener("abort", () => {
            seen.aborted = true;
            reject(new Error("stopped"));
          });
        }),
    });
    const stop = new AbortController();
    const ours = fromAiSdkTool("hanging", hanging, { effect: "read", context: { user: "ann" } });
    const result = createEngine().call(ours, {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    expect(await result).toMatchObject({ error: { code: "cancelled" } });
    expect(seen).toEqual({ id: (await result).meta.callId, context: { user: "ann" }, aborted: true });
  });

  test("a tool without an execute function is rejected with an explanation", () => {
    const client = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    expect(() => fromAiSdkTool("client", client)).toThrow("it has no `execute`");
  });

  test("a thrown error is a failure; a Windlass tool converted to the AI SDK and back behaves the same", async () => {
    const broken = tool({ inputSchema: z.object({}), execute: () => Promise.reject<string>(new Error("no network")) });
    expect(await call(broken, {}, { effect: "pure" })).toMatchObject({ error: { message: "no network" } });
    const engine = createEngine({ tools: [fromAiSdkTool("weather", weather, { effect: "read" })] });
    const { weather: there } = toAiSdkTools(engine);
    expect(await call(there!, { city: "Bergen" })).toMatchObject({ output: '{"city":"Bergen","days":1}' });
    expect(await call(there!, { city: 1 })).toMatchObject({ success: false });
  });
});

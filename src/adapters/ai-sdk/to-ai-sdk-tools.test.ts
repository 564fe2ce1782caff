import { ToolLoopAgent, generateText, stepCountIs, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import type { LanguageModelV4CallOptions, LanguageModelV4Content } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toOpenAITools } from "../../agent.ts";
import { createEngine } from "../../engine/index.ts";
import { generateText as requestText } from "../../model/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { defineTool, fail, ok } from "../../index.ts";
import { toAiSdkTools } from "./index.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => ({ sum: a + b }),
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model of the AI SDK's own test kit: each answer is a text, or calls. */
function mock(...answers: (string | { id?: string; name: string; input: string }[])[]) {
  let requested = 0;
  return new MockLanguageModelV4({
    doGenerate: () => {
      const answer = answers[requested++] ?? "";
      const isText = typeof answer === "string";
      const content: LanguageModelV4Content[] = isText
        ? [{ type: "text", text: answer }]
        : answer.map(({ id, name, input }, at) => ({
            type: "tool-call",
            toolCallId: id ?? `call_${requested}_${at}`,
            toolName: name,
            input,
          }));
      const unified = isText ? ("stop" as const) : ("tool-calls" as const);
      return Promise.resolve({ content, finishReason: { unified, raw: undefined }, usage, warnings: [] });
    },
  });
}

/** Returns the tool results that the model received. */
function reportedOf({ prompt }: LanguageModelV4CallOptions) {
  return prompt.flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? part.output : [])) : [],
  );
}

describe("tools of an engine in the AI SDK", () => {
  test("ToolLoopAgent calls them through the engine, which records the calls", async () => {
    const engine = createEngine({ tools: [add] });
    const model = mock([{ id: "c1", name: "add", input: '{"a":2}' }], "It is 3.");
    const agent = new ToolLoopAgent({
      model,
      tools: toAiSdkTools(engine, { conversationId: "c-1", principal: "ann" }),
    });
    const { text, steps } = await agent.generate({ prompt: "2 + 1?" });
    expect(text).toBe("It is 3.");
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ success: true, output: { sum: 3 }, text: '{"sum":3}' });
    expect(reportedOf(model.doGenerateCalls[1]!)).toEqual([{ type: "text", value: '{"sum":3}' }]);
    expect((await engine.queryRecords()).records).toMatchObject([
      { tool: "add", callerType: "conversation_agent", callerId: "ai-sdk", conversationId: "c-1", principal: "ann" },
    ]);
  });

  test("the model gets the schemas that we send ourselves", async () => {
    const model = mock("ok");
    await generateText({ model, prompt: "go", tools: toAiSdkTools(createEngine({ tools: [add] })) });
    const [ours] = toOpenAITools([add]);
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { name: "add", description: "Adds two numbers.", inputSchema: ours?.function.parameters },
    ]);
  });

  test("[S3] a URL of the conversation may be requested, one that the model composed needs approval", async () => {
    const runs: unknown[] = [];
    const get = defineTool({
      name: "get",
      description: "Gets a page.",
      effect: "read",
      input: z.object({ url: z.string() }),
      targets: { url: "url" },
      run: ({ url }) => runs.push(url) && "see https://b.example/",
    });
    const urls = ["https://a.example/", "https://b.example/", "https://b.example/?d=private"];
    const model = mock(...urls.map((url) => [{ name: "get", input: JSON.stringify({ url }) }]), "done");
    const { steps } = await generateText({
      model,
      prompt: "read https://a.example/",
      tools: toAiSdkTools(createEngine({ tools: [get] })),
      stopWhen: stepCountIs(5),
    });
    expect(runs).toEqual(urls.slice(0, 2));
    expect(steps[2]?.toolResults[0]?.output).toMatchObject({ error: { code: "approval_required" } });
  });

  test("invalid arguments and failures are reported to the model, and the agent continues", async () => {
    const broken = defineTool({
      name: "broken",
      description: "Fails.",
      effect: "pure",
      run: () => fail("key sk-secret-123456 expired", { retry: "never" }),
    });
    const engine = createEngine({ tools: [add, broken], secrets: { KEY: "sk-secret-123456" } });
    const model = mock(
      [
        { name: "add", input: '{"a":"two"}' },
        { name: "broken", input: "{}" },
      ],
      "sorry",
    );
    const { text } = await new ToolLoopAgent({ model, tools: toAiSdkTools(engine) }).generate({ prompt: "go" });
    expect(text).toBe("sorry");
    const [first, second] = reportedOf(model.doGenerateCalls[1]!);
    expect(first).toMatchObject({
      type: "error-text",
      value: expect.stringContaining('a must be a number, got "two"') as string,
    });
    expect(second).toMatchObject({ type: "error-text", value: expect.stringContaining("expired") as string });
    expect(JSON.stringify(second)).not.toContain("sk-secret");
  });

  test("a call that needs approval is a result that says so; nothing has run", async () => {
    const runs: unknown[] = [];
    const send = defineTool({ name: "send", description: "Sends.", effect: "once", run: () => runs.push(1) });
    const engine = createEngine({ tools: [send] });
    const model = mock([{ name: "send", input: "{}" }], "It waits.");
    const { text, steps } = await generateText({
      model,
      prompt: "go",
      tools: toAiSdkTools(engine),
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe("It waits.");
    expect(runs).toEqual([]);
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ success: false, error: { code: "approval_required" } });
    expect(reportedOf(model.doGenerateCalls[1]!)).toMatchObject([
      { type: "error-text", value: expect.stringMatching(/A person has to approve.*It waits for approval/s) as string },
    ]);
  });

  test("calls of one response run concurrently; a tool with the effect once ran once", async () => {
    let runs = 0;
    const both = Promise.withResolvers<void>();
    const meet = defineTool({
      name: "meet",
      description: "Ends when two are there.",
      effect: "read",
      input: z.object({ n: z.number() }),
      run: async ({ n }) => {
        if (++runs === 2) both.resolve();
        await both.promise;
        return n;
      },
    });
    const sent: string[] = [];
    const send = defineTool({
      name: "send",
      description: "Sends, and fails.",
      effect: "once",
      run: () => {
        sent.push("x");
        return fail("the line broke");
      },
    });
    const engine = createEngine({ tools: [meet, send], permissions: { ask: [], allow: ["* trusted"] } });
    const model = mock(
      [
        { name: "meet", input: '{"n":1}' },
        { name: "meet", input: '{"n":2}' },
        { name: "send", input: "{}" },
      ],
      "done",
    );
    await new ToolLoopAgent({ model, tools: toAiSdkTools(engine) }).generate({ prompt: "go" });
    expect(reportedOf(model.doGenerateCalls[1]!)).toMatchObject([
      { type: "text", value: "1" },
      { type: "text", value: "2" },
      { type: "error-text", value: expect.stringContaining("the line broke") as string },
    ]);
    expect(sent).toHaveLength(1);
  });

  test("cancelling the run cancels the call", async () => {
    const started = Promise.withResolvers<void>();
    const hanging = defineTool({
      name: "hanging",
      description: "Never ends.",
      effect: "read",
      run: (_, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          started.resolve();
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
    });
    const engine = createEngine({ tools: [hanging] });
    const model = mock([{ name: "hanging", input: "{}" }], "never said");
    const stop = new AbortController();
    const agent = new ToolLoopAgent({ model, tools: toAiSdkTools(engine) });
    const request = agent.generate({ prompt: "go", abortSignal: stop.signal });
    await started.promise;
    stop.abort();
    await request.catch(() => undefined);
    await engine.close();
    expect((await engine.queryRecords()).records).toMatchObject([{ error: { code: "cancelled" } }]);
  });

  test("names that the API rejects are translated in both directions", async () => {
    const search = defineTool({
      name: "网页搜索",
      description: "搜索网页。",
      effect: "read",
      input: z.object({ 关键词: z.string() }),
      run: ({ 关键词 }) => `找到:${关键词}`,
    });
    const tools = toAiSdkTools(createEngine({ tools: [search] }));
    const [name = ""] = Object.keys(tools);
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const model = mock([{ name, input: '{"关键词":"猫"}' }], "好");
    await new ToolLoopAgent({ model, tools }).generate({ prompt: "找" });
    expect(reportedOf(model.doGenerateCalls[1]!)).toEqual([{ type: "text", value: "找到:猫" }]);
  });

  test("hostile output is cleaned and cut", async () => {
    const evil = defineTool({
      name: "evil",
      description: "Gives hostile output.",
      effect: "read",
      run: () => `\u001b[31mred\u202e \u{e0041}hidden ${"x".repeat(50_000)}`,
    });
    const model = mock([{ name: "evil", input: "{}" }], "ok");
    const tools = toAiSdkTools(createEngine({ tools: [evil] }), { maxChars: 500 });
    await new ToolLoopAgent({ model, tools }).generate({ prompt: "go" });
    const [reported] = reportedOf(model.doGenerateCalls[1]!);
    const value = reported?.type === "text" ? reported.value : "";
    expect(value).toMatch(/^red hidden x+/);
    expect(value.length).toBeLessThanOrEqual(500);
  });

  test("images are sent to models that accept them; for others a line of text mentions them", async () => {
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      effect: "pure",
      run: () =>
        ok("a cat", { attachments: [{ kind: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }] }),
    });
    const engine = createEngine({ tools: [draw] });
    const reportedWith = async (files: boolean) => {
      const model = mock([{ name: "draw", input: "{}" }], "ok");
      await new ToolLoopAgent({ model, tools: toAiSdkTools(engine, { files }) }).generate({ prompt: "go" });
      return reportedOf(model.doGenerateCalls[1]!);
    };
    expect(await reportedWith(false)).toEqual([{ type: "text", value: "a cat\n[image: image/png, 3 bytes]" }]);
    expect(await reportedWith(true)).toMatchObject([
      {
        type: "content",
        value: [{ type: "text" }, { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } }],
      },
    ]);
  });

  test("a tool output survives in stored messages as JSON", async () => {
    const { add: tool } = toAiSdkTools(createEngine({ tools: [add] }));
    const options = { toolCallId: "c", messages: [], context: undefined };
    const output = await tool!.execute({ a: 1 }, options);
    expect(JSON.parse(JSON.stringify(output))).toEqual(output);
  });

  test("calls in one conversation carry the id of the model's call as their idempotency key", async () => {
    const keys: string[] = [];
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "idempotent",
      destructive: false,
      run: (_, { idempotencyKey }) => void keys.push(idempotencyKey),
    });
    const tools = toAiSdkTools(createEngine({ tools: [pay] }), { conversationId: "c-1" });
    for (const toolCallId of ["x", "x", "y"]) {
      await tools["pay"]!.execute({}, { toolCallId, messages: [], context: undefined });
    }
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});

describe("models, which need no adapter", () => {
  test("a Windlass model works in the AI SDK, with tools, streaming and not", async () => {
    const engine = createEngine({ tools: [add] });
    const script = () => scriptedModel([{ text: "So.", toolCalls: [{ name: "add", args: { a: 1 } }] }, "2"]);
    const options = { prompt: "1 + 1?", tools: toAiSdkTools(engine), stopWhen: stepCountIs(3) };
    expect((await generateText({ model: script(), ...options })).text).toBe("2");
    const model = script();
    const { textStream } = streamText({ model, ...options });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect(text).toBe("So.2");
    expect(reportedOf(model.calls[1]!)).toEqual([{ type: "text", value: '{"sum":2}' }]);
  });

  test("an AI SDK model works in a Windlass agent", async () => {
    expect(await requestText(mock("hello"), { prompt: "Say hello." })).toMatchObject({ text: "hello" });
  });
});

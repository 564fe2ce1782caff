import { AIMessage, type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedPart, scriptedModel } from "../../testing/index.ts";
import { requestTurn } from "../../model/index.ts";
import { defineTool } from "../../tool/index.ts";
import { fromLangChainModel, toLangChainModel, toLangChainTools } from "./index.ts";

const runs: unknown[] = [];
const add = tool(
  ({ a, b }: { a: number; b: number }) => {
    runs.push([a, b]);
    return `${a + b}`;
  },
  { name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }) },
);

const call = (more: object = {}) => ({ name: "add", args: { a: 1, b: 2 }, ...more });

/** Reads a LangChain stream, and merges it as LangChain does. */
async function streamed(model: ReturnType<typeof toLangChainModel>) {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of await model.stream("go")) chunks.push(chunk);
  return { chunks, whole: chunks.reduce((all, chunk) => all.concat(chunk)) };
}

describe("[E07] a Windlass model in LangChain", () => {
  test("a LangChain agent uses it, with tools of LangChain and of Windlass", async () => {
    const twice = defineTool({
      name: "twice",
      description: "Doubles.",
      effect: "pure",
      input: z.object({ n: z.number() }),
      run: ({ n }) => n * 2,
    });
    const model = scriptedModel([
      { text: "First.", toolCalls: [call({ id: "c1" }), { name: "twice", args: { n: 4 }, id: "c2" }] },
      "3 and 8.",
    ]);
    const tools = [add, ...toLangChainTools(createEngine({ tools: [twice] }))];
    const agent = createAgent({ model: toLangChainModel(model), tools });
    const { messages } = await agent.invoke({ messages: [new SystemMessage("Be brief."), new HumanMessage("go")] });
    expect(messages.at(-1)?.text).toBe("3 and 8.");
    expect(model.calls[0]).toMatchObject({
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "go" }] },
      ],
      tools: [
        { type: "function", name: "add", description: "Adds.", inputSchema: { required: ["a", "b"] } },
        { type: "function", name: "twice", inputSchema: { properties: { n: { type: "number" } } } },
      ],
    });
    expect(model.calls[1]?.prompt.slice(2)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "First." },
          { type: "tool-call", toolCallId: "c1", toolName: "add", input: { a: 1, b: 2 } },
          { type: "tool-call", toolCallId: "c2", toolName: "twice", input: { n: 4 } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "add", output: { type: "text", value: "3" } },
          { type: "tool-result", toolCallId: "c2", toolName: "twice", output: { type: "text", value: "8" } },
        ],
      },
    ]);
    model.assertComplete();
  });

  test.each([
    ["cut off by the limit of tokens", { argumentsText: '{"a": 1, "b": 2', finishReason: "length" as const }],
    ["cut off inside of a text", { argumentsText: '{"a": 1, "b": "x', finishReason: "length" as const }],
    ["whole, in an answer that was cut off", { argumentsText: '{"a": 1, "b": 2}', finishReason: "length" as const }],
    ["not JSON", { argumentsText: '{"a": 1, "b": 2', finishReason: "tool-calls" as const }],
    ["no object", { argumentsText: "[1]", finishReason: "tool-calls" as const }],
  ])("a call whose arguments are %s is never run, streaming or not", async (_, { argumentsText, finishReason }) => {
    const answer = { text: "Hm.", toolCalls: [{ name: "add", argumentsText, id: "c1" }], finishReason };
    runs.length = 0;
    const agent = createAgent({ model: toLangChainModel(scriptedModel([answer])), tools: [add] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    expect(messages.at(-1)).toMatchObject({ tool_calls: [], invalid_tool_calls: [{ id: "c1", name: "add" }] });
    const { whole } = await streamed(toLangChainModel(scriptedModel([answer])));
    expect(whole).toMatchObject({ content: "Hm.", tool_calls: [], invalid_tool_calls: [{ id: "c1", name: "add" }] });
    expect(whole.invalid_tool_calls?.[0]?.args).toContain(argumentsText);
    const events = agent.stream({ messages: [new HumanMessage("go")] }, { streamMode: "messages" });
    await expect(drained(events)).rejects.toThrow("the script has 1 responses");
    expect(runs).toEqual([]);
  });

  test("it streams text and reasoning, then calls, usage and the finish reason", async () => {
    const model = scriptedModel([
      {
        thinking: "One moment.",
        text: "I add these.",
        toolCalls: [call({ id: "c1" })],
        usage: { inputTokens: 9, outputTokens: 4, cachedTokens: 2, reasoningTokens: 1 },
      },
    ]);
    const { chunks, whole } = await streamed(toLangChainModel(model));
    expect(chunks.length).toBeGreaterThan(3);
    expect(whole).toMatchObject({
      content: "I add these.",
      additional_kwargs: { reasoning_content: "One moment." },
      tool_calls: [{ id: "c1", name: "add", args: { a: 1, b: 2 } }],
      response_metadata: { finish_reason: "tool_calls" },
      usage_metadata: {
        input_tokens: 9,
        output_tokens: 4,
        total_tokens: 13,
        input_token_details: { cache_read: 2 },
        output_token_details: { reasoning: 1 },
      },
    });
  });

  test("reasoning and its signatures are sent back with the next request", async () => {
    const model = scriptedModel([
      { thinking: "Hm.", signature: "sig-1", toolCalls: [call({ id: "c1", signature: "sig-2" })] },
      "3.",
    ]);
    const agent = createAgent({ model: toLangChainModel(model), tools: [add] });
    await agent.invoke({ messages: [new HumanMessage("go")] });
    const again = JSON.stringify(model.calls[1]?.prompt[1]);
    expect(again).toContain('"text":"Hm."');
    expect(again).toContain("sig-1");
    expect(again).toContain("sig-2");
  });

  test("modified messages are sent as they are now", async () => {
    const model = scriptedModel([{ thinking: "Hm.", text: "long story" }, "ok"]);
    const chat = toLangChainModel(model);
    const first = await chat.invoke("go");
    await chat.invoke([
      new HumanMessage("go"),
      new AIMessage({ content: "short", additional_kwargs: first.additional_kwargs }),
    ]);
    expect(model.calls[1]?.prompt[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "short" }] });
  });

  test("images, tool errors and results without a tool name are supported", async () => {
    const model = scriptedModel(["ok"]);
    await toLangChainModel(model).invoke([
      new HumanMessage({
        content: [
          { type: "text", text: "see" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "image", mimeType: "image/gif", data: "BAU=" },
        ],
      }),
      new AIMessage({
        content: "",
        tool_calls: [{ type: "tool_call", id: "c1", name: "add", args: {} }],
        invalid_tool_calls: [{ type: "invalid_tool_call", id: "c2", name: "add", args: "{" }],
      }),
      new ToolMessage({ content: "no", status: "error", tool_call_id: "c1" }),
    ]);
    expect(model.calls[0]?.prompt).toMatchObject([
      {
        role: "user",
        content: [
          { type: "text", text: "see" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
          { type: "file", mediaType: "image/gif", data: { type: "data", data: "BAU=" } },
        ],
      },
      // The call without a result is omitted: providers reject it.
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1" }] },
      { role: "tool", content: [{ toolCallId: "c1", toolName: "add", output: { type: "error-text", value: "no" } }] },
    ]);
  });

  test("structured output of LangChain works through tools", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "extract", args: { city: "Oslo" } }] }]);
    const structured = toLangChainModel(model).withStructuredOutput(z.object({ city: z.string() }));
    expect(await structured.invoke("Where?")).toEqual({ city: "Oslo" });
  });

  test("tool choices in every form are supported", async () => {
    const model = scriptedModel(() => "ok");
    const forms = [
      "any",
      "none",
      "add",
      { type: "function", function: { name: "add" } },
      { type: "tool", name: "add" },
    ];
    for (const tool_choice of forms) await toLangChainModel(model).bindTools([add], { tool_choice }).invoke("go");
    expect(model.calls.map(({ toolChoice }) => toolChoice)).toEqual([
      { type: "required" },
      { type: "none" },
      { type: "tool", toolName: "add" },
      { type: "tool", toolName: "add" },
      { type: "tool", toolName: "add" },
    ]);
    expect(() => toLangChainModel(model).bindTools([{ type: "web_search_20250305" }])).toThrow("cannot be bound");
  });

  test("a failure is reported by name and not retried six times", async () => {
    const refused = Object.assign(new Error("bad key"), { statusCode: 401, responseHeaders: {}, responseBody: "" });
    const model = scriptedModel([refused]);
    await expect(toLangChainModel(model).invoke("go")).rejects.toMatchObject({ reason: "unauthorized" });
    expect(model.calls).toHaveLength(1);
  });

  test("a stream that breaks after something was read ends in an error: nothing can be retracted", async () => {
    const parts: ScriptedPart[] = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Once" },
      Object.assign(new Error("gone"), { statusCode: 503, responseHeaders: {}, responseBody: "" }),
    ];
    await expect(streamed(toLangChainModel(scriptedModel([parts, "Twice"])))).rejects.toThrow("broke off");
  });

  test("cancelling ends the model request", async () => {
    const model = scriptedModel([
      { text: "late", delayMs: Infinity },
      { text: "late", delayMs: Infinity },
    ]);
    const stop = new AbortController();
    const whole = toLangChainModel(model).invoke("go", { signal: stop.signal });
    const pieces = drained(toLangChainModel(model).stream("go", { signal: stop.signal }));
    setTimeout(() => stop.abort(), 5);
    await expect(whole).rejects.toThrow(/abort|cancel/i);
    await expect(pieces).rejects.toThrow(/abort|cancel/i);
  });

  test("converted back and forth, it is the same model", async () => {
    const model = scriptedModel([{ text: "Hm.", toolCalls: [call({ id: "c1" })] }]);
    const turn = await requestTurn(fromLangChainModel(toLangChainModel(model)), {
      prompt: [{ role: "user", content: [{ type: "text", text: "go" }] }],
      tools: [{ type: "function", name: "add", inputSchema: { type: "object" } }],
    });
    expect(turn).toMatchObject({
      modelId: model.modelId,
      finishReason: "tool-calls",
      content: [
        { type: "text", text: "Hm." },
        { type: "tool-call", id: "c1", name: "add", input: '{"a":1,"b":2}' },
      ],
    });
    expect(model.calls[0]?.tools).toMatchObject([{ name: "add", inputSchema: { type: "object" } }]);
  });
});

async function drained(stream: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _ of await stream);
}

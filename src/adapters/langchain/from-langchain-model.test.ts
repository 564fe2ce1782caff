import { AIMessage, AIMessageChunk, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText as aiGenerateText } from "ai";
import { describe, expect, test } from "vitest";
import { type Model, type ModelCall, requestTurn, generateText, toAssistantMessage } from "../../model/index.ts";
import { type ChatAnswer, ScriptedChatModel, calling } from "../../../test/support/scripted-chat-model.ts";
import { fromLangChainModel } from "./index.ts";

const userPrompt: LanguageModelV4Prompt = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "What is 1 + 1?" }] },
];

const addTool = {
  type: "function",
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
} as const;

async function partsOf(model: Model, call: ModelCall): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(call);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function piece(args: string, more: { id?: string; name?: string; index?: number } = {}): AIMessageChunk {
  return new AIMessageChunk({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", args, ...more }] });
}

/** Sends the same prompt with and without streaming. */
async function bothTurns(answer: () => ChatAnswer, prompt = userPrompt) {
  const request = (onDelta?: () => void) =>
    requestTurn(fromLangChainModel(new ScriptedChatModel([answer()])), { prompt, tools: [addTool] }, { onDelta });
  return [await request(), await request(() => undefined)];
}

describe("[E07] a LangChain chat model as a Windlass model", () => {
  test("the fake chat models of LangChain answer, streaming and not", async () => {
    const model = fromLangChainModel(new FakeListChatModel({ responses: ["one two", "three"] }));
    expect(await generateText(model, { prompt: "Say something." })).toMatchObject({ text: "one two" });
    expect(await aiGenerateText({ model, prompt: "Go on." })).toMatchObject({ text: "three" });
    const streaming = fromLangChainModel(new FakeStreamingChatModel({ responses: [new AIMessage("four")] }));
    const text: string[] = [];
    await requestTurn(streaming, { prompt: userPrompt }, { onDelta: (d) => "text" in d && text.push(d.text) });
    expect(text).toEqual(["f", "o", "u", "r"]);
  });

  test("messages, tools and settings reach the model", async () => {
    const chat = new ScriptedChatModel([calling({ name: "add", args: { a: 1 } }), new AIMessage("2")]);
    const model = fromLangChainModel(chat);
    const call: ModelCall = {
      prompt: userPrompt,
      tools: [addTool],
      toolChoice: { type: "required" },
      stopSequences: ["END"],
      temperature: 0.5,
    };
    const { warnings } = await model.doGenerate(call);
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "temperature" }]);
    expect(chat.requested[0]?.messages.map(({ type, content }) => [type, content])).toEqual([
      ["system", "Be brief."],
      ["human", "What is 1 + 1?"],
    ]);
    expect(chat.requested[0]?.options).toMatchObject({
      stop: ["END"],
      tool_choice: "any",
      tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: addTool.inputSchema } }],
    });
    const chosen = { ...call, toolChoice: { type: "tool", toolName: "add" } } as const;
    await fromLangChainModel(chat, { callOptions: ({ temperature }) => ({ heat: temperature }) }).doGenerate(chosen);
    expect(chat.requested[1]?.options).toMatchObject({ tool_choice: "add", heat: 0.5 });
  });

  test("a tool call is returned, and its result is sent back, paired by id", async () => {
    const chat = new ScriptedChatModel([calling({ name: "add", args: { a: 1 }, id: "x1" }), new AIMessage("2")]);
    const model = fromLangChainModel(chat);
    const turn = await requestTurn(model, { prompt: userPrompt, tools: [addTool] });
    expect(turn).toMatchObject({
      finishReason: "tool-calls",
      content: [{ type: "tool-call", id: "x1", name: "add", input: '{"a":1}' }],
      modelId: "scripted-1",
      provider: "langchain.scripted",
    });
    await model.doGenerate({
      prompt: [
        ...userPrompt,
        toAssistantMessage(turn),
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "x1", toolName: "add", output: { type: "json", value: { sum: 2 } } },
          ],
        },
      ],
    });
    const [, , answer, result] = chat.requested[1]?.messages ?? [];
    expect(answer).toMatchObject({ type: "ai", tool_calls: [{ id: "x1", name: "add", args: { a: 1 } }] });
    expect(result).toMatchObject({
      type: "tool",
      tool_call_id: "x1",
      name: "add",
      content: '{"sum":2}',
      status: "success",
    });
  });

  test("truncated arguments arrive unchanged, although LangChain has completed them", async () => {
    const chunks = () => [piece('{"a": 1', { id: "x1", name: "add", index: 0 }), piece(', "b": "he', { index: 0 })];
    const whole = chunks().reduce((all, chunk) => all.concat(chunk));
    expect(whole.tool_calls).toMatchObject([{ args: { a: 1, b: "he" } }]);
    for (const turn of await bothTurns(chunks)) {
      expect(turn.content).toMatchObject([{ id: "x1", name: "add", input: '{"a": 1, "b": "he', broken: "unparsable" }]);
    }
    const cut = () => [
      ...chunks(),
      new AIMessageChunk({ content: "", response_metadata: { finish_reason: "length" } }),
    ];
    for (const turn of await bothTurns(cut)) {
      expect(turn).toMatchObject({ finishReason: "length", content: [{ broken: "cut" }] });
    }
  });

  test("malformed arguments arrive unchanged", async () => {
    const invalid = () =>
      new AIMessage({
        content: "",
        invalid_tool_calls: [{ type: "invalid_tool_call", id: "x1", name: "add", args: "{a: 1}", error: "no" }],
      });
    const [turn] = [await requestTurn(fromLangChainModel(new ScriptedChatModel([invalid()])), { prompt: userPrompt })];
    expect(turn.content).toMatchObject([{ id: "x1", name: "add", input: "{a: 1}", broken: "unparsable" }]);
    const raw = new AIMessage({
      content: "",
      tool_calls: [{ type: "tool_call", id: "x1", name: "add", args: { a: 1 } }],
      additional_kwargs: {
        tool_calls: [{ id: "x1", type: "function", function: { name: "add", arguments: '{"a": 1' } }],
      },
    });
    const { content } = await fromLangChainModel(new ScriptedChatModel([raw])).doGenerate({ prompt: userPrompt });
    expect(content).toMatchObject([{ toolCallId: "x1", input: '{"a": 1' }]);
  });

  test("a broken call is sent back without its arguments, but with its id, so that its result is paired", async () => {
    const broken = new AIMessage({
      content: [
        { type: "text", text: "I add." },
        { type: "tool_use", id: "x1", name: "add", input: '{"a": 1' },
      ],
      tool_calls: [{ type: "tool_call", id: "x0", name: "add", args: { a: 0 } }],
      invalid_tool_calls: [{ type: "invalid_tool_call", id: "x1", name: "add", args: '{"a": 1' }],
      additional_kwargs: {
        tool_calls: [{ id: "x1", type: "function", function: { name: "add", arguments: '{"a": 1' } }],
      },
    });
    const chat = new ScriptedChatModel([broken, new AIMessage("sorry")]);
    const model = fromLangChainModel(chat);
    const turn = await requestTurn(model, { prompt: userPrompt });
    await model.doGenerate({ prompt: [...userPrompt, toAssistantMessage(turn)] });
    expect(chat.requested[1]?.messages.at(-1)).toMatchObject({
      content: [{ text: "I add." }, { type: "tool_use", id: "x1", input: {} }],
      tool_calls: [
        { id: "x0", name: "add", args: { a: 0 } },
        { id: "x1", name: "add", args: {} },
      ],
      additional_kwargs: {},
    });
  });

  test("reasoning with its signatures is sent back to its provider unchanged", async () => {
    const content = [
      { type: "thinking", thinking: "One and one.", signature: "sig-1" },
      { type: "redacted_thinking", data: "xyz" },
      { type: "text", text: "I add." },
      { type: "tool_use", id: "x1", name: "add", input: { a: 1 } },
    ];
    const answer = () =>
      new AIMessage({ content, tool_calls: [{ type: "tool_call", id: "x1", name: "add", args: { a: 1 } }] });
    const chat = new ScriptedChatModel([answer(), new AIMessage("2")]);
    const model = fromLangChainModel(chat);
    const turn = await requestTurn(model, { prompt: userPrompt, tools: [addTool] });
    expect(turn.content).toMatchObject([
      { type: "reasoning", text: "One and one." },
      { type: "text", text: "I add." },
      { type: "tool-call", id: "x1" },
    ]);
    // A run stores its turns as JSON.
    const stored = JSON.parse(JSON.stringify(toAssistantMessage(turn))) as ReturnType<typeof toAssistantMessage>;
    await model.doGenerate({ prompt: [...userPrompt, stored] });
    expect(chat.requested[1]?.messages.at(-1)).toMatchObject({ content, tool_calls: [{ id: "x1", args: { a: 1 } }] });
  });

  test("reasoning_content is thinking, streamed as such, and echoed", async () => {
    const chunks = [
      new AIMessageChunk({ content: "", additional_kwargs: { reasoning_content: "Hm, " } }),
      new AIMessageChunk({ content: "", additional_kwargs: { reasoning_content: "one." } }),
      new AIMessageChunk({ content: "Tw" }),
      new AIMessageChunk({ content: "o." }),
      new AIMessageChunk({
        content: "",
        response_metadata: { finish_reason: "stop" },
        usage_metadata: {
          input_tokens: 10,
          output_tokens: 7,
          total_tokens: 17,
          input_token_details: { cache_read: 4 },
          output_token_details: { reasoning: 3 },
        } as never,
      }),
    ];
    const chat = new ScriptedChatModel([chunks, new AIMessage("ok")]);
    const model = fromLangChainModel(chat);
    const deltas: unknown[] = [];
    const turn = await requestTurn(model, { prompt: userPrompt }, { onDelta: (delta) => deltas.push(delta) });
    expect(deltas).toEqual([
      { kind: "thinking", text: "Hm, " },
      { kind: "thinking", text: "one." },
      { kind: "text", text: "Tw" },
      { kind: "text", text: "o." },
    ]);
    expect(turn).toMatchObject({
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 7, cachedTokens: 4, reasoningTokens: 3 },
      content: [
        { type: "reasoning", text: "Hm, one." },
        { type: "text", text: "Two." },
      ],
    });
    await model.doGenerate({ prompt: [...userPrompt, toAssistantMessage(turn)] });
    expect(chat.requested[1]?.messages.at(-1)).toMatchObject({
      content: "Two.",
      additional_kwargs: { reasoning_content: "Hm, one." },
    });
  });

  test("a modified response is sent as it is now, without the attached original", async () => {
    const chat = new ScriptedChatModel([
      new AIMessage({ content: "A long story.", additional_kwargs: { reasoning_content: "Hm." } }),
      new AIMessage("ok"),
    ]);
    const model = fromLangChainModel(chat);
    const { content: parts } = toAssistantMessage(await requestTurn(model, { prompt: userPrompt }));
    const content = parts.map((part) => (part.type === "text" ? { ...part, text: "(shortened)" } : part));
    await model.doGenerate({ prompt: [...userPrompt, { role: "assistant", content }] });
    expect(chat.requested[1]?.messages.at(-1)).toMatchObject({ content: "(shortened)", additional_kwargs: {} });
  });

  test("a response goes to another provider without provider-specific content and removed calls", async () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "text", text: "I add." },
      { type: "tool_use", id: "x1", name: "add", input: {} },
    ];
    const answer = new AIMessage({ content, tool_calls: [{ type: "tool_call", id: "x1", name: "add", args: {} }] });
    const chat = new ScriptedChatModel([answer, new AIMessage("ok")]);
    const { content: parts } = toAssistantMessage(await requestTurn(fromLangChainModel(chat), { prompt: userPrompt }));
    const rest = parts.filter(({ type }) => type !== "tool-call");
    const stored = parts.find(({ type }) => type === "tool-call")?.providerOptions;
    const carried = rest.map((part) => ({ ...part, ...(stored !== undefined && { providerOptions: stored }) }));
    await fromLangChainModel(chat).doGenerate({ prompt: [...userPrompt, { role: "assistant", content: carried }] });
    expect(chat.requested[1]?.messages.at(-1)).toMatchObject({ content: "I add.", tool_calls: [] });
    const other = new (class extends ScriptedChatModel {
      override _llmType(): string {
        return "other";
      }
    })([new AIMessage("ok")]);
    await fromLangChainModel(other).doGenerate({ prompt: [...userPrompt, { role: "assistant", content: parts }] });
    expect(other.requested[0]?.messages.at(-1)).toMatchObject({ content: "I add.", tool_calls: [{ id: "x1" }] });
  });

  test("chunks of parallel calls are assigned to their calls, with and without index and id", async () => {
    const indexed = () => [
      piece('{"a"', { id: "x1", name: "add", index: 0 }),
      piece('{"a"', { id: "x2", name: "add", index: 1 }),
      piece(": 1}", { index: 0 }),
      piece(": 2}", { index: 1 }),
    ];
    const bare = () => [piece('{"a"', { name: "add" }), piece(": 1}"), piece('{"a"', { name: "add" }), piece(": 2}")];
    const late = () => [piece("{", { name: "add", index: 0 }), piece("}", { id: "x9", index: 0 })];
    for (const turn of await bothTurns(late)) expect(turn.content).toMatchObject([{ name: "add", input: "{}" }]);
    for (const turn of await bothTurns(indexed)) {
      expect(turn.content).toMatchObject([
        { id: "x1", input: '{"a": 1}' },
        { id: "x2", input: '{"a": 2}' },
      ]);
    }
    for (const turn of await bothTurns(bare)) {
      expect(turn.content).toMatchObject([{ input: '{"a": 1}' }, { input: '{"a": 2}' }]);
      expect(new Set(turn.content.map((part) => part.type === "tool-call" && part.id)).size).toBe(2);
    }
  });

  test("a stream has the parts that the AI SDK expects, in order", async () => {
    const chat = new ScriptedChatModel([
      [
        new AIMessageChunk("I "),
        new AIMessageChunk("add."),
        piece("", { id: "x1", name: "add", index: 0 }),
        piece('{"a": 1}', { index: 0 }),
      ],
    ]);
    const parts = await partsOf(fromLangChainModel(chat), { prompt: userPrompt });
    expect(parts.map(({ type }) => type)).toEqual([
      "stream-start",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
    expect(parts.at(-2)).toEqual({ type: "tool-call", toolCallId: "x1", toolName: "add", input: '{"a": 1}' });
  });

  test.each([
    [{ finish_reason: "stop" }, "stop"],
    [{ finish_reason: "stopstop" }, "stop"],
    [{ finish_reason: "length" }, "length"],
    [{ stop_reason: "max_tokens" }, "length"],
    [{ stop_reason: "end_turn" }, "stop"],
    [{ stop_reason: "refusal" }, "content-filter"],
    [{ finishReason: "MAX_TOKENS" }, "length"],
    [{ finishReason: "SAFETY" }, "content-filter"],
    [{ finishReason: "MALFORMED_FUNCTION_CALL" }, "error"],
    [{ stop_reason: "tool_use" }, "tool-calls"],
    [{ done_reason: "length" }, "length"],
    [{ incomplete_details: { reason: "max_output_tokens" }, status: "incomplete" }, "length"],
    [{ finish_reason: "who knows" }, "other"],
    [{}, "stop"],
  ])("a response that ends with %j has the finish reason %s", async (response_metadata, reason) => {
    const chat = new ScriptedChatModel([new AIMessage({ content: "x", response_metadata })]);
    const { finishReason } = await fromLangChainModel(chat).doGenerate({ prompt: userPrompt });
    expect(finishReason.unified).toBe(reason);
  });

  test("images and files are sent", async () => {
    const chat = new ScriptedChatModel([new AIMessage("a cat")]);
    await fromLangChainModel(chat).doGenerate({
      prompt: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
            { type: "file", mediaType: "application/pdf", filename: "a.pdf", data: { type: "data", data: "AQID" } },
          ],
        },
      ],
    });
    const [message] = chat.requested[0]?.messages ?? [];
    expect(message?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
      {
        type: "file",
        source_type: "base64",
        mime_type: "application/pdf",
        data: "AQID",
        metadata: { filename: "a.pdf" },
      },
    ]);
    // LangChain understands them.
    expect(new HumanMessage({ content: message?.content as never }).contentBlocks.map(({ type }) => type)).toEqual([
      "text",
      "image",
      "file",
    ]);
  });

  test("a result that failed, or was not allowed, is marked as such", async () => {
    const chat = new ScriptedChatModel([new AIMessage("ok")]);
    const result = (output: object) => ({ type: "tool-result", toolCallId: "c", toolName: "t", output }) as never;
    await fromLangChainModel(chat).doGenerate({
      prompt: [
        {
          role: "tool",
          content: [
            result({ type: "error-text", value: "no such city" }),
            result({ type: "execution-denied", reason: "not you" }),
            result({ type: "content", value: [{ type: "text", text: "see" }] }),
          ],
        },
      ],
    });
    const messages = chat.requested[0]?.messages as ToolMessage[];
    expect(messages.map(({ status, text }) => [status, text])).toEqual([
      ["error", "no such city"],
      ["error", "not you"],
      ["success", "see"],
    ]);
  });

  test("a busy service is retried after the delay that its response names", async () => {
    const busy = Object.assign(new Error("slow down"), {
      status: 429,
      headers: new Headers({ "retry-after-ms": "1" }),
    });
    const chat = new ScriptedChatModel([busy, new AIMessage("now")]);
    const turn = await requestTurn(fromLangChainModel(chat), { prompt: userPrompt });
    expect(turn.content).toMatchObject([{ text: "now" }]);
    expect(chat.requested).toHaveLength(2);
  });

  test("a service that rejects is not retried; a broken connection is", async () => {
    const refused = Object.assign(new Error("bad key"), { status: 401 });
    const chat = new ScriptedChatModel([refused]);
    await expect(requestTurn(fromLangChainModel(chat), { prompt: userPrompt })).rejects.toMatchObject({
      reason: "unauthorized",
    });
    expect(chat.requested).toHaveLength(1);
    const reset = new Error("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    const again = new ScriptedChatModel([reset, new AIMessage("now")]);
    await requestTurn(fromLangChainModel(again), { prompt: userPrompt }, { random: () => 0 });
    expect(again.requested).toHaveLength(2);
  });

  test("cancelling ends the model request with the signal's reason, even if the model ignores the signal", async () => {
    const closed: ChatAnswer = () => new Promise<AIMessage>(() => undefined);
    const stop = new AbortController();
    const call = { prompt: userPrompt, abortSignal: stop.signal };
    const model = fromLangChainModel(new ScriptedChatModel([closed, closed]));
    const whole = model.doGenerate(call);
    const reading = partsOf(model, call);
    stop.abort(new Error("enough"));
    await expect(whole).rejects.toThrow("enough");
    await expect(reading).rejects.toThrow("enough");
  });

  test("cancelling midway stops the stream and the reading", async () => {
    let made = 0;
    class Endless extends FakeListChatModel {
      override async *_streamResponseChunks() {
        try {
          for (;;) {
            yield { text: "x", message: new AIMessageChunk(`${made++} `), concat: (other: never) => other } as never;
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          made = -1;
        }
      }
    }
    const stop = new AbortController();
    const request = requestTurn(
      fromLangChainModel(new Endless({ responses: [] })),
      { prompt: userPrompt },
      { signal: stop.signal, onDelta: () => made > 5 && stop.abort() },
    );
    await expect(request).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => made).toBe(-1);
  });

  test("a model without tool support is reported", async () => {
    const chat = new FakeListChatModel({ responses: ["x"] });
    Object.assign(chat, { bindTools: undefined });
    const request = requestTurn(fromLangChainModel(chat), { prompt: userPrompt, tools: [addTool] });
    await expect(request).rejects.toThrow("does not support tools");
  });

  test("hostile responses are handled safely: calls without a name, names of prototype members, empty responses", async () => {
    const answers: ChatAnswer[] = [
      new AIMessage({ content: [] }),
      new AIMessage({ content: "", tool_calls: [{ type: "tool_call", name: "__proto__", args: {} }] }),
      [piece("{}", { index: 0 })],
      [piece("}}}}", { id: "", name: "", index: 3 })],
      new AIMessage({ content: [{ type: "text" }, { type: "thinking" }, { type: "reasoning", summary: 5 }] as never }),
    ];
    for (const answer of answers) {
      const { content } = await fromLangChainModel(new ScriptedChatModel([answer])).doGenerate({ prompt: userPrompt });
      for (const part of content) expect(part.type).toBe("tool-call");
      const parts = await partsOf(fromLangChainModel(new ScriptedChatModel([answer])), { prompt: userPrompt });
      expect(parts.at(-1)).toMatchObject({ type: "finish" });
    }
  });
});

import { AIMessage, AIMessageChunk, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText as aiGenerateText } from "ai";
import { describe, expect, test } from "vitest";
import { type Model, type ModelCall, askTurn, generateText, toAssistantMessage } from "../../model/index.ts";
import { type ChatAnswer, ScriptedChatModel, calling } from "../../../test/support/scripted-chat-model.ts";
import { fromLangChainModel } from "./index.ts";

const question: LanguageModelV4Prompt = [
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

/** The same question in both ways of asking. */
async function bothTurns(answer: () => ChatAnswer, prompt = question) {
  const ask = (onDelta?: () => void) =>
    askTurn(fromLangChainModel(new ScriptedChatModel([answer()])), { prompt, tools: [addTool] }, { onDelta });
  return [await ask(), await ask(() => undefined)];
}

describe("[E07] a chat model of LangChain as a model of ours", () => {
  test("the fake chat models of LangChain answer, streaming and not", async () => {
    const model = fromLangChainModel(new FakeListChatModel({ responses: ["one two", "three"] }));
    expect(await generateText(model, { prompt: "Say something." })).toMatchObject({ text: "one two" });
    expect(await aiGenerateText({ model, prompt: "Go on." })).toMatchObject({ text: "three" });
    const streaming = fromLangChainModel(new FakeStreamingChatModel({ responses: [new AIMessage("four")] }));
    const said: string[] = [];
    await askTurn(streaming, { prompt: question }, { onDelta: (d) => "text" in d && said.push(d.text) });
    expect(said).toEqual(["f", "o", "u", "r"]);
  });

  test("messages, tools and settings get there", async () => {
    const chat = new ScriptedChatModel([calling({ name: "add", args: { a: 1 } }), new AIMessage("2")]);
    const model = fromLangChainModel(chat);
    const call: ModelCall = {
      prompt: question,
      tools: [addTool],
      toolChoice: { type: "required" },
      stopSequences: ["END"],
      temperature: 0.5,
    };
    const { warnings } = await model.doGenerate(call);
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "temperature" }]);
    expect(chat.asked[0]?.messages.map(({ type, content }) => [type, content])).toEqual([
      ["system", "Be brief."],
      ["human", "What is 1 + 1?"],
    ]);
    expect(chat.asked[0]?.options).toMatchObject({
      stop: ["END"],
      tool_choice: "any",
      tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: addTool.inputSchema } }],
    });
    const chosen = { ...call, toolChoice: { type: "tool", toolName: "add" } } as const;
    await fromLangChainModel(chat, { callOptions: ({ temperature }) => ({ heat: temperature }) }).doGenerate(chosen);
    expect(chat.asked[1]?.options).toMatchObject({ tool_choice: "add", heat: 0.5 });
  });

  test("a tool call comes back, its result goes back, paired by id", async () => {
    const chat = new ScriptedChatModel([calling({ name: "add", args: { a: 1 }, id: "x1" }), new AIMessage("2")]);
    const model = fromLangChainModel(chat);
    const turn = await askTurn(model, { prompt: question, tools: [addTool] });
    expect(turn).toMatchObject({
      finishReason: "tool-calls",
      content: [{ type: "tool-call", id: "x1", name: "add", input: '{"a":1}' }],
      modelId: "scripted-1",
      provider: "langchain.scripted",
    });
    await model.doGenerate({
      prompt: [
        ...question,
        toAssistantMessage(turn),
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "x1", toolName: "add", output: { type: "json", value: { sum: 2 } } },
          ],
        },
      ],
    });
    const [, , answer, result] = chat.asked[1]?.messages ?? [];
    expect(answer).toMatchObject({ type: "ai", tool_calls: [{ id: "x1", name: "add", args: { a: 1 } }] });
    expect(result).toMatchObject({
      type: "tool",
      tool_call_id: "x1",
      name: "add",
      content: '{"sum":2}',
      status: "success",
    });
  });

  test("arguments that were cut off arrive as they are, although LangChain has completed them", async () => {
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

  test("arguments that cannot be read arrive as they are", async () => {
    const invalid = () =>
      new AIMessage({
        content: "",
        invalid_tool_calls: [{ type: "invalid_tool_call", id: "x1", name: "add", args: "{a: 1}", error: "no" }],
      });
    const [turn] = [await askTurn(fromLangChainModel(new ScriptedChatModel([invalid()])), { prompt: question })];
    expect(turn.content).toMatchObject([{ id: "x1", name: "add", input: "{a: 1}", broken: "unparsable" }]);
    const raw = new AIMessage({
      content: "",
      tool_calls: [{ type: "tool_call", id: "x1", name: "add", args: { a: 1 } }],
      additional_kwargs: {
        tool_calls: [{ id: "x1", type: "function", function: { name: "add", arguments: '{"a": 1' } }],
      },
    });
    const { content } = await fromLangChainModel(new ScriptedChatModel([raw])).doGenerate({ prompt: question });
    expect(content).toMatchObject([{ toolCallId: "x1", input: '{"a": 1' }]);
  });

  test("a broken call goes back without its arguments, but with its id, so that its result is paired", async () => {
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
    const turn = await askTurn(model, { prompt: question });
    await model.doGenerate({ prompt: [...question, toAssistantMessage(turn)] });
    expect(chat.asked[1]?.messages.at(-1)).toMatchObject({
      content: [{ text: "I add." }, { type: "tool_use", id: "x1", input: {} }],
      tool_calls: [
        { id: "x0", name: "add", args: { a: 0 } },
        { id: "x1", name: "add", args: {} },
      ],
      additional_kwargs: {},
    });
  });

  test("thoughts with their signatures come back to their provider as they were", async () => {
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
    const turn = await askTurn(model, { prompt: question, tools: [addTool] });
    expect(turn.content).toMatchObject([
      { type: "reasoning", text: "One and one." },
      { type: "text", text: "I add." },
      { type: "tool-call", id: "x1" },
    ]);
    // A run keeps its turns as JSON.
    const kept = JSON.parse(JSON.stringify(toAssistantMessage(turn))) as ReturnType<typeof toAssistantMessage>;
    await model.doGenerate({ prompt: [...question, kept] });
    expect(chat.asked[1]?.messages.at(-1)).toMatchObject({ content, tool_calls: [{ id: "x1", args: { a: 1 } }] });
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
    const turn = await askTurn(model, { prompt: question }, { onDelta: (delta) => deltas.push(delta) });
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
    await model.doGenerate({ prompt: [...question, toAssistantMessage(turn)] });
    expect(chat.asked[1]?.messages.at(-1)).toMatchObject({
      content: "Two.",
      additional_kwargs: { reasoning_content: "Hm, one." },
    });
  });

  test("an answer that somebody changed is sent as it is now, without the old one", async () => {
    const chat = new ScriptedChatModel([
      new AIMessage({ content: "A long story.", additional_kwargs: { reasoning_content: "Hm." } }),
      new AIMessage("ok"),
    ]);
    const model = fromLangChainModel(chat);
    const { content: parts } = toAssistantMessage(await askTurn(model, { prompt: question }));
    const content = parts.map((part) => (part.type === "text" ? { ...part, text: "(shortened)" } : part));
    await model.doGenerate({ prompt: [...question, { role: "assistant", content }] });
    expect(chat.asked[1]?.messages.at(-1)).toMatchObject({ content: "(shortened)", additional_kwargs: {} });
  });

  test("an answer goes to another provider without what only its own understands, and without calls that are gone", async () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "text", text: "I add." },
      { type: "tool_use", id: "x1", name: "add", input: {} },
    ];
    const answer = new AIMessage({ content, tool_calls: [{ type: "tool_call", id: "x1", name: "add", args: {} }] });
    const chat = new ScriptedChatModel([answer, new AIMessage("ok")]);
    const { content: parts } = toAssistantMessage(await askTurn(fromLangChainModel(chat), { prompt: question }));
    const rest = parts.filter(({ type }) => type !== "tool-call");
    const kept = parts.find(({ type }) => type === "tool-call")?.providerOptions;
    const carried = rest.map((part) => ({ ...part, ...(kept !== undefined && { providerOptions: kept }) }));
    await fromLangChainModel(chat).doGenerate({ prompt: [...question, { role: "assistant", content: carried }] });
    expect(chat.asked[1]?.messages.at(-1)).toMatchObject({ content: "I add.", tool_calls: [] });
    const other = new (class extends ScriptedChatModel {
      override _llmType(): string {
        return "other";
      }
    })([new AIMessage("ok")]);
    await fromLangChainModel(other).doGenerate({ prompt: [...question, { role: "assistant", content: parts }] });
    expect(other.asked[0]?.messages.at(-1)).toMatchObject({ content: "I add.", tool_calls: [{ id: "x1" }] });
  });

  test("pieces of parallel calls find their calls, with and without index and id", async () => {
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
    const parts = await partsOf(fromLangChainModel(chat), { prompt: question });
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
  ])("an answer that ends with %j ended because of %s", async (response_metadata, reason) => {
    const chat = new ScriptedChatModel([new AIMessage({ content: "x", response_metadata })]);
    const { finishReason } = await fromLangChainModel(chat).doGenerate({ prompt: question });
    expect(finishReason.unified).toBe(reason);
  });

  test("images and files go along", async () => {
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
    const [message] = chat.asked[0]?.messages ?? [];
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

  test("a result that failed, or was not allowed, says so", async () => {
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
    const messages = chat.asked[0]?.messages as ToolMessage[];
    expect(messages.map(({ status, text }) => [status, text])).toEqual([
      ["error", "no such city"],
      ["error", "not you"],
      ["success", "see"],
    ]);
  });

  test("a service that is busy is asked again; its answer says how soon", async () => {
    const busy = Object.assign(new Error("slow down"), {
      status: 429,
      headers: new Headers({ "retry-after-ms": "1" }),
    });
    const chat = new ScriptedChatModel([busy, new AIMessage("now")]);
    const turn = await askTurn(fromLangChainModel(chat), { prompt: question });
    expect(turn.content).toMatchObject([{ text: "now" }]);
    expect(chat.asked).toHaveLength(2);
  });

  test("a service that refuses is not; a connection that broke is", async () => {
    const refused = Object.assign(new Error("bad key"), { status: 401 });
    const chat = new ScriptedChatModel([refused]);
    await expect(askTurn(fromLangChainModel(chat), { prompt: question })).rejects.toMatchObject({
      reason: "unauthorized",
    });
    expect(chat.asked).toHaveLength(1);
    const reset = new Error("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    const again = new ScriptedChatModel([reset, new AIMessage("now")]);
    await askTurn(fromLangChainModel(again), { prompt: question }, { random: () => 0 });
    expect(again.asked).toHaveLength(2);
  });

  test("cancelling ends the question, also of a model that does not listen, and gives the signal's reason", async () => {
    const deaf: ChatAnswer = () => new Promise<AIMessage>(() => undefined);
    const stop = new AbortController();
    const call = { prompt: question, abortSignal: stop.signal };
    const model = fromLangChainModel(new ScriptedChatModel([deaf, deaf]));
    const whole = model.doGenerate(call);
    const reading = partsOf(model, call);
    stop.abort(new Error("enough"));
    await expect(whole).rejects.toThrow("enough");
    await expect(reading).rejects.toThrow("enough");
  });

  test("cancelling half-way stops the stream, and nobody reads on", async () => {
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
    const asking = askTurn(
      fromLangChainModel(new Endless({ responses: [] })),
      { prompt: question },
      { signal: stop.signal, onDelta: () => made > 5 && stop.abort() },
    );
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => made).toBe(-1);
  });

  test("a model that takes no tools says so", async () => {
    const chat = new FakeListChatModel({ responses: ["x"] });
    Object.assign(chat, { bindTools: undefined });
    const asking = askTurn(fromLangChainModel(chat), { prompt: question, tools: [addTool] });
    await expect(asking).rejects.toThrow("takes no tools");
  });

  test("hostile answers do no harm: calls without a name, names of prototypes, nothing at all", async () => {
    const answers: ChatAnswer[] = [
      new AIMessage({ content: [] }),
      new AIMessage({ content: "", tool_calls: [{ type: "tool_call", name: "__proto__", args: {} }] }),
      [piece("{}", { index: 0 })],
      [piece("}}}}", { id: "", name: "", index: 3 })],
      new AIMessage({ content: [{ type: "text" }, { type: "thinking" }, { type: "reasoning", summary: 5 }] as never }),
    ];
    for (const answer of answers) {
      const { content } = await fromLangChainModel(new ScriptedChatModel([answer])).doGenerate({ prompt: question });
      for (const part of content) expect(part.type).toBe("tool-call");
      const parts = await partsOf(fromLangChainModel(new ScriptedChatModel([answer])), { prompt: question });
      expect(parts.at(-1)).toMatchObject({ type: "finish" });
    }
  });
});

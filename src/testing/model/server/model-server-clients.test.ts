import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4Content, LanguageModelV4Message } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import type { Model, ModelGenerateResult, ModelCall } from "../../../model/port/model.ts";
import { foldParts } from "../fold-parts.ts";
import { type ModelServer, type ModelServerOptions, type ModelServerResponse, modelServer } from "./model-server.ts";
import type { WireFaults, WireApiName } from "./wire-api.ts";

const opened: ModelServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function started(script: readonly ModelServerResponse[], options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await modelServer(script, options);
  opened.push(server);
  return server;
}

const clients: Readonly<Record<WireApiName, (server: ModelServer, model?: string) => Model>> = {
  openai: ({ baseUrls }, model = "glm-5") =>
    createOpenAICompatible({ name: "compatible", baseURL: baseUrls.openai, apiKey: "sk-x", includeUsage: true })(model),
  anthropic: ({ baseUrls }, model = "claude-sonnet-4-5") =>
    createAnthropic({ baseURL: baseUrls.anthropic, apiKey: "sk-x" })(model),
  gemini: ({ baseUrls }, model = "gemini-3-pro") =>
    createGoogleGenerativeAI({ baseURL: baseUrls.gemini, apiKey: "sk-x" })(model),
};

const families: readonly WireApiName[] = ["openai", "anthropic", "gemini"];
const modes = ["streamed", "whole"] as const;
type Mode = (typeof modes)[number];
const everyWay = families.flatMap((family) => modes.map((mode) => ({ family, mode })));

/** Messages with which clients report a broken connection. */
const broken = /terminated|closed|invalid JSON|process/i;

const userPrompt: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "上周的笔记?" }] };
const tools: NonNullable<ModelCall["tools"]> = ["get_time_range", "local_search"].map((name) => ({
  type: "function",
  name,
  description: "…",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
}));

async function request(model: Model, mode: Mode, call: ModelCall): Promise<ModelGenerateResult> {
  return mode === "whole" ? model.doGenerate(call) : foldParts((await model.doStream(call)).stream);
}

/** The content of a response, without provider metadata. */
function messageText({ content }: ModelGenerateResult): unknown[] {
  return content.flatMap((part) => {
    if (part.type === "tool-call") return [{ call: part.toolName, input: part.input }];
    return part.type === "text" || part.type === "reasoning" ? [{ [part.type]: part.text }] : [];
  });
}

/** The response as the next request contains it, with the data that the provider requires back. */
function toMessage(content: readonly LanguageModelV4Content[]): LanguageModelV4Message {
  const parts: Extract<LanguageModelV4Message, { role: "assistant" }>["content"] = [];
  for (const part of content) {
    const stored = "providerMetadata" in part ? { providerOptions: part.providerMetadata } : {};
    if (part.type === "text" || part.type === "reasoning") parts.push({ type: part.type, text: part.text, ...stored });
    if (part.type !== "tool-call") continue;
    const { toolCallId, toolName, input } = part;
    parts.push({ type: "tool-call", toolCallId, toolName, input: JSON.parse(input) as unknown, ...stored });
  }
  return { role: "assistant", content: parts };
}

function resultsOf(content: readonly LanguageModelV4Content[]): LanguageModelV4Message {
  return {
    role: "tool",
    content: content.flatMap((part) =>
      part.type === "tool-call"
        ? [
            {
              type: "tool-result" as const,
              toolCallId: part.toolCallId,
              toolName: part.toolName,
              output: { type: "text" as const, value: `result of ${part.toolName}` },
            },
          ]
        : [],
    ),
  };
}

/** Sends requests until a response has no calls; each response is sent back as modified by `change`. */
async function converse(
  model: Model,
  mode: Mode,
  {
    change = (message) => message,
    more = {},
  }: { change?: (message: LanguageModelV4Message) => LanguageModelV4Message; more?: Partial<ModelCall> } = {},
): Promise<ModelGenerateResult[]> {
  const prompt: LanguageModelV4Message[] = [{ role: "system", content: "Answer in Chinese." }, userPrompt];
  const answers: ModelGenerateResult[] = [];
  for (;;) {
    const answer = await request(model, mode, { prompt: [...prompt], tools, ...more });
    answers.push(answer);
    if (!answer.content.some(({ type }) => type === "tool-call")) return answers;
    prompt.push(change(toMessage(answer.content)), resultsOf(answer.content));
  }
}

const threeRounds: readonly ModelServerResponse[] = [
  { thinking: "Which week? 先看时间。", toolCalls: [{ name: "get_time_range", args: { query: "last week" } }] },
  {
    thinking: "Now both searches.",
    text: "Searching.",
    toolCalls: [
      { name: "local_search", args: { query: "机器学习 🚀" } },
      { name: "local_search", args: { query: "neural networks" } },
    ],
    usage: { inputTokens: 100, outputTokens: 40, cachedTokens: 60, reasoningTokens: 30 },
  },
  { thinking: "Enough.", text: "上周有两条笔记。" },
];

describe.each(everyWay)("the client for $family, $mode", ({ family, mode }) => {
  test("is led through three rounds: thinking, one call, two calls together, a final response", async () => {
    const server = await started(threeRounds, { reasoningEchoed: true });
    const answers = await converse(clients[family](server), mode);
    expect(answers.map(messageText)).toEqual([
      [{ reasoning: "Which week? 先看时间。" }, { call: "get_time_range", input: '{"query":"last week"}' }],
      [
        { reasoning: "Now both searches." },
        { text: "Searching." },
        { call: "local_search", input: '{"query":"机器学习 🚀"}' },
        { call: "local_search", input: '{"query":"neural networks"}' },
      ],
      [{ reasoning: "Enough." }, { text: "上周有两条笔记。" }],
    ]);
    expect(answers.map(({ finishReason }) => finishReason.unified)).toEqual(["tool-calls", "tool-calls", "stop"]);
    const { inputTokens, outputTokens } = answers[1]!.usage;
    expect(inputTokens).toMatchObject({ total: 100, cacheRead: 60 });
    expect(outputTokens.total).toBe(40);
    server.assertComplete();
    expect(server.requests.map(({ stream, outcome, status }) => ({ stream, outcome, status }))).toEqual(
      Array.from({ length: 3 }, () => ({ stream: mode === "streamed", outcome: "answered", status: 200 })),
    );
  });

  test("returns the ids of the script, or unique ones", async () => {
    const call = { name: "local_search", args: {} };
    const server = await started([{ toolCalls: [call, { ...call, id: "mine" }, call] }]);
    const { content } = await request(clients[family](server), mode, { prompt: [userPrompt], tools });
    const ids = content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe("mine");
  });

  test("receives errors in its own format, with the time to wait", async () => {
    const server = await started([
      { status: 429, retryAfter: 7, message: "slow down" },
      { status: 500, message: "oops" },
      { status: 529 },
      { status: 503, body: "<html>no</html>" },
    ]);
    const model = clients[family](server);
    const errors: unknown[] = [];
    for (let at = 0; at < 4; at++)
      errors.push(
        await request(model, mode, { prompt: [userPrompt] }).then(
          () => "answered",
          (error: unknown) => error,
        ),
      );
    expect(errors).toMatchObject([
      { statusCode: 429, message: "slow down", isRetryable: true, responseHeaders: { "retry-after": "7" } },
      { statusCode: 500, message: "oops", isRetryable: true },
      { statusCode: 529, message: "status 529", isRetryable: true },
      { statusCode: 503, responseBody: "<html>no</html>" },
    ]);
    server.assertComplete();
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(Array(4).fill("failed"));
  });

  test("ends with the scripted finish reason", async () => {
    const reasons = ["stop", "length", "content-filter"] as const;
    const server = await started(reasons.map((finishReason) => ({ text: "x", finishReason })));
    const model = clients[family](server);
    for (const reason of reasons) {
      const { finishReason } = await request(model, mode, { prompt: [userPrompt] });
      expect(finishReason.unified).toBe(reason);
    }
  });

  test("gets a body cut at a byte, and detects that it is incomplete", async () => {
    const server = await started([{ text: "a long answer ".repeat(20), wire: { cut: { byte: 150 } } }]);
    await expect(request(clients[family](server), mode, { prompt: [userPrompt] })).rejects.toThrow(broken);
    expect(server.requests[0]?.outcome).toBe("broken");
  });

  test("reads packets of three bytes", async () => {
    const text = "中文 and 🚀";
    const server = await started([{ text, wire: { packetBytes: 3, chunkChars: 1 } }]);
    expect(messageText(await request(clients[family](server), mode, { prompt: [userPrompt] }))).toEqual([{ text }]);
  });

  test("ends a request that never gets a response when its caller aborts", async () => {
    const server = await started([{ hang: true }, { text: "one two three", wire: { hangAtChunk: 2 } }]);
    for (let at = 0; at < 2; at++) {
      const gone = new AbortController();
      const requested = request(clients[family](server), mode, { prompt: [userPrompt], abortSignal: gone.signal });
      const failed = requested.catch((error: unknown) => error);
      await expect.poll(() => server.requests[at]).toBeDefined();
      gone.abort();
      expect(await failed).toMatchObject({ message: expect.stringMatching(/abort/i) });
      await expect.poll(() => server.requests[at]?.outcome).toBe("disconnected");
    }
    server.assertComplete();
  });

  test("gets raw parts as far as the wire format can carry them", async () => {
    const parts = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "well" },
    ] as const;
    const server = await started([parts, [...parts, new Error("cut")]]);
    const model = clients[family](server);
    expect(messageText(await request(model, mode, { prompt: [userPrompt] }))).toEqual([
      { reasoning: "hm" },
      { text: "well" },
    ]);
    await expect(request(model, mode, { prompt: [userPrompt] })).rejects.toThrow(broken);
  });
});

describe.each(modes)("strictness, observed through the clients (%s)", (mode) => {
  const withoutReasoning = (message: LanguageModelV4Message): LanguageModelV4Message =>
    message.role === "assistant"
      ? { ...message, content: message.content.filter(({ type }) => type !== "reasoning") }
      : message;
  const altered = (message: LanguageModelV4Message): LanguageModelV4Message =>
    message.role === "assistant"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "reasoning" ? { ...part, text: `${part.text} And more.` } : part,
          ),
        }
      : message;
  const unsigned = (message: LanguageModelV4Message): LanguageModelV4Message =>
    message.role === "assistant"
      ? {
          ...message,
          content: message.content.map((part) => ({ ...part, providerOptions: {} })),
        }
      : message;

  test.each([
    { family: "openai" as const, change: withoutReasoning, message: /reasoning_content is missing/ },
    { family: "openai" as const, change: altered, message: /not what the model answered/ },
    { family: "anthropic" as const, change: withoutReasoning, message: /Expected `thinking`/ },
    { family: "anthropic" as const, change: altered, message: /cannot be modified/ },
    { family: "gemini" as const, change: unsigned, message: /thought signature/i },
  ])("$family refuses thinking that is $change.name", async ({ family, change, message }) => {
    const server = await started(threeRounds, { reasoningEchoed: true });
    await expect(converse(clients[family](server), mode, { change })).rejects.toThrow(message);
    expect(server.requests.at(-1)).toMatchObject({ status: 400, outcome: "refused" });
    expect(() => server.assertComplete()).toThrow(message);
  });

  test("an older Gemini that signed a call requires the signature back too", async () => {
    const server = await started(threeRounds);
    await expect(converse(clients.gemini(server, "gemini-2.5-pro"), mode, { change: unsigned })).rejects.toThrow(
      /missing a thought_signature/,
    );
  });

  test("the OpenAI protocol accepts requests with or without thinking if it is not required", async () => {
    for (const change of [withoutReasoning, altered]) {
      const server = await started(threeRounds, { reasoning: "reasoning" });
      expect(await converse(clients.openai(server), mode, { change })).toHaveLength(3);
      server.assertComplete();
    }
  });

  test("a wrong key is refused, the right one never shown", async () => {
    for (const family of families) {
      const right = await started(["yes"], { apiKey: "sk-x" });
      await request(clients[family](right), mode, { prompt: [userPrompt] });
      expect(JSON.stringify(right.requests)).not.toContain("sk-x");
      expect(JSON.stringify(right.requests)).toContain("[redacted]");
      const wrong = await started(["yes"], { apiKey: "another" });
      await expect(request(clients[family](wrong), mode, { prompt: [userPrompt] })).rejects.toMatchObject({
        statusCode: 401,
      });
    }
  });
});

test.each(families)("%s: a response in one piece is cut in its middle, or is an error", async (family) => {
  const whole = async (wire: WireFaults): Promise<unknown> =>
    request(clients[family](await started([{ text: "one two three", wire }])), "whole", { prompt: [userPrompt] });
  await expect(whole({ cut: { chunk: 1 } })).rejects.toThrow(broken);
  await expect(whole({ cut: { chunk: 1, cleanly: true } })).rejects.toThrow("Invalid JSON response");
  await expect(whole({ malformedChunk: 0 })).rejects.toThrow("Invalid JSON response");
  await expect(whole({ errorAtChunk: 0 })).rejects.toMatchObject({ statusCode: 503 });
});

describe("faults of a stream", () => {
  const stream = async (family: WireApiName, answer: ModelServerResponse): Promise<ModelGenerateResult> =>
    request(clients[family](await started([answer])), "streamed", { prompt: [userPrompt], tools });

  test.each(families)("%s: a stream cut after three chunks breaks, no matter how it ends", async (family) => {
    const text = "one two three four five six seven eight";
    await expect(stream(family, { text, wire: { cut: { chunk: 3 } } })).rejects.toThrow(broken);
    const cleanly = await stream(family, { text, wire: { cut: { chunk: 3, cleanly: true } } }).then(
      ({ finishReason }) => finishReason.unified,
      () => "broken",
    );
    expect(cleanly).not.toBe("stop");
  });

  test.each(families)("%s: a malformed chunk, and an error in the middle of a stream", async (family) => {
    await expect(stream(family, { text: "one two three", wire: { malformedChunk: 2 } })).rejects.toThrow(
      /JSON parsing failed/,
    );
    await expect(stream(family, { text: "one two three", wire: { errorAtChunk: 2 } })).rejects.toThrow(/overloaded/);
  });

  test.each(families)("%s: arguments truncated by the token limit", async (family) => {
    const toolCalls = [{ name: "local_search", args: { query: "machine learning" } }];
    const { content, finishReason } = await stream(family, { toolCalls, wire: { cutArguments: true } });
    expect(finishReason.unified).toBe("length");
    // Gemini has no text form of arguments, so it has no call either.
    expect(content.flatMap((part) => (part.type === "tool-call" ? [part.input] : []))).toEqual(
      family === "gemini" ? [] : ['{"query":"mach'],
    );
  });

  test("gemini: arguments that are not JSON make a malformed call", async () => {
    const { finishReason } = await stream("gemini", { toolCalls: [{ name: "x", argumentsText: "{no" }] });
    expect(finishReason.raw).toBe("MALFORMED_FUNCTION_CALL");
  });

  test("openai: calls without ids or indexes, with empty arguments", async () => {
    const toolCalls = [
      { name: "local_search", args: { query: "a" } },
      { name: "get_time_range", args: {} },
    ];
    const { content } = await stream("openai", { toolCalls, wire: { omit: ["id", "index"] } });
    expect(content).toMatchObject([
      { toolName: "local_search", input: '{"query":"a"}' },
      { toolName: "get_time_range", input: "{}" },
    ]);
    const empty = await stream("openai", { toolCalls, wire: { arguments: "empty" } });
    expect(empty.content).toMatchObject([{ toolName: "local_search" }, { toolName: "get_time_range" }]);
    await expect(stream("openai", { toolCalls, wire: { arguments: "object" } })).rejects.toThrow(/expected string/);
  });

  test("openai: tags around thinking, split over chunks, and a role before the text", async () => {
    const { stream: parts } = await clients
      .openai(await started([{ thinking: "hm", text: "Yes.", wire: { thinkTags: true, leakedRole: true } }]))
      .doStream({ prompt: [userPrompt] });
    const deltas: string[] = [];
    for await (const part of parts) if (part.type === "text-delta") deltas.push(part.delta);
    expect(deltas.join("")).toBe("assistant\n\n<think>hm</think>\n\nYes.");
    expect(deltas.filter((delta) => delta.includes("<think>"))).toEqual([]);
  });

  test.each(families)("%s: a server that does not count its tokens", async (family) => {
    const { usage } = await stream(family, { text: "x", usage: null });
    expect(usage.inputTokens.total ?? 0).toBe(0);
  });
});

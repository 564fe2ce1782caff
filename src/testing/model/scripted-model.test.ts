import { describe, expect, test } from "vitest";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { FakeClock, settle } from "../../../test/support/fake-clock.ts";
import type { ModelCall } from "../../model/port/model.ts";
import { type ScriptedResponse, type ScriptedPart, scriptedModel } from "./scripted-model.ts";

const userPrompt = (text = "?"): ModelCall => ({ prompt: [{ role: "user", content: [{ type: "text", text }] }] });

async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const streamed = async (answer: ScriptedResponse): Promise<LanguageModelV4StreamPart[]> =>
  partsOf((await scriptedModel([answer]).doStream(userPrompt())).stream);

const turn = {
  thinking: "The user wants notes. 先找一找。",
  signature: "sig-1",
  text: "Let me look.",
  toolCalls: [
    { name: "local_search", args: { query: "机器学习 machine learning", limit: 5 } },
    { name: "get_time", id: "given", argumentsText: '{"zone": "UT', signature: "sig-2" },
    { name: "ping" },
  ],
};

const content = [
  { type: "reasoning", text: turn.thinking, providerMetadata: { script: { signature: "sig-1" } } },
  { type: "text", text: "Let me look." },
  {
    type: "tool-call",
    toolCallId: "call_1",
    toolName: "local_search",
    input: '{"query":"机器学习 machine learning","limit":5}',
  },
  {
    type: "tool-call",
    toolCallId: "given",
    toolName: "get_time",
    input: '{"zone": "UT',
    providerMetadata: { script: { signature: "sig-2" } },
  },
  { type: "tool-call", toolCallId: "call_3", toolName: "ping", input: "{}" },
];

describe("a detailed response", () => {
  test("has thinking, text and tool calls, in this order", async () => {
    const answer = await scriptedModel([turn]).doGenerate(userPrompt());
    expect(answer.content).toEqual(content);
    expect(answer.finishReason).toEqual({ unified: "tool-calls", raw: "tool-calls" });
    expect(answer.usage.inputTokens.total).toBe(10);
  });

  test("streams in small chunks, including its arguments, and folds into the same response", async () => {
    const parts = await streamed(turn);
    const joined = (type: string): string =>
      parts.map((part) => (part.type === type && "delta" in part ? part.delta : "")).join("");
    expect(joined("reasoning-delta")).toBe(turn.thinking);
    expect(joined("text-delta")).toBe(turn.text);
    expect(joined("tool-input-delta")).toBe('{"query":"机器学习 machine learning","limit":5}{"zone": "UT{}');
    expect(parts.filter(({ type }) => type === "tool-input-delta").length).toBeGreaterThan(6);
    // Parts streamed by one model and replayed raw by another fold into the response of the first.
    expect((await scriptedModel([parts]).doGenerate(userPrompt())).content).toEqual(content);
  });

  test("has chunks that split no character", async () => {
    const text = "👩‍🚀🚀".repeat(50) + "中文".repeat(50);
    const deltas = (await streamed(text)).flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
    expect(deltas.join("")).toBe(text);
    expect(deltas.length).toBeGreaterThan(20);
    expect(deltas.filter((delta) => !delta.isWellFormed())).toEqual([]);
  });

  test("counts the usage in its script, with cached and thinking tokens separately", async () => {
    const usage = { inputTokens: 100, outputTokens: 40, cachedTokens: 60, reasoningTokens: 30 };
    const answer = await scriptedModel([{ text: "x", usage }]).doGenerate(userPrompt());
    expect(answer.usage).toEqual({
      inputTokens: { total: 100, noCache: 40, cacheRead: 60, cacheWrite: undefined },
      outputTokens: { total: 40, text: 10, reasoning: 30 },
    });
  });

  test("ends with its finish reason", async () => {
    const cut = { toolCalls: [{ name: "a", argumentsText: "{" }], finishReason: "length" as const };
    expect((await scriptedModel([cut]).doGenerate(userPrompt())).finishReason.unified).toBe("length");
    expect((await streamed(cut)).at(-1)).toMatchObject({ finishReason: { unified: "length" } });
  });

  test("any other object is returned as JSON", async () => {
    for (const answer of [{ score: 9 }, { text: 5 }, { toolCalls: "none" }, { error: "no" }]) {
      const text = await scriptedModel([answer]).doGenerate(userPrompt());
      expect(text.content).toEqual([{ type: "text", text: JSON.stringify(answer) }]);
    }
  });

  test("signs under the name of its provider", async () => {
    const model = scriptedModel([{ thinking: "hm", signature: "s" }], { provider: "anthropic", modelId: "claude-x" });
    const answer = await model.doGenerate(userPrompt());
    expect(model).toMatchObject({ provider: "anthropic", modelId: "claude-x" });
    expect(answer.content[0]).toMatchObject({ providerMetadata: { anthropic: { signature: "s" } } });
  });
});

describe("a stream in raw parts", () => {
  const begun: ScriptedPart[] = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "half an ans" },
  ];

  test("breaks with the error it contains, whole or streamed", async () => {
    const parts = [...begun, new Error("the line went dead")];
    const { stream } = await scriptedModel([parts]).doStream(userPrompt());
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { type } of stream) seen.push(type);
      })(),
    ).rejects.toThrow("the line went dead");
    expect(seen).toEqual(["text-start", "text-delta"]);
    await expect(scriptedModel([parts]).doGenerate(userPrompt())).rejects.toThrow("the line went dead");
  });

  test("passes an error part, and everything else it has, to a caller that requests the whole response", async () => {
    const reported = scriptedModel([[...begun, { type: "error", error: "overloaded" }]]);
    await expect(reported.doGenerate(userPrompt())).rejects.toThrow("overloaded");
    const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" } as const;
    const ends = scriptedModel([[...begun, { type: "ping" }, source, { type: "text-end", id: "1" }]]);
    expect(await ends.doGenerate(userPrompt())).toMatchObject({
      content: [{ type: "text", text: "half an ans" }, source],
      finishReason: { unified: "other" },
    });
  });

  test("is silent for the length of a pause", async () => {
    const clock = new FakeClock();
    const model = scriptedModel([[...begun, { type: "pause", ms: 500 }, { type: "text-end", id: "1" }]], { clock });
    const reader = (await model.doStream(userPrompt())).stream.getReader();
    await reader.read();
    await reader.read();
    let last: unknown;
    void reader.read().then(({ value }) => (last = value));
    await clock.pass(499);
    expect(last).toBeUndefined();
    await clock.pass(1);
    expect(last).toEqual({ type: "text-end", id: "1" });
  });

  test("a stream that is silent forever ends when the caller stops reading or aborts", async () => {
    const parts: ScriptedPart[] = [...begun, { type: "pause", ms: Infinity }];
    const gone = new AbortController();
    const { stream } = await scriptedModel([parts]).doStream({ ...userPrompt(), abortSignal: gone.signal });
    const read = partsOf(stream);
    await settle();
    gone.abort(new Error("enough"));
    await expect(read).rejects.toThrow("enough");

    const clock = new FakeClock();
    const paused: ScriptedPart[] = [...begun, { type: "pause", ms: 60_000 }];
    const left = await scriptedModel([paused], { clock }).doStream(userPrompt());
    const reader = left.stream.getReader();
    await reader.read();
    await reader.read();
    void reader.read();
    await settle();
    expect(clock.timers).toBe(1);
    await reader.cancel();
    await settle();
    expect(clock.timers).toBe(0);
  });
});

describe("time", () => {
  test("passes on the configured clock before a response, and before each chunk of a stream", async () => {
    const clock = new FakeClock();
    const model = scriptedModel(
      [
        { text: "late", delayMs: 1_000 },
        { text: "one two", pieceDelayMs: 100 },
      ],
      { clock },
    );
    let done = false;
    const first = model.doGenerate(userPrompt()).then(() => (done = true));
    await clock.pass(999);
    expect(done).toBe(false);
    await clock.pass(1);
    await first;
    const { stream } = await model.doStream(userPrompt());
    const began = clock.elapsed();
    const read = partsOf(stream);
    while (await clock.passToNext());
    const parts = await read;
    expect(clock.elapsed() - began).toBe((parts.length - 1) * 100);
  });

  test("leaves no timer behind if the caller aborts", async () => {
    const clock = new FakeClock();
    const gone = new AbortController();
    const model = scriptedModel([{ text: "late", delayMs: 1_000 }], { clock });
    const requested = model.doGenerate({ ...userPrompt(), abortSignal: gone.signal });
    await settle();
    expect(clock.timers).toBe(1);
    gone.abort(new Error("enough"));
    await expect(requested).rejects.toThrow("enough");
    expect(clock.timers).toBe(0);
  });

  test("an error arrives immediately, or after a delay", async () => {
    const clock = new FakeClock();
    const model = scriptedModel([new Error("at once"), { error: new Error("later"), delayMs: 50 }], { clock });
    await expect(model.doGenerate(userPrompt())).rejects.toThrow("at once");
    const later = Promise.allSettled([model.doStream(userPrompt())]);
    await clock.pass(50);
    expect(await later).toMatchObject([{ status: "rejected", reason: { message: "later" } }]);
  });
});

describe("the script", () => {
  test("may contain functions of the request, also asynchronous ones", async () => {
    const requested = ({ prompt }: ModelCall): string => JSON.stringify(prompt).match(/"text":"(\w+)"/)?.[1] ?? "";
    const model = scriptedModel([
      (call) => `you said ${requested(call)}`,
      async (_, index) => `number ${index}`,
      "three",
    ]);
    const texts: unknown[] = [];
    for (const text of ["one", "two", "three"]) texts.push((await model.doGenerate(userPrompt(text))).content[0]);
    expect(texts).toEqual(["you said one", "number 1", "three"].map((text) => ({ type: "text", text })));
    model.assertComplete();
  });

  test("may be one function", async () => {
    const model = scriptedModel((_, index) => `answer ${index}`);
    await model.doGenerate(userPrompt());
    expect((await model.doGenerate(userPrompt())).content).toEqual([{ type: "text", text: "answer 1" }]);
    model.assertComplete();
  });

  test("reports its unused responses", async () => {
    const model = scriptedModel([
      "one",
      { toolCalls: [{ name: "search", args: { q: "x" } }] },
      new Error("no"),
      () => "f",
    ]);
    await model.doGenerate(userPrompt());
    expect(() => model.assertComplete()).toThrow(
      [
        "the script has 4 responses, but only 1 request came; unused:",
        '  2. a call search({"q":"x"})',
        '  3. the error "no"',
        "  4. the result of a function",
      ].join("\n"),
    );
  });

  test("reports a surplus request even if its error was swallowed", async () => {
    const model = scriptedModel(["one"]);
    await model.doGenerate(userPrompt());
    await expect(model.doStream(userPrompt())).rejects.toThrow("the script has 1 responses, and this is request 2");
    expect(() => model.assertComplete()).toThrow("the script has 1 responses for 2 requests");
  });

  test("records requests as they were, although the caller keeps appending to the same list", async () => {
    const model = scriptedModel(["one", "two"]);
    const call = userPrompt();
    await model.doGenerate(call);
    call.prompt.push({ role: "assistant", content: [{ type: "text", text: "one" }] });
    await model.doGenerate(call);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 2]);
  });
});

test("a response takes a microsecond or two, regardless of the length of the conversation", async () => {
  const answer = { toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] };
  const call = { prompt: Array.from({ length: 100 }, () => userPrompt().prompt[0]!) };
  const perTurn = async (turns: number): Promise<number> => {
    const model = scriptedModel(() => answer);
    const began = process.cpuUsage();
    for (let turn = 0; turn < turns; turn++) await model.doGenerate(call);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / turns;
  };
  await perTurn(5_000);
  expect(await perTurn(20_000)).toBeLessThan(20);
});

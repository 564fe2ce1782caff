import { describe, expect, test } from "vitest";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { FakeClock, settle } from "../../../test/support/fake-clock.ts";
import type { ModelCall } from "../model.ts";
import { type ScriptedAnswer, type ScriptedPart, scriptedModel } from "./scripted-model.ts";

const question = (text = "?"): ModelCall => ({ prompt: [{ role: "user", content: [{ type: "text", text }] }] });

async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const streamed = async (answer: ScriptedAnswer): Promise<LanguageModelV4StreamPart[]> =>
  partsOf((await scriptedModel([answer]).doStream(question())).stream);

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

describe("an answer in detail", () => {
  test("has thinking, text and tool calls, in this order", async () => {
    const answer = await scriptedModel([turn]).doGenerate(question());
    expect(answer.content).toEqual(content);
    expect(answer.finishReason).toEqual({ unified: "tool-calls", raw: "tool-calls" });
    expect(answer.usage.inputTokens.total).toBe(10);
  });

  test("streams in small pieces, its arguments too, and is the same when put together", async () => {
    const parts = await streamed(turn);
    const joined = (type: string): string =>
      parts.map((part) => (part.type === type && "delta" in part ? part.delta : "")).join("");
    expect(joined("reasoning-delta")).toBe(turn.thinking);
    expect(joined("text-delta")).toBe(turn.text);
    expect(joined("tool-input-delta")).toBe('{"query":"机器学习 machine learning","limit":5}{"zone": "UT{}');
    expect(parts.filter(({ type }) => type === "tool-input-delta").length).toBeGreaterThan(6);
    // What is streamed by one model and given raw to another comes out as the answer of the first.
    expect((await scriptedModel([parts]).doGenerate(question())).content).toEqual(content);
  });

  test("has pieces that cut no character in two", async () => {
    const text = "👩‍🚀🚀".repeat(50) + "中文".repeat(50);
    const deltas = (await streamed(text)).flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
    expect(deltas.join("")).toBe(text);
    expect(deltas.length).toBeGreaterThan(20);
    expect(deltas.filter((delta) => !delta.isWellFormed())).toEqual([]);
  });

  test("counts what its script says it cost, cached and thought tokens apart", async () => {
    const usage = { inputTokens: 100, outputTokens: 40, cachedTokens: 60, reasoningTokens: 30 };
    const answer = await scriptedModel([{ text: "x", usage }]).doGenerate(question());
    expect(answer.usage).toEqual({
      inputTokens: { total: 100, noCache: 40, cacheRead: 60, cacheWrite: undefined },
      outputTokens: { total: 40, text: 10, reasoning: 30 },
    });
  });

  test("ends as it says", async () => {
    const cut = { toolCalls: [{ name: "a", argumentsText: "{" }], finishReason: "length" as const };
    expect((await scriptedModel([cut]).doGenerate(question())).finishReason.unified).toBe("length");
    expect((await streamed(cut)).at(-1)).toMatchObject({ finishReason: { unified: "length" } });
  });

  test("of any other object is that object as JSON", async () => {
    for (const answer of [{ score: 9 }, { text: 5 }, { toolCalls: "none" }, { error: "no" }]) {
      const said = await scriptedModel([answer]).doGenerate(question());
      expect(said.content).toEqual([{ type: "text", text: JSON.stringify(answer) }]);
    }
  });

  test("signs under the name of the provider that the model stands for", async () => {
    const model = scriptedModel([{ thinking: "hm", signature: "s" }], { provider: "anthropic", modelId: "claude-x" });
    const answer = await model.doGenerate(question());
    expect(model).toMatchObject({ provider: "anthropic", modelId: "claude-x" });
    expect(answer.content[0]).toMatchObject({ providerMetadata: { anthropic: { signature: "s" } } });
  });
});

describe("a stream in raw parts", () => {
  const begun: ScriptedPart[] = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "half an ans" },
  ];

  test("breaks with the error that stands in it, whole or streamed", async () => {
    const parts = [...begun, new Error("the line went dead")];
    const { stream } = await scriptedModel([parts]).doStream(question());
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { type } of stream) seen.push(type);
      })(),
    ).rejects.toThrow("the line went dead");
    expect(seen).toEqual(["text-start", "text-delta"]);
    await expect(scriptedModel([parts]).doGenerate(question())).rejects.toThrow("the line went dead");
  });

  test("gives an error that it tells of, and whatever else it has, to who asks for the whole", async () => {
    const told = scriptedModel([[...begun, { type: "error", error: "overloaded" }]]);
    await expect(told.doGenerate(question())).rejects.toThrow("overloaded");
    const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" } as const;
    const ends = scriptedModel([[...begun, { type: "ping" }, source, { type: "text-end", id: "1" }]]);
    expect(await ends.doGenerate(question())).toMatchObject({
      content: [{ type: "text", text: "half an ans" }, source],
      finishReason: { unified: "other" },
    });
  });

  test("is silent as long as a pause says", async () => {
    const clock = new FakeClock();
    const model = scriptedModel([[...begun, { type: "pause", ms: 500 }, { type: "text-end", id: "1" }]], { clock });
    const reader = (await model.doStream(question())).stream.getReader();
    await reader.read();
    await reader.read();
    let last: unknown;
    void reader.read().then(({ value }) => (last = value));
    await clock.pass(499);
    expect(last).toBeUndefined();
    await clock.pass(1);
    expect(last).toEqual({ type: "text-end", id: "1" });
  });

  test("that is silent for ever ends when the asker leaves or gives up", async () => {
    const parts: ScriptedPart[] = [...begun, { type: "pause", ms: Infinity }];
    const gone = new AbortController();
    const { stream } = await scriptedModel([parts]).doStream({ ...question(), abortSignal: gone.signal });
    const read = partsOf(stream);
    await settle();
    gone.abort(new Error("enough"));
    await expect(read).rejects.toThrow("enough");

    const clock = new FakeClock();
    const paused: ScriptedPart[] = [...begun, { type: "pause", ms: 60_000 }];
    const left = await scriptedModel([paused], { clock }).doStream(question());
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
  test("passes on the given clock before an answer, and before each piece of a stream", async () => {
    const clock = new FakeClock();
    const model = scriptedModel(
      [
        { text: "late", delayMs: 1_000 },
        { text: "one two", pieceDelayMs: 100 },
      ],
      { clock },
    );
    let done = false;
    const first = model.doGenerate(question()).then(() => (done = true));
    await clock.pass(999);
    expect(done).toBe(false);
    await clock.pass(1);
    await first;
    const { stream } = await model.doStream(question());
    const began = clock.elapsed();
    const read = partsOf(stream);
    while (await clock.passToNext());
    const parts = await read;
    expect(clock.elapsed() - began).toBe((parts.length - 1) * 100);
  });

  test("leaves no timer behind where the asker gives up", async () => {
    const clock = new FakeClock();
    const gone = new AbortController();
    const model = scriptedModel([{ text: "late", delayMs: 1_000 }], { clock });
    const asked = model.doGenerate({ ...question(), abortSignal: gone.signal });
    await settle();
    expect(clock.timers).toBe(1);
    gone.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(clock.timers).toBe(0);
  });

  test("an error comes at once, or after a delay", async () => {
    const clock = new FakeClock();
    const model = scriptedModel([new Error("at once"), { error: new Error("later"), delayMs: 50 }], { clock });
    await expect(model.doGenerate(question())).rejects.toThrow("at once");
    const later = Promise.allSettled([model.doStream(question())]);
    await clock.pass(50);
    expect(await later).toMatchObject([{ status: "rejected", reason: { message: "later" } }]);
  });
});

describe("the script", () => {
  test("may hold functions of the question, also late ones", async () => {
    const asked = ({ prompt }: ModelCall): string => JSON.stringify(prompt).match(/"text":"(\w+)"/)?.[1] ?? "";
    const model = scriptedModel([(call) => `you said ${asked(call)}`, async (_, index) => `number ${index}`, "three"]);
    const texts: unknown[] = [];
    for (const text of ["one", "two", "three"]) texts.push((await model.doGenerate(question(text))).content[0]);
    expect(texts).toEqual(["you said one", "number 1", "three"].map((text) => ({ type: "text", text })));
    model.assertComplete();
  });

  test("may be one function", async () => {
    const model = scriptedModel((_, index) => `answer ${index}`);
    await model.doGenerate(question());
    expect((await model.doGenerate(question())).content).toEqual([{ type: "text", text: "answer 1" }]);
    model.assertComplete();
  });

  test("tells what is left of it", async () => {
    const model = scriptedModel([
      "one",
      { toolCalls: [{ name: "search", args: { q: "x" } }] },
      new Error("no"),
      () => "f",
    ]);
    await model.doGenerate(question());
    expect(() => model.assertComplete()).toThrow(
      [
        "the script has 4 answers, but only 1 question came; left over:",
        '  2. a call search({"q":"x"})',
        '  3. the error "no"',
        "  4. what a function makes of the question",
      ].join("\n"),
    );
  });

  test("tells of a question too many, even where nobody heard of it", async () => {
    const model = scriptedModel(["one"]);
    await model.doGenerate(question());
    await expect(model.doStream(question())).rejects.toThrow("the script has 1 answers, and this is question 2");
    expect(() => model.assertComplete()).toThrow("the script has 1 answers, and 2 questions were asked");
  });

  test("keeps questions as they were, though the asker goes on to write into the same list", async () => {
    const model = scriptedModel(["one", "two"]);
    const call = question();
    await model.doGenerate(call);
    call.prompt.push({ role: "assistant", content: [{ type: "text", text: "one" }] });
    await model.doGenerate(call);
    expect(model.calls.map(({ prompt }) => prompt.length)).toEqual([1, 2]);
  });
});

test("an answer costs a microsecond or two, however long the conversation", async () => {
  const answer = { toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] };
  const call = { prompt: Array.from({ length: 100 }, () => question().prompt[0]!) };
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

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError, systemClock } from "../../base/index.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import {
  type Model,
  type ModelSettings,
  type ModelTurn,
  type TurnDelta,
  requestTurn,
  generateObject,
  openModel,
  textOfTurn,
  toAssistantMessage,
  toolCallsOf,
} from "../index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { type ModelServer, type ModelServerOptions, modelServer } from "../../testing/model/server/model-server.ts";

const opened: (HttpClient | ModelServer)[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const families = {
  openai: { provider: "openai-compatible", name: "glm-5" },
  anthropic: { provider: "anthropic", name: "claude-sonnet-4-5" },
  gemini: { provider: "google", name: "gemini-3-pro-preview" },
} as const;
type Family = keyof typeof families;
const all = Object.keys(families) as Family[];

async function served(
  family: Family,
  script: Parameters<typeof modelServer>[0],
  options: Partial<ModelSettings> & { server?: ModelServerOptions } = {},
): Promise<{ server: ModelServer; model: Model }> {
  const { server: serverOptions, ...settings } = options;
  const server = await modelServer(script, serverOptions);
  const http = createHttpClient({ allow: [server.host] });
  opened.push(server, http);
  const baseUrl = server.baseUrls[family];
  return { server, model: openModel({ ...families[family], baseUrl, apiKey: "sk-test", ...settings }, { http }) };
}

const userPrompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "When is high water?" }] }];
const tools = [
  {
    type: "function" as const,
    name: "search",
    description: "Searches.",
    inputSchema: { type: "object" as const, properties: { query: { type: "string" as const } } },
  },
];

/** Short pauses between attempts. */
const quick = {
  random: () => 0,
  clock: { ...systemClock, after: (ms: number, task: () => void) => systemClock.after(ms / 50, task) },
};

function results(turn: ModelTurn): LanguageModelV4Prompt[number] {
  return {
    role: "tool",
    content: toolCallsOf(turn).map(({ id, name }) => ({
      type: "tool-result" as const,
      toolCallId: id,
      toolName: name,
      output: { type: "text" as const, value: "noon" },
    })),
  };
}

/** The state of a listener after all deltas. */
function heard(deltas: readonly TurnDelta[]): { text: string; thinking: string; calls: string[] } {
  let state = { text: "", thinking: "", calls: [] as string[] };
  for (const delta of deltas) {
    if (delta.kind === "restart") state = { text: "", thinking: "", calls: [] };
    else if (delta.kind === "tool-call") state.calls.push(delta.name);
    else if (delta.kind !== "wait") state[delta.kind] += delta.text;
  }
  return state;
}

async function failureOf(work: Promise<unknown>): Promise<{ code: string; reason?: string; message: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isFailureError(error)) throw new Error(`not a failure: ${String(error)}`);
  return error.toFailure();
}

const script = [
  {
    thinking: "I have to look.",
    toolCalls: [
      { name: "search", args: { query: "tides" } },
      { name: "search", args: { query: "潮汐" } },
    ],
  },
  { thinking: "Once more.", toolCalls: [{ name: "search", args: { query: "harbour" } }] },
  { thinking: "Now I know.", text: "High water is at noon." },
];

describe.each(all)("a conversation of three turns over the wire of %s", (family) => {
  test.each([["streamed"], ["at once"]])(
    "[E12] keeps ids, thinking and signatures as the service requires them: %s",
    async (how) => {
      const { server, model } = await served(family, script, {
        thinking: "low",
        temperature: 0.3,
        server: { reasoningEchoed: true },
      });
      const deltas: TurnDelta[] = [];
      const options = how === "streamed" ? { onDelta: (delta: TurnDelta) => deltas.push(delta) } : {};
      const prompt = [...userPrompt];
      let turn = await requestTurn(model, { prompt, tools }, options);
      while (toolCallsOf(turn).length > 0) {
        prompt.push(toAssistantMessage(turn), results(turn));
        // A run stores its turns as JSON.
        turn = await requestTurn(
          model,
          { prompt: JSON.parse(JSON.stringify(prompt)) as typeof prompt, tools },
          options,
        );
      }
      server.assertComplete();
      expect(textOfTurn(turn)).toBe("High water is at noon.");
      expect(turn).toMatchObject({ finishReason: "stop", modelId: families[family].name, provider: server.host });
      const reported = { text: "High water is at noon.", thinking: "I have to look.Once more.Now I know." };
      const calls = ["search", "search", "search"];
      expect(heard(deltas)).toEqual(
        how === "streamed" ? { ...reported, calls } : { text: "", thinking: "", calls: [] },
      );
    },
  );
});

describe.each(all)("a turn over the wire of %s", (family) => {
  const call = { toolCalls: [{ name: "search", args: { query: "tides" } }] };

  test.each([
    ["the connection breaks", { text: "High water is at noon, and again at midnight.", wire: { cut: { chunk: 3 } } }],
    [
      "the stream just ends",
      { text: "High water is at noon, and at midnight.", wire: { cut: { chunk: 3, cleanly: true } } },
    ],
    ["a piece is no JSON", { text: "High water is at noon, and at midnight.", wire: { malformedChunk: 2 } }],
    ["the service breaks off", { text: "High water is at noon, and at midnight.", wire: { errorAtChunk: 3 } }],
  ])("is retried from the start if %s", async (_, broken) => {
    const { server, model } = await served(family, [broken, "Noon."]);
    const deltas: TurnDelta[] = [];
    const turn = await requestTurn(model, { prompt: userPrompt }, { ...quick, onDelta: (delta) => deltas.push(delta) });
    expect(textOfTurn(turn)).toBe("Noon.");
    expect(heard(deltas).text).toBe("Noon.");
    const reported = deltas.filter(({ kind }) => kind !== "wait");
    const restarts = reported.filter(({ kind }) => kind === "restart").length;
    expect(restarts).toBe(reported.length > 1 ? 1 : 0);
    expect(server.requests).toHaveLength(2);
  });

  test("has its arguments completely or not at all: a call truncated by the token limit never runs", async () => {
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served(family, [{ ...call, finishReason: "length", wire: { cutArguments: true } }]);
      const turn = await requestTurn(model, { prompt: userPrompt, tools }, { onDelta });
      expect(turn.finishReason).toBe("length");
      for (const each of toolCallsOf(turn)) expect(each.broken).toBe("cut");
      // It can still be sent back.
      expect(() => toAssistantMessage(turn)).not.toThrow();
    }
  });

  test("a service that is busy at first is retried; one that stays busy fails with its reason", async () => {
    const busy = { status: 429, retryAfter: 0 };
    const { model } = await served(family, [busy, { status: 529 }, "Noon."]);
    const waits: TurnDelta[] = [];
    const onDelta = (delta: TurnDelta) => delta.kind === "wait" && waits.push(delta);
    expect(textOfTurn(await requestTurn(model, { prompt: userPrompt }, { ...quick, onDelta }))).toBe("Noon.");
    const wait = { kind: "wait", ms: expect.any(Number), reason: "rate_limited" };
    expect(waits).toEqual([wait, wait]);
    const other = await served(family, [busy, busy, busy]);
    expect(await failureOf(requestTurn(other.model, { prompt: userPrompt }, quick))).toMatchObject({
      reason: "rate_limited",
    });
  });

  test("a turn whose stream stops is abandoned, and so is a cancelled one", async () => {
    const silent = { text: "High water is at noon, and again.", wire: { hangAtChunk: 6, chunkChars: 2 } };
    const { model, server } = await served(family, [silent, silent]);
    const late = requestTurn(model, { prompt: userPrompt }, { onDelta: () => {}, idleMs: 40 });
    expect(await failureOf(late)).toMatchObject({ code: "timeout" });
    const cancel = new AbortController();
    const left = requestTurn(model, { prompt: userPrompt }, { onDelta: () => cancel.abort(), signal: cancel.signal });
    expect(await failureOf(left)).toMatchObject({ code: "cancelled" });
    await expect.poll(() => server.requests.map(({ outcome }) => outcome)).toEqual(["disconnected", "disconnected"]);
  });

  test("counts the usage, with cached and thinking tokens, and the cost", async () => {
    const usage = { inputTokens: 1000, outputTokens: 200, cachedTokens: 400, reasoningTokens: 50 };
    const price = { input: 2, output: 10, cached: 0.5 };
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served(family, [{ text: "Noon.", usage }], { price });
      const turn = await requestTurn(model, { prompt: userPrompt }, { onDelta });
      expect(turn.usage).toMatchObject({ inputTokens: 1000, outputTokens: 200, cachedTokens: 400 });
      expect(turn.usage.cost).toBeCloseTo((600 * 2 + 400 * 0.5 + 200 * 10) / 1e6, 12);
      expect(turn.usage).not.toHaveProperty("estimated");
    }
  });

  test("never shows the key, no matter which message quotes it", async () => {
    const quoting = { status: 401, message: "sk-test is wrong" };
    const { model } = await served(family, [quoting]);
    const failure = await failureOf(requestTurn(model, { prompt: userPrompt }));
    expect(failure.reason).toBe("unauthorized");
    expect(JSON.stringify(failure)).not.toContain("sk-test");
  });
});

describe("a response", () => {
  test("is neither broken nor requested again because of a listener that throws", async () => {
    const { model, server } = await served("openai", ["Noon."]);
    const turn = await requestTurn(
      model,
      { prompt: userPrompt },
      {
        onDelta: () => {
          throw new Error("mine");
        },
      },
    );
    expect(textOfTurn(turn)).toBe("Noon.");
    server.assertComplete();
  });

  test("a response that quotes the key in the middle of its stream does not leak it into a failure", async () => {
    const http = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('data: {"error":{"message":"the key sk-test is used up","type":"invalid_request_error"}}\n\n');
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
    const httpClient = createHttpClient({ allow: [host] });
    opened.push(httpClient);
    const model = openModel({ baseUrl: `http://${host}/v1`, name: "m", apiKey: "sk-test" }, { http: httpClient });
    const failure = await failureOf(requestTurn(model, { prompt: userPrompt }, { onDelta: () => {} }));
    http.closeAllConnections();
    http.close();
    expect(failure.message).toContain("the key [redacted] is used up");
    expect(failure.reason).toBe("provider_error");
  });

  test("has the same ids every time, built from the turn if there are none or they are already taken", async () => {
    const calls = {
      toolCalls: [
        { name: "search", id: "x" },
        { name: "search", id: "x" },
        { name: "search", id: " " },
      ],
    };
    const model = scriptedModel(() => calls);
    const ids = async (prompt: LanguageModelV4Prompt, turn?: string): Promise<string[]> =>
      toolCallsOf(await requestTurn(model, { prompt }, { turn })).map(({ id }) => id);
    expect(await ids(userPrompt)).toEqual(["x", "call_0_1", "call_0_2"]);
    expect(await ids(userPrompt)).toEqual(["x", "call_0_1", "call_0_2"]);
    const first = await requestTurn(model, { prompt: userPrompt });
    const later = [...userPrompt, toAssistantMessage(first), results(first)];
    expect(await ids(later)).toEqual(["call_1_0", "call_1_1", "call_1_2"]);
    expect(await ids(JSON.parse(JSON.stringify(later)) as typeof later, "plan")).toEqual([
      "call_plan_0",
      "call_plan_1",
      "call_plan_2",
    ]);
    // Another conversation with the same beginning does not see this one.
    expect(await ids(userPrompt)).toEqual(["x", "call_0_1", "call_0_2"]);
  });

  test.each(all)("a response that is an object is requested over the wire of %s", async (family) => {
    const schema = fromJsonSchema<{ score: number }>({
      type: "object",
      properties: { score: { type: "number" } },
      required: ["score"],
    });
    const { model, server } = await served(family, ["not yet", { score: 7 }]);
    expect((await generateObject(model, { schema, prompt: "?" })).object).toEqual({ score: 7 });
    server.assertComplete();
  });
});

describe("errors of servers of the OpenAI protocol", () => {
  const two = {
    toolCalls: [
      { name: "search", args: { query: "a" } },
      { name: "search", args: { query: "b" } },
    ],
  };

  test.each([
    ["ids are missing", { omit: ["id"] as const }],
    ["indexes are missing", { omit: ["index"] as const }],
    ["both are missing", { omit: ["id", "index"] as const }],
    ["arguments are objects", { arguments: "object" as const }],
    ["bytes come one by one", { packetBytes: 1 }],
  ])("is repaired: %s", async (_, wire) => {
    for (const onDelta of [undefined, () => {}]) {
      const { model, server } = await served("openai", [{ ...two, wire }, { ...two, wire }, "Noon."]);
      const first = await requestTurn(model, { prompt: userPrompt, tools }, { onDelta });
      expect(toolCallsOf(first).map(({ input, broken }) => [JSON.parse(input), broken])).toEqual([
        [{ query: "a" }, undefined],
        [{ query: "b" }, undefined],
      ]);
      const prompt = [...userPrompt, toAssistantMessage(first), results(first)];
      const second = await requestTurn(model, { prompt, tools }, { onDelta });
      const ids = [...toolCallsOf(first), ...toolCallsOf(second)].map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
      await requestTurn(
        model,
        { prompt: [...prompt, toAssistantMessage(second), results(second)], tools },
        { onDelta },
      );
      server.assertComplete();
    }
  });

  test.each(["empty", "absent"] as const)("is repaired: %s arguments become an empty object", async (missing) => {
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served("openai", [{ toolCalls: [{ name: "search" }], wire: { arguments: missing } }]);
      const turn = await requestTurn(model, { prompt: userPrompt, tools }, { onDelta });
      expect(toolCallsOf(turn)).toMatchObject([{ name: "search", input: "{}" }]);
      expect(toolCallsOf(turn)[0]).not.toHaveProperty("broken");
    }
  });

  test.each([1, 2, 3, 7, 100])(
    "thinking in tags is separated from text, %i characters at a time",
    async (chunkChars) => {
      const answer = {
        thinking: "I <b>look</b>.",
        text: "High water is at noon.",
        wire: { thinkTags: true, chunkChars },
      };
      for (const name of ["glm-5", "some-model"]) {
        const { model } = await served("openai", [answer, answer], { name });
        const deltas: TurnDelta[] = [];
        const streamed = await requestTurn(model, { prompt: userPrompt }, { onDelta: (delta) => deltas.push(delta) });
        expect(heard(deltas)).toMatchObject({ thinking: "I <b>look</b>.", text: "High water is at noon." });
        const whole = await requestTurn(model, { prompt: userPrompt });
        expect(whole.content).toEqual(streamed.content);
        expect(whole.content.map(({ type }) => type)).toEqual(["reasoning", "text"]);
      }
    },
  );

  test.each([
    "In HTML write </think> to close it.",
    "`</think>` ends the block that <think> begins.\n",
    "The tags are:\n</think>\n\nand others.",
    "A template:\n```\nDone.\n</think>\n\n{{ text }}\n```\nThat is all.",
    "思考块需要结束标签。</think>是结束标签。",
    "First <think>\nand then\n</think>\nas its end.",
    "It ends with this.\n</think>\n",
    "</think>",
    "It is </thinking>.\n\nNot </think>.",
  ])("[H3] a text that mentions a thinking tag arrives complete, streamed and at once: %j", async (text) => {
    for (const name of ["glm-5", "deepseek-reasoner"]) {
      for (const chunkChars of [1, 7, 1_000]) {
        const response = { text, wire: { chunkChars } };
        const { model } = await served("openai", [response, response], { name });
        const deltas: TurnDelta[] = [];
        await requestTurn(model, { prompt: userPrompt }, { onDelta: (delta) => deltas.push(delta) });
        expect(heard(deltas)).toMatchObject({ text, thinking: "" });
        expect(textOfTurn(await requestTurn(model, { prompt: userPrompt }))).toBe(text);
      }
    }
  });

  test.each([1, 7, 1_000])(
    "[E14] [H3] streamed text is never revoked; only a model that always thinks is waited for, %i characters at a time",
    async (chunkChars) => {
      const answer = { text: "I look.\n</think>\n\nNoon.", wire: { chunkChars } };
      const content: string[] = [];
      for (const name of ["glm-5", "deepseek-reasoner"]) {
        const { model } = await served("openai", [answer, answer], { name });
        expect(textOfTurn(await requestTurn(model, { prompt: userPrompt }))).toBe("Noon.");
        const deltas: TurnDelta[] = [];
        await requestTurn(model, { prompt: userPrompt }, { onDelta: (delta) => deltas.push(delta) });
        expect(deltas).not.toContainEqual({ kind: "restart" });
        content.push(heard(deltas).text);
      }
      expect(content).toEqual([chunkChars === 1_000 ? "Noon." : answer.text, "Noon."]);
    },
  );

  test.each([true, "Assistant:", "<|im_start|>assistant", "<|assistant|>"])(
    "a leaked role is removed: %j",
    async (leakedRole) => {
      for (const onDelta of [undefined, () => {}]) {
        const { model } = await served("openai", [
          { text: "As always, at noon.", wire: { leakedRole, chunkChars: 2 } },
        ]);
        expect(textOfTurn(await requestTurn(model, { prompt: userPrompt }, { onDelta }))).toBe("As always, at noon.");
      }
    },
  );

  test.each(["{", '{"query": "tides"', "tides", "[1]", "nul", '{"a":1}{"a":2}'])(
    "a call whose arguments are not an object does not run: %j",
    async (argumentsText) => {
      const { model } = await served("openai", [{ toolCalls: [{ name: "search", argumentsText }] }, "Noon."]);
      const turn = await requestTurn(model, { prompt: userPrompt, tools });
      expect(toolCallsOf(turn)).toMatchObject([{ input: argumentsText, broken: "unparsable" }]);
      await requestTurn(model, { prompt: [...userPrompt, toAssistantMessage(turn), results(turn)], tools });
    },
  );

  test("arguments that were encoded as JSON twice are decoded", async () => {
    const argumentsText = JSON.stringify(JSON.stringify({ query: "tides" }));
    const { model } = await served("openai", [{ toolCalls: [{ name: "search", argumentsText }] }]);
    expect(toolCallsOf(await requestTurn(model, { prompt: userPrompt, tools }))).toMatchObject([
      { input: '{"query":"tides"}' },
    ]);
  });

  test("tokens that the server did not count are estimated and marked as estimated", async () => {
    const { model } = await served("openai", [{ text: "Noon.", usage: null }]);
    expect((await requestTurn(model, { prompt: userPrompt })).usage).toMatchObject({ estimated: true });
  });
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError, systemClock } from "../../base/index.ts";
import { type Door, createDoor } from "../../net/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import {
  type Model,
  type ModelSettings,
  type ModelTurn,
  type TurnDelta,
  askTurn,
  generateObject,
  openModel,
  scriptedModel,
  textOfTurn,
  toAssistantMessage,
  toolCallsOf,
} from "../index.ts";
import { type ModelServer, type ModelServerOptions, modelServer } from "../kit/server/model-server.ts";

const opened: (Door | ModelServer)[] = [];
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
  const door = createDoor({ allow: [server.host] });
  opened.push(server, door);
  const baseUrl = server.baseUrls[family];
  return { server, model: openModel({ ...families[family], baseUrl, apiKey: "sk-test", ...settings }, { door }) };
}

const question: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "When is high water?" }] }];
const tools = [
  {
    type: "function" as const,
    name: "search",
    description: "Searches.",
    inputSchema: { type: "object" as const, properties: { query: { type: "string" as const } } },
  },
];

/** Little waiting between attempts. */
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

/** What a listener knows after all deltas. */
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
    "[E12] keeps ids, thoughts and signatures as the service wants them: %s",
    async (how) => {
      const { server, model } = await served(family, script, {
        thinking: "low",
        temperature: 0.3,
        server: { reasoningEchoed: true },
      });
      const deltas: TurnDelta[] = [];
      const options = how === "streamed" ? { onDelta: (delta: TurnDelta) => deltas.push(delta) } : {};
      const prompt = [...question];
      let turn = await askTurn(model, { prompt, tools }, options);
      while (toolCallsOf(turn).length > 0) {
        prompt.push(toAssistantMessage(turn), results(turn));
        // A run keeps its turns as JSON.
        turn = await askTurn(model, { prompt: JSON.parse(JSON.stringify(prompt)) as typeof prompt, tools }, options);
      }
      server.assertComplete();
      expect(textOfTurn(turn)).toBe("High water is at noon.");
      expect(turn).toMatchObject({ finishReason: "stop", modelId: families[family].name, provider: server.host });
      const told = { text: "High water is at noon.", thinking: "I have to look.Once more.Now I know." };
      const calls = ["search", "search", "search"];
      expect(heard(deltas)).toEqual(how === "streamed" ? { ...told, calls } : { text: "", thinking: "", calls: [] });
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
  ])("is asked again from the start where %s", async (_, broken) => {
    const { server, model } = await served(family, [broken, "Noon."]);
    const deltas: TurnDelta[] = [];
    const turn = await askTurn(model, { prompt: question }, { ...quick, onDelta: (delta) => deltas.push(delta) });
    expect(textOfTurn(turn)).toBe("Noon.");
    expect(heard(deltas).text).toBe("Noon.");
    const told = deltas.filter(({ kind }) => kind !== "wait");
    const restarts = told.filter(({ kind }) => kind === "restart").length;
    expect(restarts).toBe(told.length > 1 ? 1 : 0);
    expect(server.requests).toHaveLength(2);
  });

  test("has its arguments whole or not at all: what the limit of tokens cut is never run", async () => {
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served(family, [{ ...call, finishReason: "length", wire: { cutArguments: true } }]);
      const turn = await askTurn(model, { prompt: question, tools }, { onDelta });
      expect(turn.finishReason).toBe("length");
      for (const each of toolCallsOf(turn)) expect(each.broken).toBe("cut");
      // It can be sent back all the same.
      expect(() => toAssistantMessage(turn)).not.toThrow();
    }
  });

  test("that is busy first is waited for; one that stays busy fails with its reason", async () => {
    const busy = { status: 429, retryAfter: 0 };
    const { model } = await served(family, [busy, { status: 529 }, "Noon."]);
    const waits: TurnDelta[] = [];
    const onDelta = (delta: TurnDelta) => delta.kind === "wait" && waits.push(delta);
    expect(textOfTurn(await askTurn(model, { prompt: question }, { ...quick, onDelta }))).toBe("Noon.");
    const wait = { kind: "wait", ms: expect.any(Number), reason: "rate_limited" };
    expect(waits).toEqual([wait, wait]);
    const other = await served(family, [busy, busy, busy]);
    expect(await failureOf(askTurn(other.model, { prompt: question }, quick))).toMatchObject({
      reason: "rate_limited",
    });
  });

  test("that falls silent is left, and so is one that nobody wants any more", async () => {
    const silent = { text: "High water is at noon, and again.", wire: { hangAtChunk: 6, chunkChars: 2 } };
    const { model, server } = await served(family, [silent, silent]);
    const late = askTurn(model, { prompt: question }, { onDelta: () => {}, idleMs: 40 });
    expect(await failureOf(late)).toMatchObject({ code: "timeout" });
    const cancel = new AbortController();
    const left = askTurn(model, { prompt: question }, { onDelta: () => cancel.abort(), signal: cancel.signal });
    expect(await failureOf(left)).toMatchObject({ code: "cancelled" });
    await expect.poll(() => server.requests.map(({ outcome }) => outcome)).toEqual(["left", "left"]);
  });

  test("counts what was used, with what was cached and thought, and what it cost", async () => {
    const usage = { inputTokens: 1000, outputTokens: 200, cachedTokens: 400, reasoningTokens: 50 };
    const price = { input: 2, output: 10, cached: 0.5 };
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served(family, [{ text: "Noon.", usage }], { price });
      const turn = await askTurn(model, { prompt: question }, { onDelta });
      expect(turn.usage).toMatchObject({ inputTokens: 1000, outputTokens: 200, cachedTokens: 400 });
      expect(turn.usage.cost).toBeCloseTo((600 * 2 + 400 * 0.5 + 200 * 10) / 1e6, 12);
      expect(turn.usage).not.toHaveProperty("estimated");
    }
  });

  test("never shows the key, whoever quotes it", async () => {
    const quoting = { status: 401, message: "sk-test is wrong" };
    const { model } = await served(family, [quoting]);
    const failure = await failureOf(askTurn(model, { prompt: question }));
    expect(failure.reason).toBe("unauthorized");
    expect(JSON.stringify(failure)).not.toContain("sk-test");
  });
});

describe("an answer", () => {
  test("is not broken by a listener that throws, nor asked for again", async () => {
    const { model, server } = await served("openai", ["Noon."]);
    const turn = await askTurn(
      model,
      { prompt: question },
      {
        onDelta: () => {
          throw new Error("mine");
        },
      },
    );
    expect(textOfTurn(turn)).toBe("Noon.");
    server.assertComplete();
  });

  test("that tells of the key in the middle of its stream does not bring it into a failure", async () => {
    const http = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('data: {"error":{"message":"the key sk-test is used up","type":"invalid_request_error"}}\n\n');
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
    const door = createDoor({ allow: [host] });
    opened.push(door);
    const model = openModel({ baseUrl: `http://${host}/v1`, name: "m", apiKey: "sk-test" }, { door });
    const failure = await failureOf(askTurn(model, { prompt: question }, { onDelta: () => {} }));
    http.closeAllConnections();
    http.close();
    expect(failure.message).toContain("the key [redacted] is used up");
    expect(failure.reason).toBe("provider_error");
  });

  test("has the same ids every time, made of the turn where none came or where they came before", async () => {
    const calls = {
      toolCalls: [
        { name: "search", id: "x" },
        { name: "search", id: "x" },
        { name: "search", id: " " },
      ],
    };
    const model = scriptedModel(() => calls);
    const ids = async (prompt: LanguageModelV4Prompt, turn?: string): Promise<string[]> =>
      toolCallsOf(await askTurn(model, { prompt }, { turn })).map(({ id }) => id);
    expect(await ids(question)).toEqual(["x", "call_0_1", "call_0_2"]);
    expect(await ids(question)).toEqual(["x", "call_0_1", "call_0_2"]);
    const first = await askTurn(model, { prompt: question });
    const later = [...question, toAssistantMessage(first), results(first)];
    expect(await ids(later)).toEqual(["call_1_0", "call_1_1", "call_1_2"]);
    expect(await ids(JSON.parse(JSON.stringify(later)) as typeof later, "plan")).toEqual([
      "call_plan_0",
      "call_plan_1",
      "call_plan_2",
    ]);
    // Another conversation that begins alike knows nothing of this one.
    expect(await ids(question)).toEqual(["x", "call_0_1", "call_0_2"]);
  });

  test.each(all)("that is an object is asked for over the wire of %s", async (family) => {
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

describe("what servers of the OpenAI protocol get wrong", () => {
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
  ])("is mended: %s", async (_, wire) => {
    for (const onDelta of [undefined, () => {}]) {
      const { model, server } = await served("openai", [{ ...two, wire }, { ...two, wire }, "Noon."]);
      const first = await askTurn(model, { prompt: question, tools }, { onDelta });
      expect(toolCallsOf(first).map(({ input, broken }) => [JSON.parse(input), broken])).toEqual([
        [{ query: "a" }, undefined],
        [{ query: "b" }, undefined],
      ]);
      const prompt = [...question, toAssistantMessage(first), results(first)];
      const second = await askTurn(model, { prompt, tools }, { onDelta });
      const ids = [...toolCallsOf(first), ...toolCallsOf(second)].map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
      await askTurn(model, { prompt: [...prompt, toAssistantMessage(second), results(second)], tools }, { onDelta });
      server.assertComplete();
    }
  });

  test.each(["empty", "absent"] as const)("is mended: %s arguments are none", async (missing) => {
    for (const onDelta of [undefined, () => {}]) {
      const { model } = await served("openai", [{ toolCalls: [{ name: "search" }], wire: { arguments: missing } }]);
      const turn = await askTurn(model, { prompt: question, tools }, { onDelta });
      expect(toolCallsOf(turn)).toMatchObject([{ name: "search", input: "{}" }]);
      expect(toolCallsOf(turn)[0]).not.toHaveProperty("broken");
    }
  });

  test.each([1, 2, 3, 7, 100])("thinking in tags is told from text, %i characters at a time", async (chunkChars) => {
    const answer = {
      thinking: "I <b>look</b>.",
      text: "High water is at noon.",
      wire: { thinkTags: true, chunkChars },
    };
    for (const name of ["glm-5", "some-model"]) {
      const { model } = await served("openai", [answer, answer], { name });
      const deltas: TurnDelta[] = [];
      const streamed = await askTurn(model, { prompt: question }, { onDelta: (delta) => deltas.push(delta) });
      expect(heard(deltas)).toMatchObject({ thinking: "I <b>look</b>.", text: "High water is at noon." });
      const whole = await askTurn(model, { prompt: question });
      expect(whole.content).toEqual(streamed.content);
      expect(whole.content.map(({ type }) => type)).toEqual(["reasoning", "text"]);
    }
  });

  test.each([true, "Assistant:", "<|im_start|>assistant", "<|assistant|>"])(
    "a leaked role is left out: %j",
    async (leakedRole) => {
      for (const onDelta of [undefined, () => {}]) {
        const { model } = await served("openai", [
          { text: "As always, at noon.", wire: { leakedRole, chunkChars: 2 } },
        ]);
        expect(textOfTurn(await askTurn(model, { prompt: question }, { onDelta }))).toBe("As always, at noon.");
      }
    },
  );

  test.each(["{", '{"query": "tides"', "tides", "[1]", "nul", '{"a":1}{"a":2}'])(
    "arguments that are no object are not run: %j",
    async (argumentsText) => {
      const { model } = await served("openai", [{ toolCalls: [{ name: "search", argumentsText }] }, "Noon."]);
      const turn = await askTurn(model, { prompt: question, tools });
      expect(toolCallsOf(turn)).toMatchObject([{ input: argumentsText, broken: "unparsable" }]);
      await askTurn(model, { prompt: [...question, toAssistantMessage(turn), results(turn)], tools });
    },
  );

  test("arguments that were written as JSON twice are what they are", async () => {
    const argumentsText = JSON.stringify(JSON.stringify({ query: "tides" }));
    const { model } = await served("openai", [{ toolCalls: [{ name: "search", argumentsText }] }]);
    expect(toolCallsOf(await askTurn(model, { prompt: question, tools }))).toMatchObject([
      { input: '{"query":"tides"}' },
    ]);
  });

  test("tokens that nobody counted are estimated, which is said", async () => {
    const { model } = await served("openai", [{ text: "Noon.", usage: null }]);
    expect((await askTurn(model, { prompt: question })).usage).toMatchObject({ estimated: true });
  });
});

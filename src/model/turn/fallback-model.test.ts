import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import {
  type Model,
  type ModelTurn,
  type TurnDelta,
  requestTurn,
  fallbackModel,
  generateObject,
  generateText,
  openModel,
  textOfTurn,
  toAssistantMessage,
  toolCallsOf,
} from "../index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { type ModelServer, type ModelServerResponse, modelServer } from "../../testing/model/server/model-server.ts";

const opened: (HttpClient | ModelServer)[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const clients = {
  gpt: ["openai", "openai-compatible", "gpt-4o"],
  reasoning: ["openai", "openai-compatible", "deepseek-chat"],
  claude: ["anthropic", "anthropic", "claude-sonnet-4-5"],
  gemini: ["gemini", "google", "gemini-3-pro-preview"],
} as const;
type Name = keyof typeof clients;

async function at(name: Name, script: readonly ModelServerResponse[]): Promise<{ model: Model; server: ModelServer }> {
  const [wire, provider, modelId] = clients[name];
  const server = await modelServer(script, { reasoningEchoed: name === "reasoning" });
  const http = createHttpClient({ allow: [server.host] });
  opened.push(server, http);
  const thinking = name === "gpt" ? {} : { thinking: "low" as const };
  return {
    server,
    model: openModel({ provider, name: modelId, baseUrl: server.baseUrls[wire], ...thinking }, { http }),
  };
}

const userPrompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
const tools = [{ type: "function" as const, name: "search", inputSchema: { type: "object" as const } }];
const quick = {
  random: () => 0,
  clock: { ...systemClock, after: (ms: number, task: () => void) => systemClock.after(ms / 50, task) },
};

function answered(turn: ModelTurn): LanguageModelV4Prompt {
  const content = toolCallsOf(turn).map(({ id, name }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: { type: "text" as const, value: "noon" },
  }));
  return [toAssistantMessage(turn), { role: "tool", content }];
}

describe("a fallback chain", () => {
  test("the next model is tried if one fails permanently, and the response says so", async () => {
    const first = await at("gpt", [{ status: 401, message: "no" }]);
    const second = await at("claude", ["Noon."]);
    const turn = await requestTurn(fallbackModel([first.model, second.model]), { prompt: userPrompt });
    expect(textOfTurn(turn)).toBe("Noon.");
    expect(turn).toMatchObject({
      modelId: "claude-sonnet-4-5",
      family: "claude",
      failedModels: [{ modelId: "gpt-4o", failure: { reason: "unauthorized" } }],
    });
    expect(() => JSON.stringify(turn)).not.toThrow();
  });

  test("a busy model is retried before the next one is tried, unless it requires too long a wait", async () => {
    const busy = { status: 429, retryAfter: 0 };
    const first = await at("gpt", [busy, busy, busy]);
    const second = await at("gpt", ["Noon."]);
    await requestTurn(fallbackModel([first.model, second.model]), { prompt: userPrompt }, quick);
    expect(first.server.requests).toHaveLength(3);
    const patient = await at("gpt", [{ status: 429, retryAfter: 60 }]);
    const other = await at("gpt", ["Noon."]);
    const began = performance.now();
    await requestTurn(fallbackModel([patient.model, other.model]), { prompt: userPrompt });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("a failed model is tried after the others during its cool-down", async () => {
    let elapsed = 0;
    const clock = { ...systemClock, elapsed: () => elapsed };
    const first = scriptedModel([new Error("broken"), "first"]);
    const second = scriptedModel(["second", "second again"]);
    const model = fallbackModel([first, second], clock);
    expect((await generateText(model, { prompt: "?" })).text).toBe("second");
    expect((await generateText(model, { prompt: "?" })).text).toBe("second again");
    expect(first.calls).toHaveLength(1);
    elapsed += 40_000;
    expect((await generateText(model, { prompt: "?" })).text).toBe("first");
  });

  test("deltas of a broken stream are revoked before the next model responds", async () => {
    const cut = { text: "High water is at noon.", wire: { cut: { chunk: 3 } } };
    const first = await at("gpt", [cut, cut, cut]);
    const second = await at("gemini", ["Noon."]);
    const deltas: TurnDelta[] = [];
    await requestTurn(
      fallbackModel([first.model, second.model]),
      { prompt: userPrompt },
      { ...quick, onDelta: (delta) => deltas.push(delta) },
    );
    const restart = deltas.findLastIndex(({ kind }) => kind === "restart");
    expect(restart).toBeGreaterThan(0);
    expect(deltas.slice(restart + 1).map((delta) => ("text" in delta ? delta.text : ""))).toEqual(["Noon."]);
  });

  test("if all fail, the failure is that of the last; a cancelled request goes to no other model", async () => {
    const [a, b] = [scriptedModel([new Error("a broke")]), scriptedModel([new Error("b broke"), "never"])];
    await expect(requestTurn(fallbackModel([a, b]), { prompt: userPrompt })).rejects.toThrow("b broke");
    const cancel = new AbortController();
    const hangs = scriptedModel(() => new Promise<string>(() => cancel.abort()));
    const other = scriptedModel(["never"]);
    const requested = requestTurn(fallbackModel([hangs, other]), { prompt: userPrompt }, { signal: cancel.signal });
    await expect(requested).rejects.toMatchObject({ code: "cancelled" });
    expect(other.calls).toHaveLength(0);
  });

  test("a model that times out leaves the rest of the time to the next", async () => {
    const { server } = await at("gpt", [{ hang: true }]);
    const hanging = openModel(
      { name: "gpt-4o", baseUrl: server.baseUrls.openai, timeoutMs: 50 },
      { http: httpTo(server) },
    );
    const turn = await requestTurn(fallbackModel([hanging, scriptedModel(["Noon."])]), { prompt: userPrompt });
    expect(turn.failedModels).toMatchObject([{ failure: { code: "timeout" } }]);
  });

  test("objects are requested in the same way", async () => {
    const schema = fromJsonSchema<{ score: number }>({ type: "object", properties: { score: { type: "number" } } });
    const model = fallbackModel([scriptedModel([new Error("broken")]), scriptedModel([{ score: 7 }])]);
    expect((await generateObject(model, { schema, prompt: "?" })).object).toEqual({ score: 7 });
  });

  test("a fallback chain responds as a model of the AI SDK, too, as a whole and as a stream", async () => {
    const model = fallbackModel([
      scriptedModel([new Error("broken"), new Error("broken")]),
      scriptedModel(["Noon.", "Noon."]),
    ]);
    expect((await model.doGenerate({ prompt: userPrompt })).content).toEqual([{ type: "text", text: "Noon." }]);
    expect((await model.doStream({ prompt: userPrompt })).stream).toBeInstanceOf(ReadableStream);
  });

  function httpTo(server: ModelServer): HttpClient {
    const http = createHttpClient({ allow: [server.host] });
    opened.push(http);
    return http;
  }
});

describe("a conversation that one family began", () => {
  const names = Object.keys(clients) as Name[];
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)("continues with another family: from %s to %s and back", async (from, to) => {
    const call = (name: Name): ModelServerResponse => ({
      toolCalls: [{ name: "search", args: { query: "tides" }, id: `call_of_${name}` }],
      ...(name !== "gpt" && { thinking: "I look." }),
    });
    const first = await at(from, [call(from), "Back again."]);
    const second = await at(to, [call(to), "Noon."]);
    const begun = await requestTurn(first.model, { prompt: userPrompt, tools });
    const prompt = [...userPrompt, ...answered(begun)];
    const going = await requestTurn(second.model, { prompt, tools });
    prompt.push(...answered(going));
    expect(textOfTurn(await requestTurn(second.model, { prompt, tools }))).toBe("Noon.");
    expect(textOfTurn(await requestTurn(first.model, { prompt, tools }))).toBe("Back again.");
    first.server.assertComplete();
    second.server.assertComplete();
    // Signatures of the first service must not reach another one.
    const signed = JSON.stringify(begun.content).match(/ignature":"[^"]+/g) ?? [];
    expect(signed.length > 0).toBe(from === "claude" || from === "gemini");
    for (const signature of signed) expect(JSON.stringify(second.server.requests)).not.toContain(signature);
    // It rejects further thinking after calls without its own thinking, and accepts it again after its own.
    const thinks = second.server.requests.map(({ body }) => (body["thinking"] as { type?: string } | undefined)?.type);
    expect(to === "claude" ? thinks : ["disabled", "enabled"]).toEqual(["disabled", "enabled"]);
  });
});

describe("[N09] the cost of a fallback chain", () => {
  const priced = (price: Model["price"]): Model => Object.assign(scriptedModel(["yes"]), { price });

  test("is at most that of its most expensive model", () => {
    const { price } = fallbackModel([
      priced({ input: 1, output: 10 }),
      priced({ input: 0, output: 0 }),
      priced({ input: 3, output: 2 }),
    ]);
    expect(price).toEqual({ input: 3, output: 10 });
  });

  test("is unknown if one of them has no price", () => {
    expect(fallbackModel([priced({ input: 1, output: 10 }), priced(undefined)]).price).toBeUndefined();
  });
});

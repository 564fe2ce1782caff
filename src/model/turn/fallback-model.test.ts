import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../base/index.ts";
import { type Door, createDoor } from "../net/index.ts";
import {
  type Model,
  type ModelTurn,
  type TurnDelta,
  askTurn,
  fallbackModel,
  generateObject,
  generateText,
  openModel,
  scriptedModel,
  textOfTurn,
  toAssistantMessage,
  toolCallsOf,
} from "./index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type ModelServer, type ServerAnswer, modelServer } from "./kit/server/model-server.ts";

const opened: (Door | ModelServer)[] = [];
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

async function at(name: Name, script: readonly ServerAnswer[]): Promise<{ model: Model; server: ModelServer }> {
  const [wire, provider, modelId] = clients[name];
  const server = await modelServer(script, { reasoningEchoed: name === "reasoning" });
  const door = createDoor({ allow: [server.host] });
  opened.push(server, door);
  const thinking = name === "gpt" ? {} : { thinking: "low" as const };
  return {
    server,
    model: openModel({ provider, name: modelId, baseUrl: server.baseUrls[wire], ...thinking }, { door }),
  };
}

const question: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
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

describe("models behind each other", () => {
  test("the next is asked where one fails for good, and the answer says so", async () => {
    const first = await at("gpt", [{ status: 401, message: "no" }]);
    const second = await at("claude", ["Noon."]);
    const turn = await askTurn(fallbackModel([first.model, second.model]), { prompt: question });
    expect(textOfTurn(turn)).toBe("Noon.");
    expect(turn).toMatchObject({
      modelId: "claude-sonnet-4-5",
      family: "claude",
      instead: [{ modelId: "gpt-4o", failure: { reason: "unauthorized" } }],
    });
    expect(() => JSON.stringify(turn)).not.toThrow();
  });

  test("a busy one is asked again before the next is, unless it asks for too much patience", async () => {
    const busy = { status: 429, retryAfter: 0 };
    const first = await at("gpt", [busy, busy, busy]);
    const second = await at("gpt", ["Noon."]);
    await askTurn(fallbackModel([first.model, second.model]), { prompt: question }, quick);
    expect(first.server.requests).toHaveLength(3);
    const patient = await at("gpt", [{ status: 429, retryAfter: 60 }]);
    const other = await at("gpt", ["Noon."]);
    const began = performance.now();
    await askTurn(fallbackModel([patient.model, other.model]), { prompt: question });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("who failed is asked after the others for a while", async () => {
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

  test("what a broken stream told is taken back before the next one speaks", async () => {
    const cut = { text: "High water is at noon.", wire: { cut: { chunk: 3 } } };
    const first = await at("gpt", [cut, cut, cut]);
    const second = await at("gemini", ["Noon."]);
    const deltas: TurnDelta[] = [];
    await askTurn(
      fallbackModel([first.model, second.model]),
      { prompt: question },
      { ...quick, onDelta: (delta) => deltas.push(delta) },
    );
    const restart = deltas.findLastIndex(({ kind }) => kind === "restart");
    expect(restart).toBeGreaterThan(0);
    expect(deltas.slice(restart + 1).map((delta) => ("text" in delta ? delta.text : ""))).toEqual(["Noon."]);
  });

  test("where all fail, the last says why; a cancelled question goes to nobody else", async () => {
    const [a, b] = [scriptedModel([new Error("a broke")]), scriptedModel([new Error("b broke"), "never"])];
    await expect(askTurn(fallbackModel([a, b]), { prompt: question })).rejects.toThrow("b broke");
    const cancel = new AbortController();
    const hangs = scriptedModel(() => new Promise<string>(() => cancel.abort()));
    const other = scriptedModel(["never"]);
    const asked = askTurn(fallbackModel([hangs, other]), { prompt: question }, { signal: cancel.signal });
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    expect(other.calls).toHaveLength(0);
  });

  test("a model that takes too long leaves the rest of the time to the next", async () => {
    const { server } = await at("gpt", [{ hang: true }]);
    const hanging = openModel(
      { name: "gpt-4o", baseUrl: server.baseUrls.openai, timeoutMs: 50 },
      { door: doorTo(server) },
    );
    const turn = await askTurn(fallbackModel([hanging, scriptedModel(["Noon."])]), { prompt: question });
    expect(turn.instead).toMatchObject([{ failure: { code: "timeout" } }]);
  });

  test("objects are asked for in the same way", async () => {
    const schema = fromJsonSchema<{ score: number }>({ type: "object", properties: { score: { type: "number" } } });
    const model = fallbackModel([scriptedModel([new Error("broken")]), scriptedModel([{ score: 7 }])]);
    expect((await generateObject(model, { schema, prompt: "?" })).object).toEqual({ score: 7 });
  });

  test("as a model of the AI SDK it answers too, at once and in a stream", async () => {
    const model = fallbackModel([
      scriptedModel([new Error("broken"), new Error("broken")]),
      scriptedModel(["Noon.", "Noon."]),
    ]);
    expect((await model.doGenerate({ prompt: question })).content).toEqual([{ type: "text", text: "Noon." }]);
    expect((await model.doStream({ prompt: question })).stream).toBeInstanceOf(ReadableStream);
  });

  function doorTo(server: ModelServer): Door {
    const door = createDoor({ allow: [server.host] });
    opened.push(door);
    return door;
  }
});

describe("a conversation that one family began", () => {
  const names = Object.keys(clients) as Name[];
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(pairs)("goes on with another: from %s to %s and back", async (from, to) => {
    const call = (name: Name): ServerAnswer => ({
      toolCalls: [{ name: "search", args: { query: "tides" }, id: `call_of_${name}` }],
      ...(name !== "gpt" && { thinking: "I look." }),
    });
    const first = await at(from, [call(from), "Back again."]);
    const second = await at(to, [call(to), "Noon."]);
    const begun = await askTurn(first.model, { prompt: question, tools });
    const prompt = [...question, ...answered(begun)];
    const going = await askTurn(second.model, { prompt, tools });
    prompt.push(...answered(going));
    expect(textOfTurn(await askTurn(second.model, { prompt, tools }))).toBe("Noon.");
    expect(textOfTurn(await askTurn(first.model, { prompt, tools }))).toBe("Back again.");
    first.server.assertComplete();
    second.server.assertComplete();
    // What the first service signed is nobody else's business.
    const signed = JSON.stringify(begun.content).match(/ignature":"[^"]+/g) ?? [];
    expect(signed.length > 0).toBe(from === "claude" || from === "gemini");
    for (const signature of signed) expect(JSON.stringify(second.server.requests)).not.toContain(signature);
    // It would refuse to think on from calls that it has not thought about, and does again from its own.
    const thinks = second.server.requests.map(({ body }) => (body["thinking"] as { type?: string } | undefined)?.type);
    expect(to === "claude" ? thinks : ["disabled", "enabled"]).toEqual(["disabled", "enabled"]);
  });
});

describe("[N09] what several models cost", () => {
  const priced = (price: Model["price"]): Model => Object.assign(scriptedModel(["yes"]), { price });

  test("is at most what the dearest of them costs", () => {
    const { price } = fallbackModel([
      priced({ input: 1, output: 10 }),
      priced({ input: 0, output: 0 }),
      priced({ input: 3, output: 2 }),
    ]);
    expect(price).toEqual({ input: 3, output: 10 });
  });

  test("is not known where nobody says it of one", () => {
    expect(fallbackModel([priced({ input: 1, output: 10 }), priced(undefined)]).price).toBeUndefined();
  });
});

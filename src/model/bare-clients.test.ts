import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test } from "vitest";
import { isFailureError } from "../base/index.ts";
import { type Model, type ModelGenerateResult, requestTurn, textOfTurn, toolCallsOf } from "./index.ts";
import { type ModelServer, modelServer } from "../testing/model/server/model-server.ts";
import type { WireApiName } from "../testing/model/server/wire-api.ts";

const opened: ModelServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const clients: Readonly<Record<WireApiName, (baseUrls: ModelServer["baseUrls"]) => Model>> = {
  openai: ({ openai }) => createOpenAICompatible({ name: "compatible", baseURL: openai, apiKey: "sk-x" })("glm-5"),
  anthropic: ({ anthropic }) => createAnthropic({ baseURL: anthropic, apiKey: "sk-x" })("claude-sonnet-4-5"),
  gemini: ({ gemini }) => createGoogleGenerativeAI({ baseURL: gemini, apiKey: "sk-x" })("gemini-3-pro"),
};
const families = Object.keys(clients) as WireApiName[];

const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "When is high water?" }] }];
const quick = { random: () => 0 };

async function failureOf(work: Promise<unknown>): Promise<{ message: string; reason?: string; retry: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isFailureError(error)) throw new Error(`no failure: ${String(error)}`);
  const { message, reason, retry } = error.toFailure();
  return { message, retry, ...(reason !== undefined && { reason }) };
}

describe.each(families)("a client of the AI SDK that Windlass did not open (%s)", (family) => {
  test("is retried if its connection breaks in the middle of a response", async () => {
    const server = await modelServer([{ text: "at six", wire: { cut: { byte: 40 } } }, { text: "at six" }]);
    opened.push(server);
    const turn = await requestTurn(clients[family](server.baseUrls), { prompt }, quick);
    expect(textOfTurn(turn)).toBe("at six");
    expect(server.requests).toHaveLength(2);
  });

  test("may be retried if its server cannot be reached", async () => {
    const server = await modelServer([]);
    await server.close();
    const model = clients[family](server.baseUrls);
    const failure = await failureOf(requestTurn(model, { prompt }, { ...quick, maxRetries: 0 }));
    expect(failure).toMatchObject({ reason: "provider_error", retry: "safe" });
    expect(failure.message).toMatch(/cannot be reached/);
  });

  test("is not retried if the responding server is not a model server", async () => {
    let requests = 0;
    const site = createServer((_request, response) => {
      requests++;
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const model = clients[family]({ openai: url, anthropic: url, gemini: url });
    const failure = await failureOf(requestTurn(model, { prompt }, quick));
    site.close();
    expect(failure).toMatchObject({ reason: "provider_error", retry: "never" });
    expect(failure.message).toMatch(/check the base URL/);
    expect(requests).toBe(1);
  });
});

/** A model written by hand or in plain JavaScript. */
function odd(answer: unknown, more: object = {}): Model {
  const made = {
    specificationVersion: "v4",
    provider: "x",
    modelId: "odd",
    supportedUrls: {},
    doGenerate: () => Promise.resolve(answer as ModelGenerateResult),
    doStream: () => Promise.reject(new Error("it streams nothing")),
  };
  return Object.assign(made, more) as unknown as Model;
}

describe("a model that omits parts of its response", () => {
  const usage = { inputTokens: { total: 5 }, outputTokens: { total: 3 } };
  const finishReason = { unified: "stop", raw: "stop" };
  const text = { type: "text", text: "at six" };
  const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" };

  test("is accepted without a finish reason, and its calls may run", async () => {
    const turn = await requestTurn(odd({ content: [text, call], usage }), { prompt });
    expect(turn).toMatchObject({ finishReason: "other", usage: { inputTokens: 5, outputTokens: 3 } });
    expect(toolCallsOf(turn)).toEqual([{ type: "tool-call", id: "c1", name: "look", input: "{}" }]);
  });

  test.each([undefined, null, {}, { inputTokens: 4, outputTokens: null }])(
    "is accepted without usage, which is then estimated (%j)",
    async (missing) => {
      const turn = await requestTurn(odd({ content: [text], finishReason, usage: missing }), { prompt });
      expect(turn).toMatchObject({ finishReason: "stop", usage: { estimated: true } });
      expect(turn.usage.inputTokens).toBeGreaterThan(0);
      expect(turn.usage.outputTokens).toBeGreaterThan(0);
    },
  );

  test.each([{}, { content: null }, { content: "text" }, { content: [null, 7, { type: "text" }] }])(
    "is accepted without content (%j)",
    async (content) => {
      const turn = await requestTurn(odd({ ...content, finishReason, usage }), { prompt });
      expect(turn.content).toEqual([]);
    },
  );

  test.each([undefined, null, "at six"])(
    "fails with a named reason if it returns no response object (%j)",
    async (answer) => {
      const failure = await failureOf(requestTurn(odd(answer), { prompt }));
      expect(failure).toMatchObject({ reason: "provider_error", retry: "never" });
      expect(failure.message).toBe('the model "odd" returned something that is not a response of an AI SDK model');
    },
  );

  test("is accepted without them in a stream, too", async () => {
    const doStream = (): Promise<unknown> =>
      Promise.resolve({
        stream: ReadableStream.from([{ type: "text-delta", id: "1", delta: "at six" }, { type: "finish" }]),
      });
    const turn = await requestTurn(odd(undefined, { doStream }), { prompt }, { onDelta: () => {} });
    expect(turn).toMatchObject({ finishReason: "other", usage: { estimated: true } });
    expect(textOfTurn(turn)).toBe("at six");
  });
});

test.each(["v1", "v2", "v3"])(
  "a model with the older AI SDK interface %s is refused with a named reason",
  async (version) => {
    const failure = await failureOf(requestTurn(odd({}, { specificationVersion: version }), { prompt }));
    expect(failure).toMatchObject({ reason: "no_model", retry: "never" });
    expect(failure.message).toMatch(new RegExp(`the model "odd" has the interface ${version} of the AI SDK.*v4`));
  },
);

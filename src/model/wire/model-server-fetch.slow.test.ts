import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type LoopbackSite, type SiteHandler, loopbackSite } from "../../../test/support/loopback-site.ts";
import { isFailureError } from "../../base/index.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import type { ModelClient } from "../port/model-family.ts";
import { modelServer } from "../../testing/model/server/model-server.ts";
import type { WireApiName } from "../../testing/model/server/wire-api.ts";
import type { Model } from "../port/model.ts";
import { openModel } from "../open-model.ts";
import { requestTurn } from "../turn/request-turn.ts";

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  // HTTP clients close before their servers.
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const clients: readonly ModelClient[] = ["openai-compatible", "anthropic", "google"];
const everyWay = clients.flatMap((provider) => [true, false].map((streamed) => ({ provider, streamed })));
const key = "sk-secret-0123456789";

function apiOf(provider: ModelClient): WireApiName {
  return provider === "google" ? "gemini" : provider === "anthropic" ? "anthropic" : "openai";
}

function modelAt(baseUrl: string, provider: ModelClient): Model {
  const http: HttpClient = createHttpClient({ allow: [new URL(baseUrl).host] });
  opened.push(http);
  return openModel({ baseUrl, name: "qwen3", provider, apiKey: key }, { http });
}

async function siteWith(handler: SiteHandler): Promise<LoopbackSite> {
  const site = await loopbackSite(handler);
  opened.push(site);
  return site;
}

/** The failure of a request without a response. */
async function failureOf(model: Model, streamed: boolean, maxRetries = 2) {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "?" }] }];
  const limits = { maxRetries, random: () => 0, timeoutMs: 10_000 };
  const requested = requestTurn(model, { prompt }, { ...limits, ...(streamed && { onDelta: () => {} }) });
  const error: unknown = await requested.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isFailureError(error)) throw new Error(`no failure: ${String(error)}`);
  return error;
}

describe.each(everyWay)("$provider, streamed: $streamed", ({ provider, streamed }) => {
  test.each<readonly [what: string, answer: readonly [type: string, body: string], message: RegExp]>([
    ["a web page", ["text/html; charset=utf-8", "<!doctype html><h1>Welcome</h1>"], /200, text\/html, a web page/],
    ["other text", ["text/plain", "Ollama is running"], /200, text\/plain, no /],
  ])("%s at the base URL is reported as such, with the address, and is not retried", async (_, [type, body], text) => {
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const failure = await failureOf(modelAt(`${site.origin}/ui`, provider), streamed);
    expect(failure).toMatchObject({ code: "not_available", reason: "wrong_address" });
    expect(failure.message).toContain(`the server for the model "qwen3" at ${site.origin}/ui is not a model server`);
    expect(failure.message).toMatch(text);
    expect(failure.message).toMatch(/; check the base URL$/);
    expect(site.requests).toHaveLength(1);
  });

  test.each<readonly [what: string, answer: readonly [type: string, body: string], message: RegExp]>([
    ["nothing", ["text/event-stream", ""], /200, text\/event-stream, an empty body/],
    ["only comments", ["text/event-stream", ": ping\n\n: ping\n\n"], /200, text\/event-stream, no /],
    ["an error", ["application/json", `{"error":{"message":"no route for ${key}"}}`], /: no route for (?!.*sk-)/],
    ["other JSON", ["application/json", '{"hello":1}'], /200, application\/json, no /],
  ])("%s is retried, and reported with the address if it persists", async (_, [type, body], text) => {
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const failure = await failureOf(modelAt(`${site.origin}/ui`, provider), streamed, 1);
    expect(failure.toFailure()).toMatchObject({ code: "execution_error", reason: "provider_error", retry: "safe" });
    expect(failure.message).toContain(`the model "qwen3" at ${site.origin}/ui returned no model response (200, `);
    expect(failure.message).toMatch(text);
    expect(failure.message).toMatch(/; retry, and check the base URL if it happens again$/);
    expect(site.requests).toHaveLength(2);
  });

  test("arguments and schemas that contain stream: true change nothing", async () => {
    const server = await modelServer([{ text: "Played." }]);
    opened.push(server);
    const call = { toolCallId: "t1", toolName: "play" };
    const turn = await requestTurn(
      modelAt(server.baseUrls[apiOf(provider)], provider),
      {
        prompt: [
          { role: "user", content: [{ type: "text", text: "?" }] },
          { role: "assistant", content: [{ type: "tool-call", ...call, input: { stream: true } }] },
          { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: "ok" } }] },
        ],
        tools: [
          {
            type: "function",
            name: "play",
            inputSchema: { type: "object", properties: { how: { type: "object", default: { stream: true } } } },
          },
        ],
      },
      { maxRetries: 0, ...(streamed && { onDelta: () => {} }) },
    );
    expect(turn.content).toMatchObject([{ type: "text", text: "Played." }]);
  });

  test("a refused connection says what to check", async () => {
    const site = await loopbackSite(() => {});
    await site.close();
    const failure = await failureOf(modelAt(`${site.origin}/v1`, provider), streamed, 0);
    expect(failure).toMatchObject({ code: "not_available", reason: "connect_failed" });
    expect(failure.message).toMatch(/ECONNREFUSED.*; check that the server is running, and check the base URL$/);
  });

  test("https at a port that speaks http is reported as such", async () => {
    const site = await siteWith((_request, response) => void response.end("hi"));
    const failure = await failureOf(modelAt(`https://127.0.0.1:${site.port}/v1`, provider), streamed);
    expect(failure).toMatchObject({ code: "not_available", reason: "tls_failed" });
    expect(failure.message).toMatch(/WRONG_VERSION.*start the base URL with http:\/\//);
  });

  test("a port that does not speak HTTP says what to check", async () => {
    const server = createServer(
      (socket) =>
        void socket
          .end("220 mail.example.org ESMTP\r\n")
          .on("error", () => {})
          .resume(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(modelAt(`http://127.0.0.1:${port}/v1`, provider), streamed, 0);
    expect(failure.reason).toBe("bad_response");
    expect(failure.message).toMatch(/the model "qwen3" cannot be reached: .*; check the base URL/);
  });

  test("a truncated response is not reported as an unreachable server", async () => {
    const server = await modelServer([{ text: "one two three four five", wire: { cut: { chunk: 2 } } }]);
    opened.push(server);
    const failure = await failureOf(modelAt(server.baseUrls[apiOf(provider)], provider), streamed, 0);
    expect(failure.message).toMatch(/stopped in the middle of its response|returned no complete response/);
    expect(failure.message).not.toContain("cannot be reached");
    expect(failure.message).toMatch(/; retry/);
  });
});

test.each(clients)("%s: an event that arrives in chunks is read as one", async (provider) => {
  const server = await modelServer([{ text: "High water is at noon.", wire: { packetBytes: 1 } }]);
  opened.push(server);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "?" }] }];
  const turn = await requestTurn(
    modelAt(server.baseUrls[apiOf(provider)], provider),
    { prompt },
    { onDelta: () => {} },
  );
  expect(turn.content).toMatchObject([{ type: "text", text: "High water is at noon." }]);
});

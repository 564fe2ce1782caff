import { afterEach, describe, expect, test } from "vitest";
import { type ServerAnswer, openAiServer } from "../../test/support/openai-server.ts";
import { isFailureError } from "../base/index.ts";
import { type HttpClient, createHttpClient } from "../net/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type Model, type ModelSettings, generateObject, generateText, openModel } from "./index.ts";

const httpClients: HttpClient[] = [];
afterEach(async () => {
  for (const http of httpClients.splice(0)) await http.close();
});

function opened(allow: readonly string[]): HttpClient {
  const http = createHttpClient({ allow });
  httpClients.push(http);
  return http;
}

async function served(
  script: Parameters<typeof openAiServer>[0],
  settings: Partial<ModelSettings> = {},
): Promise<{ model: Model; server: Awaited<ReturnType<typeof openAiServer>> }> {
  const server = await openAiServer(script);
  const http = opened([server.host]);
  return { server, model: openModel({ baseUrl: server.baseUrl, name: "test-model", ...settings }, { http }) };
}

/** No pauses between attempts. */
const quick = { random: () => 0 };

async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; reason?: string; retry: string; message: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isFailureError(error)) throw new Error(`not a failure: ${String(error)}`);
  return error.toFailure();
}

async function partsOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe("a model at a server", () => {
  test("is called over the OpenAI protocol, with the key, the limits and the texts", async () => {
    const { server, model } = await served(["It is blue."], { apiKey: "sk-test" });
    const answer = await generateText(model, {
      system: "Be brief.",
      prompt: "The sky? 天空？",
      maxTokens: 20,
      temperature: 0.2,
    });
    expect(answer).toEqual({
      text: "It is blue.",
      usage: { inputTokens: 100, outputTokens: 50 },
      finishReason: "stop",
    });
    const [request] = server.requests;
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.headers.authorization).toBe("Bearer sk-test");
    expect(request?.body).toMatchObject({
      model: "test-model",
      max_tokens: 20,
      temperature: 0.2,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "The sky? 天空？" },
      ],
    });
  });

  test("sends no authorization without a key, and uses the limits of the settings if the caller sets none", async () => {
    const { server, model } = await served(["yes"], { maxTokens: 64, temperature: 0.5 });
    await generateText(model, { prompt: "?" });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 64, temperature: 0.5 });
  });

  test("streams", async () => {
    const { model } = await served(["one two three"]);
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "?" }] }] });
    const parts = await partsOf(stream);
    expect(parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")).toBe("one two three");
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "stop" },
      usage: { inputTokens: { total: 100 }, outputTokens: { total: 50 } },
    });
  });

  test("cannot be reached if the HTTP client does not allow its address", async () => {
    const server = await openAiServer(["never said"]);
    const model = openModel({ baseUrl: server.baseUrl, name: "m" }, { http: opened([]) });
    const failure = await failureOf(generateText(model, { prompt: "?" }));
    expect(failure).toMatchObject({ code: "permission_denied", reason: "ssrf_ip", retry: "never" });
    expect(failure.message).toMatch(/the model "m" cannot be reached: .*allow/s);
    expect(server.requests).toEqual([]);
  });

  test("a server that cannot be reached is not available", async () => {
    const model = openModel({ baseUrl: "http://127.0.0.1:1023/v1", name: "m" }, { http: opened(["127.0.0.1:1023"]) });
    const failure = await failureOf(generateText(model, { prompt: "?", maxRetries: 1, ...quick }));
    expect(failure).toMatchObject({ code: "not_available", reason: "connect_failed" });
  });

  test("needs a URL", () => {
    for (const baseUrl of ["", "localhost:11434", "file:///etc/passwd", "ftp://x"]) {
      expect(() => openModel({ baseUrl, name: "m" }, { http: opened([]) })).toThrow(
        /is not the address of a model server/,
      );
    }
  });

  test("a server that reports no usage gets an estimate", async () => {
    const { model } = await served([{ text: "four letter word then 四个汉字", usage: null }]);
    const { usage } = await generateText(model, { prompt: "x".repeat(400) });
    expect(usage).toEqual({ inputTokens: 104, outputTokens: 4 + 6, estimated: true });
  });
});

describe("a server in trouble", () => {
  test("a server that is busy is retried, not before the time it names", async () => {
    const { server, model } = await served([
      { status: 429, headers: { "retry-after-ms": "30" } },
      { status: 503, headers: { "retry-after": "0" } },
      "there you are",
    ]);
    const began = performance.now();
    const { text } = await generateText(model, { prompt: "?", ...quick });
    expect(text).toBe("there you are");
    expect(server.requests).toHaveLength(3);
    expect(performance.now() - began).toBeGreaterThan(250 + 30);
  });

  test("is not retried if it requires a longer wait than the remaining time", async () => {
    const { server, model } = await served([{ status: 429, headers: { "retry-after": "120" } }]);
    const failure = await failureOf(generateText(model, { prompt: "?", timeoutMs: 60_000 }));
    expect(failure).toMatchObject({
      code: "execution_error",
      reason: "rate_limited",
      retry: "safe",
      retryAfterMs: 120_000,
    });
    expect(failure.message).toContain("retry in 120 s");
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, ServerAnswer, { code?: string; reason: string; retry?: string; text: RegExp }]>([
    [
      "a bad key",
      { status: 401, body: { error: { message: "bad key" } } },
      { code: "not_available", reason: "unauthorized", retry: "never", text: /none was sent \(401: bad key\)/ },
    ],
    [
      "an unknown model",
      { status: 404, body: { error: { message: "no such model" } } },
      {
        reason: "provider_error",
        retry: "never",
        text: /404: no such model; check the model.s name, and that the base URL/,
      },
    ],
    [
      "a used-up quota",
      { status: 429, body: { error: { message: "pay", code: "insufficient_quota" } } },
      { reason: "rate_limited", retry: "never", text: /quota.*used up/ },
    ],
    [
      "too long a question",
      { status: 400, body: { error: { message: "too much", code: "context_length_exceeded" } } },
      { reason: "too_long", retry: "never", text: /too long/ },
    ],
    [
      "a broken request",
      { status: 400, body: { error: { message: "what?" } } },
      { reason: "provider_error", retry: "never", text: /400: what\?/ },
    ],
    ["no choices", { status: 200, body: { choices: [] } }, { reason: "provider_error", text: /choices/ }],
    [
      "a refusal",
      { text: null, refusal: "I will not." },
      { reason: "refused", retry: "never", text: /refused to respond: I will not/ },
    ],
    ["a filter", { text: "", finish: "content_filter" }, { reason: "refused", text: /refused/ }],
    ["nothing", { text: "" }, { reason: "invalid_output", text: /returned no text/ }],
    ["only thoughts, cut off", { text: "<think>hm, hm", finish: "length" }, { reason: "cut_off", text: /max_tokens/ }],
  ])("%s fails without a retry, with its reason", async (_, answer, { text, ...expected }) => {
    const { server, model } = await served([answer]);
    const failure = await failureOf(generateText(model, { prompt: "?", ...quick }));
    expect(failure).toMatchObject({ code: "execution_error", ...expected });
    expect(failure.message).toMatch(text);
    expect(server.requests).toHaveLength(1);
  });

  test("a server that keeps failing is tried three times", async () => {
    const { server, model } = await served(() => ({ status: 500, body: "oh \u001b[31mno" }));
    const failure = await failureOf(generateText(model, { prompt: "?", ...quick }));
    expect(failure).toMatchObject({ code: "execution_error", reason: "provider_error", retry: "safe" });
    expect(failure.message).not.toContain("\u001b");
    expect(server.requests).toHaveLength(3);
  });

  test("a server that never responds is abandoned at the timeout, or when the caller aborts", async () => {
    const { model } = await served(() => ({ hang: true }));
    expect(await failureOf(generateText(model, { prompt: "?", timeoutMs: 50 }))).toMatchObject({ code: "timeout" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const requested = generateText(model, { prompt: "?", signal: controller.signal });
    expect(await failureOf(requested)).toMatchObject({ code: "cancelled" });
    expect(await failureOf(generateText(model, { prompt: "?", signal: AbortSignal.abort() }))).toMatchObject({
      code: "cancelled",
    });
  });

  test("a server that never responds is abandoned at its own timeout, and the failure says so", async () => {
    const { server, model } = await served(() => ({ hang: true }), { timeoutMs: 50 });
    const failure = await failureOf(generateText(model, { prompt: "?" }));
    expect(failure).toMatchObject({ code: "timeout" });
    expect(failure.message).toMatch(
      /the model "test-model" did not respond in time: .*within 0\.05 s; .*raise its timeout/,
    );
    expect(server.requests).toHaveLength(1);
  });

  test("a server that quotes the key does not leak it into a failure", async () => {
    const quoting = { status: 401, body: { error: { message: "the key sk-very-secret is wrong" } } };
    const { model } = await served([quoting], { apiKey: "sk-very-secret" });
    const failure = await failureOf(generateText(model, { prompt: "?" }));
    expect(failure.message).toBe(
      'the model "test-model" does not accept the key (401: the key [redacted] is wrong); provide another one',
    );
    expect(JSON.stringify(failure)).not.toContain("sk-very-secret");
  });
});

describe("an object from a server", () => {
  const schema = fromJsonSchema<{ score: number }>({
    type: "object",
    properties: { score: { type: "number", minimum: 0, maximum: 10 } },
    required: ["score"],
  });

  const good = { json: { score: 7 } };
  const formsIn = ({ requests }: Awaited<ReturnType<typeof openAiServer>>): unknown[] =>
    requests.map(({ body }) => body.response_format?.type);

  test("is requested by its schema, in the prompt and by the protocol", async () => {
    const { server, model } = await served([good]);
    expect((await generateObject(model, { schema, prompt: "?", name: "review" })).object).toEqual({ score: 7 });
    const [request] = server.requests;
    expect(request?.body.response_format).toEqual({
      type: "json_schema",
      // Not strict: strict servers require schemas without optional properties.
      json_schema: { name: "review", schema: schema.json, strict: false },
    });
    expect(request?.body.messages[0]?.content).toContain(JSON.stringify(schema.json));
  });

  test.each(["json_schema", "json_object", "words"] as const)("is requested as configured: %s", async (structured) => {
    const { server, model } = await served([good], { structured });
    await generateObject(model, { schema, prompt: "?" });
    expect(formsIn(server)).toEqual([structured === "words" ? undefined : structured]);
  });

  test.each([
    ["'response_format.type' must be 'text'"],
    ["This model does not support response format `json_schema`"],
    ["failed to parse grammar"],
  ])(
    "is requested in a simpler form after the server rejects one with %j, and in later requests too",
    async (message) => {
      const refusal = { status: 400, body: { error: { message } } };
      const { server, model } = await served([refusal, refusal, good, good]);
      expect((await generateObject(model, { schema, prompt: "?" })).object).toEqual({ score: 7 });
      await generateObject(model, { schema, prompt: "?" });
      expect(formsIn(server)).toEqual(["json_schema", "json_object", undefined, undefined]);
    },
  );

  test("fails with any other error of the server, and the form stays the same", async () => {
    const broken = { status: 400, body: { error: { message: "no such tokenizer" } } };
    const { server, model } = await served([broken, good]);
    expect(await failureOf(generateObject(model, { schema, prompt: "?" }))).toMatchObject({ reason: "provider_error" });
    await generateObject(model, { schema, prompt: "?" });
    expect(formsIn(server)).toEqual(["json_schema", "json_schema"]);
  });

  test("has one timeout for all its requests together", async () => {
    let requested = 0;
    const { model } = await served(() => (requested++ === 0 ? "no object" : { hang: true }));
    const began = performance.now();
    expect(await failureOf(generateObject(model, { schema, prompt: "?", timeoutMs: 300 }))).toMatchObject({
      code: "timeout",
    });
    expect(performance.now() - began).toBeLessThan(600);
    expect(requested).toBe(2);
  });
});

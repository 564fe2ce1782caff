import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult, LanguageModelV4 } from "@ai-sdk/provider";
import { FailureError, definedOnly } from "../base/index.ts";
import type { HttpClient } from "../net/index.ts";
import { createRedactor } from "../secrets/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { modelLabel, defaultModelTimeoutMs } from "./errors/retry-with-backoff.ts";
import { faultOf, withFault } from "./broken-model.ts";
import { isResponseFormatRejected, EmptyModelResponse } from "./errors/classify-model-error.ts";
import { resolveModelFamily } from "./family/resolve-model-family.ts";
import { type ModelFamily, compatibleOptions, type ModelClient } from "./port/model-family.ts";
import { isKnownService, defaultBaseUrls } from "./known-services.ts";
import type { Model, ModelGenerateResult, ModelCall } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import type { ModelSettings } from "./model-settings.ts";
import type { ModelPrice } from "./port/token-usage.ts";
import type { ImageSupport } from "./port/tool-images.ts";
import { httpClientFetch } from "./wire/http-client-fetch.ts";
import { createChatRepairer } from "./wire/repair-chat.ts";

/**
 * Opens a model at any server that speaks the OpenAI protocol, at Anthropic or at Google. Nothing is loaded or sent
 * before the first request. The HTTP client decides whether the server may be reached, so a server on this machine
 * has to be on its allow-list.
 *
 * @example
 * ```ts
 * const http = createHttpClient({ allow: ["127.0.0.1:11434"] });
 * const model = openModel({ baseUrl: "http://127.0.0.1:11434/v1", name: "qwen3" }, { http });
 * ```
 *
 * @see docs/guide/agents.md
 */
export function openModel(settings: ModelSettings, world: { readonly http: HttpClient }): Model {
  return new LazyModel(settings, world.http);
}

/** The fallback of each JSON format that a server may not support. */
const simpler = { json_schema: "json_object", json_object: "words", words: undefined } as const;

type Form = keyof typeof simpler;

class LazyModel implements Model {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly timeoutMs: number | undefined;
  readonly price: ModelPrice | undefined;
  readonly keySource: string | undefined;
  readonly keyHint: string | undefined;
  readonly #settings: ModelSettings;
  readonly #baseUrl: string;
  readonly #http: HttpClient;
  #client: Promise<Model> | undefined;
  /** The most specific form that the server has not rejected. */
  #form: Form;

  constructor(settings: ModelSettings, http: HttpClient) {
    this.#baseUrl = checkedUrl(settings.baseUrl ?? defaultBaseUrls[settings.provider ?? "openai-compatible"] ?? "");
    this.provider = new URL(this.#baseUrl).host;
    this.modelId = settings.name;
    this.timeoutMs = settings.timeoutMs;
    this.price = settings.price;
    this.keySource = settings.keySource;
    this.keyHint = settings.apiKey === undefined ? (settings.keyHint ?? "set its apiKey") : undefined;
    this.#settings = settings;
    this.#form = settings.structured ?? "json_schema";
    this.#http = http;
    if (this.keyHint !== undefined && isKnownService(this.#baseUrl)) withFault(this, noKey(this, this.keyHint));
  }

  /** Resolved each time: it may have been registered in the meantime. */
  get family(): ModelFamily {
    return resolveModelFamily(this.modelId, this.provider);
  }

  get images(): ImageSupport {
    const { images = this.family.takesImages?.(this.modelId) === true, provider } = this.#settings;
    if (!images) return "none";
    return (provider ?? "openai-compatible") === "openai-compatible" ? "user" : "tool";
  }

  doGenerate(call: ModelCall): Promise<ModelGenerateResult> {
    return this.#request(call, (client, complete) => client.doGenerate(complete));
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    const result = await this.#request(call, (client, complete) => client.doStream(complete));
    const { apiKey } = this.#settings;
    return apiKey === undefined ? result : { ...result, stream: result.stream.pipeThrough(withoutKey(apiKey)) };
  }

  async #request<T>(call: ModelCall, send: (client: Model, call: ModelCall) => PromiseLike<T>): Promise<T> {
    const fault = faultOf(this);
    if (fault !== undefined) throw fault;
    const client = await (this.#client ??= openClient(this.#settings, this.#baseUrl, this.#http));
    for (;;) {
      const form = this.#form;
      try {
        return await send(client, this.#complete(call, form));
      } catch (error) {
        const next =
          call.responseFormat?.type === "json" && isResponseFormatRejected(error) ? simpler[form] : undefined;
        if (next === undefined) throw error;
        // Permanent: the server would reject every request in the same way.
        if (this.#form === form) this.#form = next;
      }
    }
  }

  #complete({ responseFormat, ...call }: ModelCall, form: Form): ModelCall {
    const { maxTokens, temperature, thinking, provider: client = "openai-compatible" } = this.#settings;
    const complete: ModelCall = {
      ...definedOnly({ maxOutputTokens: maxTokens, temperature }),
      ...call,
      // Strict servers require schemas without optional properties; responses are validated here in any case.
      providerOptions: { [compatibleOptions]: { strictJsonSchema: false }, ...call.providerOptions },
      ...formOf(responseFormat, form),
    };
    return this.family.prepare(complete, { thinking, client, modelId: this.modelId });
  }
}

/** Known services do not respond without a key, so none of them is sent a request without one. */
function noKey(model: Model, hint: string): FailureError {
  const message = `${modelLabel(model)} at ${model.provider} requires a key, and there is none; ${hint}`;
  return modelFailure("no_key", message, {
    forModel: "the model has no key; continue without anything that needs one",
  });
}

/** Some servers quote a key in the middle of a stream, and errors are shown to users. */
function withoutKey(key: string): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const { known } = createRedactor([key]);
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(part.type === "error" ? { type: "error", error: known(part.error) } : part);
    },
  });
}

function formOf(format: ModelCall["responseFormat"], form: Form): Pick<ModelCall, "responseFormat"> {
  if (format === undefined || (format.type === "json" && form === "words")) return {};
  return { responseFormat: format.type === "json" && form === "json_object" ? { type: "json" } : format };
}

function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return baseUrl.replace(/\/+$/, "");
  throw new FailureError(
    `${JSON.stringify(baseUrl.slice(0, 200))} is not the address of a model server; write a URL such as http://127.0.0.1:11434/v1`,
    { code: "validation_error", reason: "bad_url" },
  );
}

/** Loads the client of a model's provider and opens the model with it. */
function openClient(settings: ModelSettings, baseURL: string, http: HttpClient): Promise<LanguageModelV4> {
  const { name, apiKey, timeoutMs = defaultModelTimeoutMs, provider = "openai-compatible" } = settings;
  const server = { label: modelLabel({ modelId: name }), baseUrl: baseURL, marks: marks[provider], secret: apiKey };
  const fetch = modelServerFetch(httpClientFetch(http, { timeoutMs, secret: apiKey }), server);
  return openers[provider]({ baseURL, name, apiKey, fetch });
}

/** Pattern that matches every complete response. */
const marks: Readonly<Record<ModelClient, RegExp>> = {
  "openai-compatible": /"choices"/,
  anthropic: /"content"|"stop_reason"/,
  google: /"candidates"|"promptFeedback"/,
};

const openers: Readonly<
  Record<
    ModelClient,
    (opening: {
      readonly baseURL: string;
      readonly name: string;
      readonly apiKey: string | undefined;
      readonly fetch: typeof fetch;
    }) => Promise<LanguageModelV4>
  >
> = {
  "openai-compatible": async ({ baseURL, name, apiKey, fetch }) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: compatibleOptions,
      baseURL,
      ...(apiKey !== undefined && { apiKey }),
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: repairingFetch(fetch),
    });
    return provider.chatModel(name);
  },
  anthropic: async ({ baseURL, name, apiKey, fetch }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    // Always pass a key, if only an empty one: the client would otherwise read one from the environment.
    return createAnthropic({ baseURL, apiKey: apiKey ?? "", fetch }).languageModel(name);
  },
  google: async ({ baseURL, name, apiKey, fetch }) => {
    const { createGoogle } = await import("@ai-sdk/google");
    // Calls without an id get one here, always the same for the same response.
    return createGoogle({ baseURL, apiKey: apiKey ?? "", fetch, generateId: () => "" }).languageModel(name);
  },
};

/** A `fetch` that repairs responses of the OpenAI protocol before the client reads them. */
function repairingFetch(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, headers } = response;
    if (body === null || status >= 400) return response;
    const repair = createChatRepairer();
    const isStream = (headers.get("content-type") ?? "").includes("text/event-stream");
    const repaired = isStream ? body.pipeThrough(repairEventLines(repair)) : repair(await response.text());
    return new Response(repaired, { status, headers });
  };
}

/** Repairs the data lines of an event stream; all other lines pass unchanged. */
function repairEventLines(repair: (json: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const line = (text: string): string => {
    const data = /^data: ?/.exec(text)?.[0];
    return data === undefined ? text : data + repair(text.slice(data.length));
  };
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.map((text) => `${line(text)}\n`).join("")));
    },
    flush(controller) {
      rest += decoder.decode();
      if (rest !== "") controller.enqueue(encoder.encode(line(rest)));
    },
  });
}

/** The server whose responses are checked. */
interface ModelServerInfo {
  /** `the model "qwen3"`. */
  readonly label: string;
  readonly baseUrl: string;
  /** Pattern that matches every complete response of its API. */
  readonly marks: RegExp;
  /** A key that no report about a response may repeat. */
  readonly secret?: string | undefined;
}

/**
 * A `fetch` that fails if a successful response does not come from a model server, such as the page of its web
 * interface: the base URL is most likely wrong, and a retry would not help. If a model server returns nothing, or
 * reports an error with a success status, as busy ones do, it throws {@link EmptyModelResponse}.
 */
function modelServerFetch(inner: typeof fetch, server: ModelServerInfo): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, headers } = response;
    if (status >= 300) return response;
    const type = headers.get("content-type")?.split(";", 1)[0]?.trim() || "no content type";
    const noAnswer = (text: string, received: string): Error => explainAnswer(server, { status, type, text, received });
    if (body === null) throw noAnswer("", "an empty body");
    if (isStreamRequest(input, init)) {
      const events = body.pipeThrough(untilFirstEvent((text) => noAnswer(text, "no event")));
      return new Response(events, { status, headers });
    }
    const text = await response.text();
    if (!server.marks.test(text)) throw noAnswer(text, "no model response");
    return new Response(text, { status, headers });
  };
}

/** Decided by the request: not every server sets the content type of a stream. */
function isStreamRequest(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  if (pathname.endsWith(":streamGenerateContent")) return true;
  if (typeof init?.body !== "string") return false;
  const request: unknown = JSON.parse(init.body);
  return typeof request === "object" && request !== null && "stream" in request && request.stream === true;
}

/** Maximum length of retained non-event text, used to identify it. */
const maxRetained = 65_536;
const event = /(?:^|[\r\n])data:/;
/** The beginning of a page; it cannot be a stream. */
const page = /^\uFEFF?\s*</;
/** The beginning of JSON, or of an event stream. */
const data = /^\uFEFF?\s*(?:[[{"]|null\s*$|:|(?:data|event|id|retry):)/;

/** Passes everything through; fails if it begins as a page, or ends without a single event. */
function untilFirstEvent(noEvent: (text: string) => Error): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text: string | undefined = "";
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      if (text === undefined) return;
      text += decoder.decode(bytes, { stream: true });
      if (event.test(text)) text = undefined;
      else if (page.test(text)) throw noEvent(text);
      // The end is retained as well: an event may begin there.
      else if (text.length > maxRetained) text = text.slice(0, maxRetained / 2) + text.slice(-maxRetained / 4);
    },
    flush() {
      if (text !== undefined) throw noEvent(text);
    },
  });
}

function explainAnswer(
  { label, baseUrl, secret }: ModelServerInfo,
  answered: { readonly status: number; readonly type: string; readonly text: string; readonly received: string },
): Error {
  const { status, type, text } = answered;
  const isEmpty = text.trim() === "";
  const received = page.test(text) ? "a web page" : isEmpty ? "an empty body" : answered.received;
  const content = errorInBody(text);
  const words = content === undefined ? "" : `: ${createRedactor(secret === undefined ? [] : [secret]).text(content)}`;
  const [address, details] = [addressOf(baseUrl), `(${status}, ${type}, ${received}${words})`];
  if (isEmpty || data.test(text)) {
    return new EmptyModelResponse(
      `${label} at ${address} returned no model response ${details}; retry, and check the base URL if it happens again`,
    );
  }
  const message = `the server for ${label} at ${address} is not a model server ${details}; check the base URL`;
  return modelFailure("wrong_address", message);
}

/** Some servers report an error with a success status. */
function errorInBody(text: string): string | undefined {
  const found = /"(?:message|error|detail)"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(text.slice(0, maxRetained))?.[1];
  return found === undefined ? undefined : stripUnsafe(found).replaceAll(/\s+/g, " ").trim();
}

/** Without a user, a password or a key in it. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { HttpClient } from "../net/index.ts";
import { modelLabel, defaultModelTimeoutMs } from "./errors/retry-with-backoff.ts";
import { type ModelClient, compatibleOptions } from "./port/model-family.ts";
import type { ModelSettings } from "./model-settings.ts";
import { modelServerFetch } from "./wire/model-server-fetch.ts";
import { httpClientFetch } from "./wire/http-client-fetch.ts";
import { createChatRepairer } from "./wire/repair-chat.ts";

/** Loads the client of a model's provider and opens the model with it. */
export function openClient(settings: ModelSettings, baseURL: string, http: HttpClient): Promise<LanguageModelV4> {
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

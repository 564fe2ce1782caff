import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Door } from "../net/index.ts";
import { nameOf, usualTimeoutMs } from "./ask-again.ts";
import { type ModelClient, compatibleOptions } from "./family/model-family.ts";
import type { ModelSettings } from "./model-settings.ts";
import { answeringFetch } from "./wire/answering-fetch.ts";
import { doorFetch } from "./wire/door-fetch.ts";
import { mendingFetch } from "./wire/mending-fetch.ts";

/** What every client is opened with. */
interface Opening {
  readonly baseURL: string;
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
}

/** Loads the client of a model's provider and opens the model with it. */
export function openClient(settings: ModelSettings, baseURL: string, door: Door): Promise<LanguageModelV4> {
  const { name, apiKey, timeoutMs = usualTimeoutMs, provider = "openai-compatible" } = settings;
  const server = { who: nameOf({ modelId: name }), baseUrl: baseURL, marks: marks[provider], secret: apiKey };
  const fetch = answeringFetch(doorFetch(door, { timeoutMs, secret: apiKey }), server);
  return openers[provider]({ baseURL, name, apiKey, fetch });
}

/** What every whole answer has in it. */
const marks: Readonly<Record<ModelClient, RegExp>> = {
  "openai-compatible": /"choices"/,
  anthropic: /"content"|"stop_reason"/,
  google: /"candidates"|"promptFeedback"/,
};

const openers: Readonly<Record<ModelClient, (opening: Opening) => Promise<LanguageModelV4>>> = {
  "openai-compatible": async ({ baseURL, name, apiKey, fetch }) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: compatibleOptions,
      baseURL,
      ...(apiKey !== undefined && { apiKey }),
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: mendingFetch(fetch),
    });
    return provider.chatModel(name);
  },
  anthropic: async ({ baseURL, name, apiKey, fetch }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    // A key is always given, if only an empty one: the client would look for one in the environment.
    return createAnthropic({ baseURL, apiKey: apiKey ?? "", fetch }).languageModel(name);
  },
  google: async ({ baseURL, name, apiKey, fetch }) => {
    const { createGoogle } = await import("@ai-sdk/google");
    // Calls without an id get theirs here, where the same answer always gets the same.
    return createGoogle({ baseURL, apiKey: apiKey ?? "", fetch, generateId: () => "" }).languageModel(name);
  },
};

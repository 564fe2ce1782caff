import type { LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { FailureError } from "../base/index.ts";
import type { Door } from "../net/index.ts";
import { usualTimeoutMs } from "./ask-model.ts";
import { doorFetch } from "./door-fetch.ts";
import type { Model, ModelAnswer, ModelCall } from "./model.ts";
import type { ModelSettings } from "./model-settings.ts";

/**
 * Opens a model at any server that speaks the OpenAI protocol. Nothing is loaded or sent before the first question; the
 * door decides whether the server may be reached, so one on this machine has to be on its allow-list.
 *
 * @example
 * ```ts
 * const door = createDoor({ allow: ["127.0.0.1:11434"] });
 * const model = openModel({ baseUrl: "http://127.0.0.1:11434/v1", name: "qwen3" }, { door });
 * ```
 */
export function openModel(settings: ModelSettings, world: { readonly door: Door }): Model {
  return new LazyModel(settings, world.door);
}

class LazyModel implements Model {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly #settings: ModelSettings;
  readonly #door: Door;
  #client: Promise<Model> | undefined;

  constructor(settings: ModelSettings, door: Door) {
    this.provider = new URL(checkedUrl(settings.baseUrl)).host;
    this.modelId = settings.name;
    this.#settings = settings;
    this.#door = door;
  }

  async doGenerate(call: ModelCall): Promise<ModelAnswer> {
    return (await this.#open()).doGenerate(this.#complete(call));
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    return (await this.#open()).doStream(this.#complete(call));
  }

  #open(): Promise<Model> {
    return (this.#client ??= this.#load());
  }

  async #load(): Promise<Model> {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { baseUrl, name, apiKey, timeoutMs = usualTimeoutMs, structured } = this.#settings;
    const provider = createOpenAICompatible({
      name: "windlass",
      baseURL: checkedUrl(baseUrl),
      ...(apiKey !== undefined && { apiKey }),
      includeUsage: true,
      supportsStructuredOutputs: structured === "json_schema",
      fetch: doorFetch(this.#door, { timeoutMs, secret: apiKey }),
    });
    return provider.chatModel(name);
  }

  #complete({ responseFormat, ...call }: ModelCall): ModelCall {
    const { maxTokens, temperature, structured } = this.#settings;
    return {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...call,
      ...(responseFormat !== undefined && structured !== "words" && { responseFormat }),
    };
  }
}

function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return baseUrl.replace(/\/+$/, "");
  throw new FailureError(
    `${JSON.stringify(baseUrl.slice(0, 200))} is not where a model can be; write a URL such as http://127.0.0.1:11434/v1`,
    { code: "validation_error", reason: "bad_url" },
  );
}

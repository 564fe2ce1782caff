import type { LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { FailureError } from "../base/index.ts";
import type { Door } from "../net/index.ts";
import { usualTimeoutMs } from "./ask-model.ts";
import { doorFetch } from "./door-fetch.ts";
import { refusesForm } from "./explain-error.ts";
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

/** How JSON is asked for, and what to try where a server does not know that form. */
const simpler = { json_schema: "json_object", json_object: "words", words: undefined } as const;

type Form = keyof typeof simpler;

class LazyModel implements Model {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly timeoutMs: number | undefined;
  readonly #settings: ModelSettings;
  readonly #door: Door;
  #client: Promise<Model> | undefined;
  /** The fullest form that the server has not refused. */
  #form: Form;

  constructor(settings: ModelSettings, door: Door) {
    this.provider = new URL(checkedUrl(settings.baseUrl)).host;
    this.modelId = settings.name;
    this.timeoutMs = settings.timeoutMs;
    this.#settings = settings;
    this.#form = settings.structured ?? "json_schema";
    this.#door = door;
  }

  doGenerate(call: ModelCall): Promise<ModelAnswer> {
    return this.#ask(call, (client, complete) => client.doGenerate(complete));
  }

  doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    return this.#ask(call, (client, complete) => client.doStream(complete));
  }

  async #ask<T>(call: ModelCall, send: (client: Model, call: ModelCall) => PromiseLike<T>): Promise<T> {
    const client = await this.#open();
    for (;;) {
      const form = this.#form;
      try {
        return await send(client, this.#complete(call, form));
      } catch (error) {
        const next = call.responseFormat?.type === "json" && refusesForm(error) ? simpler[form] : undefined;
        if (next === undefined) throw error;
        // For good: the server would say the same to every question.
        if (this.#form === form) this.#form = next;
      }
    }
  }

  #open(): Promise<Model> {
    return (this.#client ??= this.#load());
  }

  async #load(): Promise<Model> {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { baseUrl, name, apiKey, timeoutMs = usualTimeoutMs } = this.#settings;
    const provider = createOpenAICompatible({
      name: clientName,
      baseURL: checkedUrl(baseUrl),
      ...(apiKey !== undefined && { apiKey }),
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: doorFetch(this.#door, { timeoutMs, secret: apiKey }),
    });
    return provider.chatModel(name);
  }

  #complete({ responseFormat, ...call }: ModelCall, form: Form): ModelCall {
    const { maxTokens, temperature } = this.#settings;
    return {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...call,
      // Strict servers want schemas without anything optional in them; ours are checked here in any case.
      providerOptions: { [clientName]: { strictJsonSchema: false }, ...call.providerOptions },
      ...formOf(responseFormat, form),
    };
  }
}

const clientName = "windlass";

function formOf(format: ModelCall["responseFormat"], form: Form): Pick<ModelCall, "responseFormat"> {
  if (format === undefined || (format.type === "json" && form === "words")) return {};
  return { responseFormat: format.type === "json" && form === "json_object" ? { type: "json" } : format };
}

function checkedUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return baseUrl.replace(/\/+$/, "");
  throw new FailureError(
    `${JSON.stringify(baseUrl.slice(0, 200))} is not where a model can be; write a URL such as http://127.0.0.1:11434/v1`,
    { code: "validation_error", reason: "bad_url" },
  );
}

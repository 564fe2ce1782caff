import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { FailureError } from "../base/index.ts";
import type { Door } from "../net/index.ts";
import { createRedactor } from "../text/index.ts";
import { nameOf } from "./ask-again.ts";
import { faultOf, withFault } from "./broken-model.ts";
import { refusesForm } from "./explain-error.ts";
import { familyOf } from "./family/family-of.ts";
import { type ModelFamily, compatibleOptions } from "./family/model-family.ts";
import { isKnownService, usualBaseUrls } from "./known-services.ts";
import type { Model, ModelAnswer, ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import type { ModelSettings } from "./model-settings.ts";
import { openClient } from "./open-client.ts";
import type { ModelPrice } from "./token-usage.ts";

/**
 * Opens a model: at any server that speaks the OpenAI protocol, at Anthropic or at Google. Nothing is loaded or sent
 * before the first question; the door decides whether the server may be reached, so one on this machine has to be on
 * its allow-list.
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
  readonly price: ModelPrice | undefined;
  readonly keySource: string | undefined;
  readonly keyHint: string | undefined;
  readonly #settings: ModelSettings;
  readonly #baseUrl: string;
  readonly #door: Door;
  #client: Promise<Model> | undefined;
  /** The fullest form that the server has not refused. */
  #form: Form;

  constructor(settings: ModelSettings, door: Door) {
    this.#baseUrl = checkedUrl(settings.baseUrl ?? usualBaseUrls[settings.provider ?? "openai-compatible"] ?? "");
    this.provider = new URL(this.#baseUrl).host;
    this.modelId = settings.name;
    this.timeoutMs = settings.timeoutMs;
    this.price = settings.price;
    this.keySource = settings.keySource;
    this.keyHint = settings.apiKey === undefined ? (settings.keyHint ?? "give it an apiKey") : undefined;
    this.#settings = settings;
    this.#form = settings.structured ?? "json_schema";
    this.#door = door;
    if (this.keyHint !== undefined && isKnownService(this.#baseUrl)) withFault(this, noKey(this, this.keyHint));
  }

  /** Looked up each time: it may have been made known meanwhile. */
  get family(): ModelFamily {
    return familyOf(this.modelId, this.provider);
  }

  doGenerate(call: ModelCall): Promise<ModelAnswer> {
    return this.#ask(call, (client, complete) => client.doGenerate(complete));
  }

  async doStream(call: ModelCall): Promise<LanguageModelV4StreamResult> {
    const result = await this.#ask(call, (client, complete) => client.doStream(complete));
    const { apiKey } = this.#settings;
    return apiKey === undefined ? result : { ...result, stream: result.stream.pipeThrough(withoutKey(apiKey)) };
  }

  async #ask<T>(call: ModelCall, send: (client: Model, call: ModelCall) => PromiseLike<T>): Promise<T> {
    const fault = faultOf(this);
    if (fault !== undefined) throw fault;
    const client = await (this.#client ??= openClient(this.#settings, this.#baseUrl, this.#door));
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

  #complete({ responseFormat, ...call }: ModelCall, form: Form): ModelCall {
    const { maxTokens, temperature, thinking, provider: client = "openai-compatible" } = this.#settings;
    const complete: ModelCall = {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...call,
      // Strict servers want schemas without anything optional in them; ours are checked here in any case.
      providerOptions: { [compatibleOptions]: { strictJsonSchema: false }, ...call.providerOptions },
      ...formOf(responseFormat, form),
    };
    return this.family.prepare(complete, { thinking, client, modelId: this.modelId });
  }
}

/** The services that are known give no answer without a key, so none of them is sent a question without one. */
function noKey(model: Model, hint: string): FailureError {
  const message = `${nameOf(model)} at ${model.provider} wants a key, and there is none; ${hint}`;
  return modelFailure("no_key", message, { forModel: "the model has no key; go on without what needs one" });
}

/** Some servers quote a key in the middle of a stream; errors are shown to people. */
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
    `${JSON.stringify(baseUrl.slice(0, 200))} is not where a model can be; write a URL such as http://127.0.0.1:11434/v1`,
    { code: "validation_error", reason: "bad_url" },
  );
}

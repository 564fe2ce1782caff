import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { FailureError } from "../base/index.ts";
import type { HttpClient } from "../net/index.ts";
import { createRedactor } from "../secrets/index.ts";
import { modelLabel } from "./errors/retry-with-backoff.ts";
import { faultOf, withFault } from "./broken-model.ts";
import { isResponseFormatRejected } from "./errors/classify-model-error.ts";
import { resolveModelFamily } from "./family/resolve-model-family.ts";
import { type ModelFamily, compatibleOptions } from "./port/model-family.ts";
import { isKnownService, defaultBaseUrls } from "./known-services.ts";
import type { Model, ModelGenerateResult, ModelCall } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import type { ModelSettings } from "./model-settings.ts";
import { openClient } from "./open-client.ts";
import type { ModelPrice } from "./port/token-usage.ts";
import type { ImageSupport } from "./port/tool-images.ts";

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
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
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

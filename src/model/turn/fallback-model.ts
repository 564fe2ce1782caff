import { CircuitBreaker, type Clock, systemClock } from "../../base/index.ts";
import { defaultModelTimeoutMs } from "../errors/retry-with-backoff.ts";
import type { Model, ModelCall } from "../port/model.ts";
import type { ModelPrice } from "../port/token-usage.ts";
import type { ImageSupport } from "../port/tool-images.ts";
import { imageSupport, prepareCall } from "./prepare-call.ts";

/** For 30 seconds, a failed model is only tried after the others. */
const breakerLimits = { failureThreshold: 1, coolDownMs: 30_000, maxCoolDownMs: 30_000 };

/** A model that wraps several: the next one is tried if one fails permanently or stays busy. */
export interface FallbackModel extends Model {
  /** In the order in which they are tried now. */
  order(): readonly Model[];
  /** Records that a model failed. */
  failed(model: Model): void;
}

/**
 * Combines models into a fallback chain: if one fails permanently or stays busy, the next one is tried, and the
 * response names its model. A conversation that one model began is sent to another without the first one's
 * signatures.
 *
 * @example
 * ```ts
 * const model = fallbackModel([openModel(first, { http }), openModel(second, { http })]);
 * ```
 *
 * @see docs/guide/model-adapters.md
 */
export function fallbackModel(models: readonly [Model, ...Model[]], clock: Clock = systemClock): Model {
  return models.length === 1 ? models[0] : new ModelChain(models, clock);
}

/** True if this is a fallback chain. */
export function isFallback(model: Model): model is FallbackModel {
  return model instanceof ModelChain;
}

class ModelChain implements FallbackModel {
  readonly specificationVersion = "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Model["supportedUrls"];
  readonly timeoutMs: number;
  readonly price: ModelPrice | undefined;
  readonly images: ImageSupport;
  readonly #models: readonly Model[];
  readonly #clock: Clock;
  readonly #breakers: ReadonlyMap<Model, CircuitBreaker>;

  constructor(models: readonly [Model, ...Model[]], clock: Clock) {
    this.provider = models[0].provider;
    this.modelId = models[0].modelId;
    this.supportedUrls = models[0].supportedUrls;
    this.timeoutMs = models.reduce((sum, { timeoutMs = defaultModelTimeoutMs }) => sum + timeoutMs, 0);
    this.price = dearest(models);
    // A model of the chain that takes none gets notes instead.
    this.images = models.some((model) => imageSupport(model) !== "none") ? "user" : "none";
    this.#models = models;
    this.#breakers = new Map(models.map((model) => [model, new CircuitBreaker(breakerLimits)]));
    this.#clock = clock;
  }

  order(): readonly Model[] {
    const now = this.#clock.elapsed();
    const isOpen = (model: Model): boolean => (this.#breakers.get(model)?.waitMs(now) ?? 0) > 0;
    if (!this.#models.some(isOpen)) return this.#models;
    return [...this.#models.filter((model) => !isOpen(model)), ...this.#models.filter(isOpen)];
  }

  failed(model: Model): void {
    this.#breakers.get(model)?.failed(this.#clock.elapsed());
  }

  doGenerate(call: ModelCall): ReturnType<Model["doGenerate"]> {
    return this.#first(call, (model, sent) => model.doGenerate(sent));
  }

  doStream(call: ModelCall): ReturnType<Model["doStream"]> {
    return this.#first(call, (model, sent) => model.doStream(sent));
  }

  /** For callers that use the model without `requestTurn`, which goes through the models itself. */
  async #first<T>(call: ModelCall, send: (model: Model, call: ModelCall) => PromiseLike<T>): Promise<T> {
    let why: unknown;
    for (const model of this.order()) {
      try {
        return await send(model, prepareCall(model, call));
      } catch (error) {
        if (call.abortSignal?.aborted === true) throw error;
        this.failed(model);
        why ??= error;
      }
    }
    throw why;
  }
}

/**
 * Maximum cost of a response of any of the models: a budget has to hold for the last of them, too. Unknown if one of
 * them has no price.
 */
function dearest(models: readonly Model[]): ModelPrice | undefined {
  const prices = models.flatMap(({ price }) => price ?? []);
  if (prices.length < models.length) return undefined;
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    output: Math.max(...prices.map(({ output }) => output)),
  };
}

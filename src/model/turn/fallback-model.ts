import { type Clock, systemClock } from "../base/index.ts";
import { usualTimeoutMs } from "./ask-again.ts";
import type { Model, ModelCall } from "./model.ts";
import type { ModelPrice } from "./token-usage.ts";
import { callFor } from "./turn/call-for.ts";

/** How long a model that gave no answer is asked only after the others. */
const restMs = 30_000;

/** A model that is several: the next is asked where one fails for good or stays busy. */
export interface FallbackModel extends Model {
  /** In the order in which they are to be asked now. */
  order(): readonly Model[];
  /** One of them gave no answer. */
  failed(model: Model): void;
}

/**
 * Puts models behind each other: where one fails for good or stays busy, the next is asked, and the answer says who gave
 * it. A conversation that one has begun is sent to another without the first one's signatures.
 *
 * @example
 * ```ts
 * const model = fallbackModel([openModel(first, { door }), openModel(second, { door })]);
 * ```
 */
export function fallbackModel(models: readonly [Model, ...Model[]], clock: Clock = systemClock): Model {
  return models.length === 1 ? models[0] : new ModelChain(models, clock);
}

/** Is this several models? */
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
  readonly #models: readonly Model[];
  readonly #clock: Clock;
  readonly #restsUntil = new Map<Model, number>();

  constructor(models: readonly [Model, ...Model[]], clock: Clock) {
    this.provider = models[0].provider;
    this.modelId = models[0].modelId;
    this.supportedUrls = models[0].supportedUrls;
    this.timeoutMs = models.reduce((sum, { timeoutMs = usualTimeoutMs }) => sum + timeoutMs, 0);
    this.price = dearest(models);
    this.#models = models;
    this.#clock = clock;
  }

  order(): readonly Model[] {
    const now = this.#clock.elapsed();
    const rests = (model: Model): boolean => (this.#restsUntil.get(model) ?? -Infinity) > now;
    if (!this.#models.some(rests)) return this.#models;
    return [...this.#models.filter((model) => !rests(model)), ...this.#models.filter(rests)];
  }

  failed(model: Model): void {
    this.#restsUntil.set(model, this.#clock.elapsed() + restMs);
  }

  doGenerate(call: ModelCall): ReturnType<Model["doGenerate"]> {
    return this.#first(call, (model, sent) => model.doGenerate(sent));
  }

  doStream(call: ModelCall): ReturnType<Model["doStream"]> {
    return this.#first(call, (model, sent) => model.doStream(sent));
  }

  /** For those who ask a model without `askTurn`, which asks the models by itself. */
  async #first<T>(call: ModelCall, ask: (model: Model, call: ModelCall) => PromiseLike<T>): Promise<T> {
    let why: unknown;
    for (const model of this.order()) {
      try {
        return await ask(model, callFor(model, call));
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
 * What an answer costs at most, whoever gives it: a budget has to hold for the last of them, too. Unknown where one of
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

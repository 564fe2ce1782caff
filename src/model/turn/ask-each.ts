import { type FailureError, isFailureError } from "../../base/index.ts";
import { Unanswered, usualTimeoutMs } from "../ask-again.ts";
import type { FallbackModel } from "../fallback-model.ts";
import type { Model, ModelCall } from "../model.ts";
import { type OneOptions, askOne } from "./ask-one.ts";
import type { ModelTurn, Unhelpful } from "./model-turn.ts";

/** A busy server is waited for no longer than this while there is another model to ask. */
const patienceMs = 5_000;

/** Asks models one after another until one answers, all within the time of the question. */
export async function askEach(models: FallbackModel, call: ModelCall, options: OneOptions): Promise<ModelTurn> {
  const { clock, timeoutMs } = options;
  const until = clock.elapsed() + timeoutMs;
  const order = models.order();
  const instead: Unhelpful[] = [];
  for (const [index, model] of order.entries()) {
    const isLast = index === order.length - 1;
    const leftMs = until - clock.elapsed();
    const within = isLast
      ? { timeoutMs: leftMs }
      : { timeoutMs: Math.min(leftMs, timeFor(model)), mostWaitMs: patienceMs };
    try {
      const turn = await askOne(model, call, { ...options, ...within });
      return instead.length === 0 ? turn : { ...turn, instead };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      models.failed(model);
      if (isLast || clock.elapsed() >= until) throw error;
      instead.push({ modelId: model.modelId, provider: model.provider, failure: failure.toFailure() });
    }
  }
  throw new Error("a chain of models has at least two");
}

/** One answer, and what is left of the usual time for asking again. */
export function timeFor({ timeoutMs = 0 }: Model): number {
  return Math.max(timeoutMs, usualTimeoutMs);
}

/** Why another model may be asked; undefined where it may not: the asker is gone, or can ask in another way. */
function failureOf(error: unknown): FailureError | undefined {
  if (error instanceof Unanswered) return error.explained.formRefused === true ? undefined : error.explained.failure;
  return isFailureError(error) && error.code === "timeout" ? error : undefined;
}

import { systemClock, type FailureError, isFailureError } from "../../base/index.ts";
import { defaultModelTimeoutMs, isModelRequestError } from "../errors/retry-with-backoff.ts";
import { isFallback, type FallbackModel } from "./fallback-model.ts";
import type { Model, ModelCall } from "../port/model.ts";
import { type RequestFromModelOptions, requestFromModel } from "./request-from-model.ts";
import { DeltaEmitter, type TurnOptions } from "./turn-options.ts";
import type { ModelTurn, FailedModel } from "../port/model-turn.ts";

/**
 * Sends one request to a model. A busy or failing server is retried until the timeout, also in the middle of a
 * stream, whose deltas are then revoked by a `restart`. A failure has a reason from `modelReasons`.
 *
 * @example
 * ```ts
 * const turn = await requestTurn(model, { prompt }, { onDelta: (delta) => show(delta), signal });
 * const messages = [...prompt, toAssistantMessage(turn)];
 * ```
 */
export async function requestTurn(model: Model, call: ModelCall, options: TurnOptions = {}): Promise<ModelTurn> {
  try {
    return await tryRequestTurn(model, call, options);
  } catch (error) {
    throw isModelRequestError(error) ? error.explained.failure : error;
  }
}

/** Like `requestTurn`, for callers that can send the request in another form: throws {@link ModelRequestError}. */
export function tryRequestTurn(model: Model, call: ModelCall, options: TurnOptions): Promise<ModelTurn> {
  const { clock = systemClock, timeoutMs = fallbackTimeoutMs(model), onDelta } = options;
  const deltas = onDelta === undefined ? undefined : new DeltaEmitter(onDelta);
  const complete: RequestFromModelOptions = { ...options, timeoutMs, clock, deltas };
  return isFallback(model) ? requestWithFallback(model, call, complete) : requestFromModel(model, call, complete);
}

/** Maximum wait for a busy server while another model is available. */
const busyWaitMs = 5_000;

/** Tries models one after another until one responds, all within the timeout of the request. */
async function requestWithFallback(
  models: FallbackModel,
  call: ModelCall,
  options: RequestFromModelOptions,
): Promise<ModelTurn> {
  const { clock, timeoutMs } = options;
  const until = clock.elapsed() + timeoutMs;
  const order = models.order();
  const instead: FailedModel[] = [];
  for (const [index, model] of order.entries()) {
    const isLast = index === order.length - 1;
    const leftMs = until - clock.elapsed();
    const within = isLast
      ? { timeoutMs: leftMs }
      : { timeoutMs: Math.min(leftMs, fallbackTimeoutMs(model)), maxWaitMs: busyWaitMs };
    try {
      const turn = await requestFromModel(model, call, { ...options, ...within });
      return instead.length === 0 ? turn : { ...turn, failedModels: instead };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      models.failed(model);
      if (isLast || clock.elapsed() >= until) throw error;
      instead.push({ modelId: model.modelId, provider: model.provider, failure: failure.toFailure() });
    }
  }
  throw new Error("a fallback chain has at least two models");
}

/** Time for one response; the rest of the default timeout remains for retries. */
function fallbackTimeoutMs({ timeoutMs = 0 }: Model): number {
  return Math.max(timeoutMs, defaultModelTimeoutMs);
}

/**
 * The failure after which another model may be tried; undefined if none may: the caller cancelled, or can send the
 * request in another form.
 */
function failureOf(error: unknown): FailureError | undefined {
  if (isModelRequestError(error)) return error.explained.formRefused === true ? undefined : error.explained.failure;
  return isFailureError(error) && error.code === "timeout" ? error : undefined;
}

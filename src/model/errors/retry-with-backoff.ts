import {
  type Clock,
  type FailureError,
  backoffMs,
  fail,
  sleep,
  systemClock,
  brandOf,
  raceLimits,
} from "../../base/index.ts";
import type { ModelErrorInfo } from "./classify-model-error.ts";
import { modelTable } from "../port/model-table.ts";
import type { Model } from "../port/model.ts";

/** Limits of time and attempts for a model request. */
export interface ModelRequestLimits {
  readonly signal?: AbortSignal;
  /** Total time, including the pauses between attempts. Default: 300 s. */
  readonly timeoutMs?: number;
  /** Maximum number of retries if a server is busy or failing. Default: 2. */
  readonly maxRetries?: number;
  /** Fails if the server requires a longer wait than this. Default: the remaining time. */
  readonly maxWaitMs?: number;
  /** Called with each pause before a retry. */
  readonly onWait?: ((ms: number, why: FailureError) => void) | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Default timeout of a model request. */
export const defaultModelTimeoutMs: number = modelTable.timeout.default * 1000;
const firstMs = 500;
const maxMs = 20_000;

/** A request that failed permanently; `explained` is for callers that can send it in another form. */
export class ModelRequestError extends Error {
  readonly explained: ModelErrorInfo;

  constructor(explained: ModelErrorInfo) {
    super(explained.failure.message);
    this.explained = explained;
  }
}

/** True for a {@link ModelRequestError}, of this or another copy of Windlass. */
export const isModelRequestError: (value: unknown) => value is ModelRequestError = brandOf(
  ModelRequestError,
  "model_request_error",
);

/** One attempt: its result, or the reason of its failure. The signal aborts it. */
type ModelAttempt<T> = (signal: AbortSignal) => Promise<T | ModelErrorInfo>;

/**
 * Makes one attempt, and retries while the server is busy or failing and the time allows it, never sooner than the
 * server permits. Throws {@link ModelRequestError}, or the failure of a cancellation or a deadline.
 */
export async function retryWithBackoff<T extends object>(
  label: string,
  limits: ModelRequestLimits,
  attempt: ModelAttempt<T>,
): Promise<T> {
  const { clock = systemClock, random = Math.random, maxRetries = 2, maxWaitMs = Infinity } = limits;
  const { signal: caller, timeoutMs: ms = defaultModelTimeoutMs } = limits;
  const until = clock.elapsed() + ms;
  const late = (): FailureError => lateFailure(label, ms);
  const cancelled = (): FailureError =>
    fail("the model request was cancelled", { code: "cancelled", cause: caller?.reason });
  return raceLimits({ clock, ms, late, signal: caller, cancelled }, async (signal) => {
    for (let retries = 0; ; retries++) {
      const answer = await attempt(signal);
      // A model may ignore its signal.
      signal.throwIfAborted();
      if (!("failure" in answer && "isTransient" in answer)) return answer;
      const pauseMs = backoffMs(retries, { firstMs, maxMs, waitMs: answer.waitMs, random });
      const isWorthIt = pauseMs <= maxWaitMs && clock.elapsed() + pauseMs < until;
      if (!answer.isTransient || retries >= maxRetries || !isWorthIt) throw new ModelRequestError(answer);
      limits.onWait?.(pauseMs, answer.failure);
      await sleep(clock, pauseMs, signal);
    }
  });
}

function lateFailure(label: string, ms: number): FailureError {
  const message =
    `${label} did not respond within ${Math.ceil(ms) / 1000} s; request less, or raise its timeout ` +
    "(under models: in windlass.yaml)";
  return fail(message, { code: "timeout" });
}

/** The model's name in messages. */
export function modelLabel({ modelId }: Pick<Model, "modelId">): string {
  return `the model ${JSON.stringify(modelId)}`;
}

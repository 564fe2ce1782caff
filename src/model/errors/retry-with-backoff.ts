import { type Clock, type FailureError, backoffMs, fail, sleep, systemClock, brandOf } from "../../base/index.ts";
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
export type ModelAttempt<T> = (signal: AbortSignal) => Promise<T | ModelErrorInfo>;

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
  const { timeoutMs = defaultModelTimeoutMs } = limits;
  const until = clock.elapsed() + timeoutMs;
  const run = startRun(limits, clock, label);
  try {
    for (let retries = 0; ; retries++) {
      const answer = await run.wait(attempt(run.signal));
      if (!isExplained(answer)) return answer;
      const pauseMs = backoffMs(retries, { firstMs, maxMs, waitMs: answer.waitMs, random });
      const isWorthIt = pauseMs <= maxWaitMs && clock.elapsed() + pauseMs < until;
      if (!answer.isTransient || retries >= maxRetries || !isWorthIt) throw new ModelRequestError(answer);
      emitWait(limits, pauseMs, answer);
      await run.wait(sleep(clock, pauseMs, run.signal));
    }
  } finally {
    run.end();
  }
}

function emitWait({ onWait }: ModelRequestLimits, ms: number, { failure }: ModelErrorInfo): void {
  onWait?.(ms, failure);
}

function isExplained(answer: object): answer is ModelErrorInfo {
  return "failure" in answer && "isTransient" in answer;
}

/** The model's name in messages. */
export function modelLabel({ modelId }: Pick<Model, "modelId">): string {
  return `the model ${JSON.stringify(modelId)}`;
}

interface Run {
  readonly signal: AbortSignal;
  /** The value, or the abort reason: a model may ignore its signal. */
  wait<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

function startRun({ signal, timeoutMs = defaultModelTimeoutMs }: ModelRequestLimits, clock: Clock, label: string): Run {
  const controller = new AbortController();
  let leave: (why: unknown) => void = () => {};
  const stop = (why: FailureError): void => {
    controller.abort(why);
    leave(why);
  };
  const cancel = (): void =>
    stop(fail("the model request was cancelled", { code: "cancelled", cause: signal?.reason }));
  const timer = clock.after(timeoutMs, () =>
    stop(
      fail(
        `${label} did not respond within ${Math.ceil(timeoutMs) / 1000} s; request less, or raise its timeout (under models: in windlass.yaml)`,
        {
          code: "timeout",
        },
      ),
    ),
  );
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  return {
    signal: controller.signal,
    wait: (work) =>
      new Promise((resolve, reject) => {
        leave = reject;
        work.then(resolve, reject);
        if (controller.signal.aborted) reject(controller.signal.reason as Error);
      }),
    end: () => {
      timer.cancel();
      signal?.removeEventListener("abort", cancel);
    },
  };
}

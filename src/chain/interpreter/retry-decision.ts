import type { Failure } from "../../base/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { RetryPlan } from "../plan/plan.ts";
import { expressionFailure } from "./expression-failure.ts";
import { itemField } from "./step-facts.ts";
import type { StepRun } from "./step-run.ts";
import type { FailedAttempt, NotRetried } from "./step-state.ts";
import type { Item } from "./step-view.ts";

/** A failed attempt that might be retried. */
export interface FailedTry {
  readonly error: Failure;
  /** Undefined when the handler never ran. */
  readonly effect: Effect | undefined;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly retry: RetryPlan;
  /** True if `retry.when` holds. */
  readonly isRetryRequested: () => boolean;
  /** Identifies the attempt; the delay is slightly random, and the same in every replay. */
  readonly seed: string;
}

/** Another attempt after a delay; or the reason why there is none. */
export type RetryDecision = { readonly delayMs: number } | { readonly not: NotRetried };

/**
 * Decides whether a failed attempt is retried. The tool's effect is checked first: what must not happen twice is not
 * retried, unless it never started.
 */
export function decideRetry(failed: FailedTry): RetryDecision {
  const { error, effect, attempt, retry } = failed;
  if (attempt > retry.max) {
    const { max } = retry;
    return { not: max === 0 ? { code: "no_retries", params: {} } : { code: "retries_failed", params: { max } } };
  }
  if (effect === "once") return { not: { code: "effect_once", params: {} } };
  if (error.retry === "never") return { not: { code: "would_fail_again", params: { code: error.code } } };
  if (error.retry === "unsafe") return { not: { code: "verdict_unsafe", params: {} } };
  try {
    if (!failed.isRetryRequested()) return { not: { code: "condition_false", params: {} } };
  } catch (thrown) {
    const { message } = expressionFailure(thrown, "retry.when");
    return { not: { code: "condition_failed", params: { message } } };
  }
  return { delayMs: Math.max(pause(failed), error.retryAfterMs ?? 0) };
}

function pause({ retry, attempt, seed }: FailedTry): number {
  const { delayMs, backoff, maxDelayMs, jitter } = retry;
  const factor = backoff === "exponential" ? 2 ** (attempt - 1) : backoff === "linear" ? attempt : 1;
  const full = Math.min(delayMs * factor, maxDelayMs);
  // At least half of it: a requested delay is never skipped.
  return jitter ? full * (0.5 + fractionOf(seed) / 2) : full;
}

/** A number between 0 and 1 that is the same in every replay. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** Maximum number of failed attempts of one step that are listed. */
const maxNoted = 100;

/** Records a failed attempt, and the retry decision, for log and explanation. */
export function recordFailedAttempt(
  { state, frame }: StepRun,
  attempt: Pick<FailedAttempt, "attempt" | "tool" | "error"> & {
    /** 0 or none if it was not made. */
    readonly startedAt?: number;
    readonly item: Item | undefined;
    readonly standIn: boolean;
  },
  decision: RetryDecision,
): void {
  state.failures ??= [];
  if (state.failures.length >= maxNoted) return;
  const { now: at } = frame.run;
  const { item, standIn, startedAt = 0, ...failed } = attempt;
  state.failures.push({
    ...failed,
    startedAt: startedAt === 0 ? at : startedAt,
    at,
    ...itemField(item),
    ...(standIn && { standIn }),
    ...("delayMs" in decision ? { delayMs: decision.delayMs } : { notRetried: decision.not }),
  });
}

import type { Failure } from "../../base/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { RetryPlan } from "../plan/plan.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { FailedAttempt, StepState } from "./step-state.ts";

/** A failed attempt that might be made again. */
export interface Failed {
  readonly error: Failure;
  /** Undefined when the handler never ran. */
  readonly effect: Effect | undefined;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly retry: RetryPlan;
  /** Does `retry.when` hold? */
  readonly wanted: () => boolean;
  /** Names the attempt; the pause is a little random, and the same whenever the run is replayed. */
  readonly seed: string;
}

/** Another attempt after a pause; or the reason why there is none, in words for the log. */
export type RetryDecision = { readonly delayMs: number } | { readonly not: string };

/**
 * May a failed attempt be made again? The tool's effect is asked first: what must not happen twice is not tried twice,
 * unless it never started.
 */
export function decideRetry(failed: Failed): RetryDecision {
  const { error, effect, attempt, retry } = failed;
  if (attempt > retry.max)
    return { not: retry.max === 0 ? "no retries are set" : `all ${retry.max} retries are used up` };
  if (effect === "once") return { not: "the tool must not run twice (effect: once)" };
  if (error.retry === "never") return { not: `it would fail again in the same way (${error.code})` };
  if (error.retry === "unsafe") return { not: "it may have happened already (verdict: unsafe)" };
  try {
    if (!failed.wanted()) return { not: "retry.when does not hold" };
  } catch (thrown) {
    return { not: expressionFailure(thrown, "retry.when").message };
  }
  return { delayMs: Math.max(pause(failed), error.retryAfterMs ?? 0) };
}

function pause({ retry, attempt, seed }: Failed): number {
  const { delayMs, backoff, maxDelayMs, jitter } = retry;
  const factor = backoff === "exponential" ? 2 ** (attempt - 1) : backoff === "linear" ? attempt : 1;
  const full = Math.min(delayMs * factor, maxDelayMs);
  // Half of it at least: whoever asked for a pause gets one.
  return jitter ? full * (0.5 + fractionOf(seed) / 2) : full;
}

/** A number between 0 and 1 that is the same whenever the run is replayed. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** More failed attempts of one step are not listed one by one. */
const maxNoted = 100;

/** Keeps a failed attempt, and what was decided about it, for log and explanation. */
export function noteFailure(
  state: StepState,
  attempt: Pick<FailedAttempt, "attempt" | "tool" | "error"> & {
    readonly item: number | undefined;
    readonly standIn: boolean;
  },
  decision: RetryDecision,
): void {
  state.failures ??= [];
  if (state.failures.length >= maxNoted) return;
  const { item, standIn, ...failed } = attempt;
  state.failures.push({
    ...failed,
    ...(item !== undefined && { item }),
    ...(standIn && { standIn }),
    ...("delayMs" in decision ? { delayMs: decision.delayMs } : { notRetried: decision.not }),
  });
}

import { type Failure, backoffMs } from "../base/index.ts";
import type { Effect } from "../tool/index.ts";

const firstMs = 200;
const maxMs = 10_000;

/** State that decides about a retry. */
export interface RetryState {
  readonly effect: Effect;
  readonly failure: Failure;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly maxRetries: number;
  readonly elapsedMs: number;
  /** Retries may extend a call up to this time. */
  readonly budgetMs: number;
}

/**
 * Returns the delay before a retry, or undefined if there is none. It is never shorter than the service requested.
 */
export function retryDelay(state: RetryState, random: () => number): number | undefined {
  const { failure, attempts, maxRetries } = state;
  // A once tool is never retried here, regardless of its failure: its caller decides.
  if (state.effect === "once") return undefined;
  // Not `>`: a value that is not a number means no retry.
  if (failure.retry !== "safe" || !(attempts <= maxRetries)) return undefined;
  const delayMs = backoffMs(attempts - 1, { firstMs, maxMs, waitMs: failure.retryAfterMs, random });
  return state.elapsedMs + delayMs < state.budgetMs ? delayMs : undefined;
}

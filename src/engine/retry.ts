import type { Failure } from "../base/index.ts";
import type { Effect } from "../tool/index.ts";

const firstDelayMs = 200;
const longestDelayMs = 10_000;

/** What decides about another attempt. */
export interface RetryState {
  readonly effect: Effect;
  readonly failure: Failure;
  /** Attempts made so far. */
  readonly attempts: number;
  readonly maxRetries: number;
  readonly elapsedMs: number;
  /** Retries may stretch a call this far, not further. */
  readonly budgetMs: number;
}

/**
 * The pause before another attempt, or undefined when there is to be none. It doubles each time, half of it random so
 * that callers that failed together do not return together, and is never shorter than what the service asked for.
 */
export function retryDelay(state: RetryState, random: () => number): number | undefined {
  const { failure, attempts, maxRetries } = state;
  // A tool that may run only once is not run again, whatever its failure says: that is for its caller to decide.
  if (state.effect === "once") return undefined;
  // Not `>`: no number at all means no retry.
  if (failure.retry !== "safe" || !(attempts <= maxRetries)) return undefined;
  const base = Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs);
  const delayMs = Math.max(base * (0.5 + random() / 2), failure.retryAfterMs ?? 0);
  return state.elapsedMs + delayMs < state.budgetMs ? delayMs : undefined;
}

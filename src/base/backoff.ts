/** Options of {@link backoffMs}. */
export interface BackoffOptions {
  /** Delay after the first failure. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Delay that the service requested: the result is never shorter. */
  readonly waitMs?: number | undefined;
  /** Between 0 and 1, such as `Math.random`. */
  readonly random: () => number;
}

/**
 * Delay before a retry: doubles with each failure, up to a maximum. Half of it is random, so that callers that failed
 * together do not retry together.
 *
 * @param failures Number of failures before the last one.
 */
export function backoffMs(failures: number, { firstMs, maxMs, waitMs = 0, random }: BackoffOptions): number {
  return Math.max(waitMs, Math.min(firstMs * 2 ** failures, maxMs) * (0.5 + random() / 2));
}

/** Maximum of every timeout: 24 hours. A longer one is a mistake, such as a time in the wrong unit. */
export const maxTimeoutMs: number = 24 * 3_600_000;

/** True for a timeout in milliseconds that a timer supports: above 0, and at most 24 hours. */
export function isTimeoutMs(ms: unknown): ms is number {
  return typeof ms === "number" && ms > 0 && ms <= maxTimeoutMs;
}

/** Returns the message for an invalid timeout: `timeoutMs must be …, got -5`. */
export function invalidTimeout(name: string, value: unknown): string {
  return `${name} must be a number of milliseconds above 0 and at most ${maxTimeoutMs} (24 hours), got ${String(value)}`;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Longer waits are mistakes, and exceed the range of timers. */
export const maxChainDurationMs: number = 365 * 86_400_000;

/** A duration of a chain in milliseconds: seconds as a number, or text such as `500ms`, `30s`, `2m`, `1h`, `7d`. */
export function parseChainDuration(value: unknown): number | undefined {
  if (typeof value === "number") return inRange(value * 1_000);
  const match = typeof value === "string" ? /^\s*(\d{1,15}(?:\.\d{1,15})?)\s*(ms|s|m|h|d)\s*$/.exec(value) : null;
  return match ? inRange(Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN)) : undefined;
}

function inRange(ms: number): number | undefined {
  if (!(ms >= 0 && ms <= maxChainDurationMs)) return undefined;
  // A duration below one millisecond is rounded up.
  return ms === 0 ? 0 : Math.max(1, Math.round(ms));
}

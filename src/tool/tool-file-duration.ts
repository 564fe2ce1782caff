const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Maximum duration; a longer one is not a useful deadline. */
const maxToolDurationMs = 7 * 24 * 3_600_000;

/** A duration of a file in milliseconds: seconds as a number, or text such as `500ms`, `30s`, `2m`, `1h`. */
export function parseToolDuration(value: unknown): number | undefined {
  if (typeof value === "number") return inRange(value * 1_000);
  const match = typeof value === "string" ? /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*$/.exec(value) : null;
  return match ? inRange(Number(match[1]) * (units[match[2] ?? ""] ?? Number.NaN)) : undefined;
}

function inRange(ms: number): number | undefined {
  return ms > 0 ? Math.min(Math.max(1, Math.round(ms)), maxToolDurationMs) : undefined;
}

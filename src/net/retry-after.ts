/**
 * Milliseconds to wait according to a `Retry-After` header; undefined if it is missing or invalid. Supports both forms:
 * seconds, and a date, which is compared with `now` (epoch milliseconds).
 */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  // The oldest of the three date forms names no zone; all of them mean UTC.
  const date = Date.parse(/(?:GMT|UTC|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

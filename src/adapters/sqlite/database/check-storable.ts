import type { SqlRow } from "../thread/worker-ops.ts";

/**
 * Throws on values that a column cannot store, regardless of their types: a value that SQLite rejects would fail all
 * writes of its batch.
 */
export function checkStorable(values: SqlRow): void {
  for (const value of values) {
    if (value === null || typeof value === "string" || Number.isFinite(value)) continue;
    throw new TypeError(`a string or a number is expected, not ${String(value)}`);
  }
}

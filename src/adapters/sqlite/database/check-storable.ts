import type { SqlRow } from "./worker-ops.ts";

/**
 * Throws on what a column cannot hold, whatever the types say: a value that SQLite refuses would fail the writes of
 * everybody in its batch.
 */
export function checkStorable(values: SqlRow): void {
  for (const value of values) {
    if (value === null || typeof value === "string" || Number.isFinite(value)) continue;
    throw new TypeError(`a text or a number is expected, not ${String(value)}`);
  }
}

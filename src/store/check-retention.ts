import { fail } from "../base/index.ts";
import type { Retention } from "./records.ts";

/** Throws on invalid limits: a mistake here would remove everything. */
export function checkRetention(retention: Retention): void {
  for (const name of ["maxAgeMs", "maxBytes"] as const) {
    const limit = retention[name];
    if (limit === undefined || limit >= 0) continue;
    throw fail(`${name} must be a number of at least 0, got ${limit}`, {
      code: "validation_error",
      reason: "bad_retention",
    });
  }
}

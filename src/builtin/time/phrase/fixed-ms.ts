import type { Unit } from "./token.ts";

const unitMs: Partial<Record<Unit, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

/** The length of a unit that is always the same. */
export function fixedMs(unit: Unit): number | undefined {
  return unitMs[unit];
}

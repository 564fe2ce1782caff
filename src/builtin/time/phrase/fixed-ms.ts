import type { Unit } from "./token.ts";

const unitMs: Partial<Record<Unit, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

/** Returns the length of a unit if it is constant. */
export function fixedMs(unit: Unit): number | undefined {
  return unitMs[unit];
}

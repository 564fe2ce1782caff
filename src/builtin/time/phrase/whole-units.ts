import { type Unit, Unclear } from "./token.ts";

/** A number of units. */
export interface Amount {
  readonly count: number;
  readonly unit: Unit;
}

/** Units that consist of a constant number of smaller units. */
const smaller: Partial<Record<Unit, Amount>> = {
  minute: { count: 60, unit: "second" },
  hour: { count: 60, unit: "minute" },
  day: { count: 24, unit: "hour" },
  quarter: { count: 3, unit: "month" },
  year: { count: 12, unit: "month" },
};

/**
 * Converts a count to one without a fraction: half an hour is 30 minutes, a year and a half 18 months; half a month is
 * 15 days here.
 */
export function wholeUnits({ count, unit }: Amount): Amount {
  if (Number.isInteger(count)) return { count, unit };
  if (unit === "month" && Number.isInteger(count * 2)) return { count: count * 30, unit: "day" };
  const of = smaller[unit];
  if (of === undefined) throw new Unclear("a part of this unit has no fixed length");
  // Fractions have three digits; without rounding 1.1 would not be 66 of 60.
  return wholeUnits({ count: Math.round(count * of.count * 1000) / 1000, unit: of.unit });
}

const unitMs: Partial<Record<Unit, number>> = { second: 1000, minute: 60_000, hour: 3_600_000 };

/** Returns the length of a unit if it is constant. */
export function fixedMs(unit: Unit): number | undefined {
  return unitMs[unit];
}

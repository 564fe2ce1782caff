import type { DayPart, Shift, Third, Unit } from "./token.ts";

/** A period relative to now: "last week", "3 days ago". */
export interface Relative {
  readonly unit: Unit;
  readonly offset: number;
  /** Counted from today, as in "2 weeks ago": as the end of a range it means that very day. */
  readonly exact: boolean;
}

/** A time of day; `unit` is its precision. */
export interface ClockTime {
  readonly ms: number;
  readonly unit: Unit;
  /** True if am or pm was given. */
  readonly fixed: boolean;
}

/** The parts of a description of one period, in any order: "5 March 2025", 去年三月, "Friday last week", … */
export interface PhraseParts {
  /** Days from today. */
  day?: number;
  relative?: Relative;
  year?: number;
  /** Years from this one. */
  yearOffset?: number;
  /** True if the year is the first of ten. */
  decade?: true;
  half?: number;
  quarter?: number;
  isoWeek?: number;
  month?: number;
  /** The first, second or last part of the period. */
  third?: Third;
  dayOfMonth?: number;
  /** True if the day was a bare number: without a month it has no meaning. */
  bareDay?: true;
  weekday?: number;
  weekend?: true;
  /** last, this or next, before the name of a day or a month. */
  lean?: Shift;
  part?: DayPart;
  clock?: ClockTime;
  instant?: { readonly ms: number; readonly unit: Unit };
  now?: true;
}

/** The parts that choose days. */
export const dayKeys = [
  "day",
  "relative",
  "year",
  "yearOffset",
  "decade",
  "half",
  "quarter",
  "isoWeek",
  "month",
  "third",
  "dayOfMonth",
  "weekday",
  "weekend",
] as const;

/** True if these parts do not determine the day. */
export function hasNoDay(parts: PhraseParts): boolean {
  return parts.instant === undefined && parts.now === undefined && dayKeys.every((key) => parts[key] === undefined);
}

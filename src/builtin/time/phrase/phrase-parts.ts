import type { DayPart, Shift, Third, Unit } from "./token.ts";

/** A period relative to now: "last week", "3 days ago". */
export interface Relative {
  readonly unit: Unit;
  readonly offset: number;
  /** Counted from today, as in "2 weeks ago": as the end of a range it means that very day. */
  readonly exact: boolean;
}

/** A time of day; `unit` is how exactly it was said. */
export interface ClockTime {
  readonly ms: number;
  readonly unit: Unit;
  /** Said with am or pm. */
  readonly fixed: boolean;
}

/** What a description says of one period, in any order: "5 March 2025", 去年三月, "Friday last week", … */
export interface Parts {
  /** Days from today. */
  day?: number;
  relative?: Relative;
  year?: number;
  /** Years from this one. */
  yearOffset?: number;
  /** The year is the first of ten. */
  decade?: true;
  half?: number;
  quarter?: number;
  isoWeek?: number;
  month?: number;
  /** The first, second or last part of the period. */
  third?: Third;
  dayOfMonth?: number;
  /** The day was a number with nothing to say so: without a month it means nothing. */
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

/** Do these parts say nothing about the day? */
export function saysNoDay(parts: Parts): boolean {
  return parts.instant === undefined && parts.now === undefined && dayKeys.every((key) => parts[key] === undefined);
}

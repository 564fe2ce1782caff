import { type Days, dateOf, monthsFrom } from "../calendar.ts";
import type { Third, Unit } from "./token.ts";
import { Unclear } from "./unclear-phrase.ts";

/** First days of the three parts of a week or a month, counted from its beginning. */
const firstDays: Partial<Record<Unit, readonly number[]>> = { week: [0, 2, 4], month: [0, 10, 20] };

/** First months of the three parts of a quarter or a year, and their lengths. */
const firstMonths: Partial<Record<Unit, readonly (readonly [first: number, count: number])[]>> = {
  quarter: [
    [0, 1],
    [1, 1],
    [2, 1],
  ],
  year: [
    [0, 4],
    [4, 4],
    [8, 4],
  ],
};

/** The beginning of a year is shorter than its early part. */
const edgesOfYear: readonly (readonly [first: number, count: number])[] = [
  [0, 2],
  [4, 4],
  [10, 2],
];

/**
 * Returns the first, second or last part of a period. A week is split into Monday and Tuesday, Wednesday and Thursday,
 * and the rest; a month into ten days, ten days and the rest; a quarter into months; a year into parts of four months,
 * but its beginning and its end are two months each.
 */
export function thirdOf(period: Days, unit: Unit, { number, sort }: Third): Days {
  if (sort === "ten_days" && unit !== "month") throw new Unclear("only months have parts of ten days");
  const days = firstDays[unit];
  if (days !== undefined) {
    const next = days[number];
    return {
      start: period.start + (days[number - 1] ?? 0),
      end: next === undefined ? period.end : period.start + next,
    };
  }
  const months = unit === "year" && sort === "edge" ? edgesOfYear : firstMonths[unit];
  const part = months?.[number - 1];
  if (part === undefined) throw new Unclear("its words do not go together");
  const { year, month } = dateOf(period.start);
  return monthsFrom(year, month + part[0], part[1]);
}

import { type Days, dateOf, monthsFrom } from "../calendar.ts";
import type { Third, Unit } from "./token.ts";
import { Unclear } from "./unclear.ts";

/** How many days from the beginning of a week or a month its three parts begin. */
const firstDays: Partial<Record<Unit, readonly number[]>> = { week: [0, 2, 4], month: [0, 10, 20] };

/** The months of a quarter or a year in which its three parts begin, and how many they have. */
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

/** The beginning of a year is less than what is early in it. */
const edgesOfYear: readonly (readonly [first: number, count: number])[] = [
  [0, 2],
  [4, 4],
  [10, 2],
];

/**
 * The first, second or last part of a period: of a week Monday and Tuesday, Wednesday and Thursday, the rest; of a
 * month ten days, ten days, the rest; of a quarter a month; of a year four months, but two for its beginning and end.
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

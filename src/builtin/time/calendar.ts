/** Days of the Gregorian calendar as whole numbers, day 0 being 1970-01-01: no zone, no hours. */
export type Day = number;

/** Days from `start` up to, and without, `end`. */
export interface Days {
  readonly start: Day;
  readonly end: Day;
}

/** Length of a day without clock changes. */
export const dayMs: number = 86_400_000;

/** Range of supported years; others need no time zone. */
export const firstYear = 1000;
export const lastYear = 9999;

/** Returns the day of a date; a month or a day out of range carries over. */
export function dayOf(year: number, month: number, day: number): Day {
  return Date.UTC(year, month - 1, day) / dayMs;
}

/** The date of a day. */
export function dateOf(day: Day): { readonly year: number; readonly month: number; readonly day: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: Day): number {
  // Day 0 was a Thursday.
  return (((day + 3) % 7) + 7) % 7;
}

/** Returns the Monday on or before a day. */
export function mondayOf(day: Day): Day {
  return day - weekdayOf(day);
}

/** True if the date exists in the calendar. */
export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Returns the same day of another month, or the last day of a shorter month. */
export function addMonths(day: Day, count: number): Day {
  const date = dateOf(day);
  const months = date.year * 12 + date.month - 1 + count;
  const year = Math.floor(months / 12);
  const month = months - year * 12 + 1;
  return dayOf(year, month, Math.min(date.day, daysInMonth(year, month)));
}

/** Returns `count` months from the first of a month. */
export function monthsFrom(year: number, month: number, count: number): Days {
  return { start: dayOf(year, month, 1), end: dayOf(year, month + count, 1) };
}

/** Returns a week by its ISO number, or undefined if the year has no such week: week 1 contains 4 January. */
export function isoWeek(year: number, week: number): Days | undefined {
  const start = mondayOf(dayOf(year, 1, 4)) + (week - 1) * 7;
  const next = mondayOf(dayOf(year + 1, 1, 4));
  return week >= 1 && start < next ? { start, end: start + 7 } : undefined;
}

function daysInMonth(year: number, month: number): number {
  return dayOf(year, month + 1, 1) - dayOf(year, month, 1);
}

/** From Monday on, as weeks begin. */
export const weekdayNames: readonly string[] = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

/** The months in English. */
export const monthNames: readonly string[] =
  "January February March April May June July August September October November December".split(" ");

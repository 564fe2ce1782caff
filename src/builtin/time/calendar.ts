/** Days of the Gregorian calendar as whole numbers, day 0 being 1970-01-01: no zone, no hours. */
export type Day = number;

/** A date of the calendar; months and days count from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Days from `start` up to, and without, `end`. */
export interface Days {
  readonly start: Day;
  readonly end: Day;
}

/** The length of a day on a clock that nobody sets. */
export const dayMs: number = 86_400_000;

/** The years that are counted in; others need no time zone. */
export const firstYear = 1000;
export const lastYear = 9999;

/** The day of a date; a month or a day that is too large or too small runs over. */
export function dayOf(year: number, month: number, day: number): Day {
  return Date.UTC(year, month - 1, day) / dayMs;
}

/** The date of a day. */
export function dateOf(day: Day): CivilDate {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: Day): number {
  // Day 0 was a Thursday.
  return (((day + 3) % 7) + 7) % 7;
}

/** The Monday on or before a day. */
export function mondayOf(day: Day): Day {
  return day - weekdayOf(day);
}

/** Does the calendar have this date? */
export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** The same day of another month; the last one of a month that is shorter. */
export function addMonths(day: Day, count: number): Day {
  const date = dateOf(day);
  const months = date.year * 12 + date.month - 1 + count;
  const year = Math.floor(months / 12);
  const month = months - year * 12 + 1;
  return dayOf(year, month, Math.min(date.day, daysInMonth(year, month)));
}

/** `count` months from the first of a month on. */
export function monthsFrom(year: number, month: number, count: number): Days {
  return { start: dayOf(year, month, 1), end: dayOf(year, month + count, 1) };
}

/** A week by its ISO number, or undefined where the year has no such week: week 1 holds 4 January. */
export function isoWeek(year: number, week: number): Days | undefined {
  const start = mondayOf(dayOf(year, 1, 4)) + (week - 1) * 7;
  const next = mondayOf(dayOf(year + 1, 1, 4));
  return week >= 1 && start < next ? { start, end: start + 7 } : undefined;
}

function daysInMonth(year: number, month: number): number {
  return dayOf(year, month + 1, 1) - dayOf(year, month, 1);
}

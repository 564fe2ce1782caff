import { type Day, dateOf, dayOf, dayMs, firstYear, isDate, lastYear } from "./calendar.ts";
import { timeFailure } from "./time-reasons.ts";
import type { Zone } from "./zone.ts";

const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Returns the instant that the caller passes as now. */
export function checkNow(now: number | string, zone: Zone): number {
  const instant = typeof now === "number" ? Math.trunc(now) : (readIso(now.trim(), zone) ?? Number.NaN);
  if (!Number.isFinite(instant)) {
    throw timeFailure(
      "bad_now",
      '`now` must be epoch milliseconds such as 1763197445000, or an ISO time such as "2025-11-15T09:04:05+08:00"',
      { parameter: "now" },
    );
  }
  return checkInstant(instant, "now");
}

/** Refuses instants that neither zones nor the calendar support. */
export function checkInstant(instant: number, parameter: string): number {
  // One day of margin on either side: zones are up to a day apart.
  const first = dayOf(firstYear, 1, 1) * dayMs - dayMs;
  const end = dayOf(lastYear + 1, 1, 1) * dayMs + dayMs;
  if (instant >= first && instant <= end) return instant;
  throw timeFailure("out_of_range", `the time lies outside the years ${firstYear} to ${lastYear}; name a nearer one`, {
    parameter,
  });
}

/** Returns the instant of an ISO time; without an offset it is in the zone. A date means its first instant. */
export function readIso(text: string, zone: Zone): number | undefined {
  const [, date = "", time = "00:00", offset] = isoTime.exec(text) ?? [];
  const day = readDate(date);
  const ms = readTime(time);
  if (day === undefined || ms === undefined) return undefined;
  if (offset === undefined) return zone.instantOf(day, ms);
  const ahead = readOffset(offset);
  return ahead === undefined ? undefined : day * dayMs + ms - ahead;
}

function readDate(date: string): Day | undefined {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  return year >= firstYear && isDate(year, month, day) ? dayOf(year, month, day) : undefined;
}

/** Returns the milliseconds since midnight of `09:04`, `09:04:05.123`. */
function readTime(time: string): number | undefined {
  const [hour = 0, minute = 0, second = 0] = time.replace(",", ".").split(":").map(Number);
  if (hour > 23 || minute > 59 || second >= 60) return undefined;
  return (hour * 60 + minute) * 60_000 + Math.round(second * 1000);
}

/** Returns the milliseconds of `Z`, `+08:00`, `-0330`. */
export function readOffset(offset: string): number | undefined {
  if (offset.toLowerCase() === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** True if this day is within the supported years. */
export function isCounted(day: number): boolean {
  const { year } = dateOf(day);
  return year >= firstYear && year <= lastYear;
}

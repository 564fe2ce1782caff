import { isFailureError, systemClock } from "../../base/index.ts";
import { quoteText } from "../../text/index.ts";
import { checkNow } from "./check-now.ts";
import type { TimeOptions } from "./current-time.ts";
import { findRange } from "./phrase/find-range.ts";
import { tokenize } from "./phrase/tokenize.ts";
import { isUnclear } from "./phrase/token.ts";
import { timeFailure } from "./time-reasons.ts";
import { findZone, systemTimezone } from "./zone.ts";

/** From `startTime` up to, and without, `endTime`, in epoch milliseconds. */
export interface TimeRange {
  readonly startTime: number;
  readonly endTime: number;
}

/** A description may have this many characters. */
const maxTimeDescriptionLength = 200;

/** Examples that a failure offers. */
const examples =
  "today, yesterday, last week, this month, past 3 days, half an hour ago, since Monday, last Friday, March 2025, Q3 2025, " +
  "2025-03-01 to 2025-03-15, between March and May; 今天, 上周, 最近三天, 半小时前, 上周五, 月底, 去年三月, 今年第三季度";

/**
 * Converts words in English or Chinese to a range of time.
 *
 * Weeks begin on Monday; days, weeks and months are those of the zone's calendar, including changes of its clocks.
 * - "last week" and 上周 are the whole week before this one; "past week", "last 7 days" and 最近一周 reach from the
 *   start of the day a week ago up to now: on a Sunday from the Sunday before, which makes seven days and the elapsed
 *   part of today. Lengths in hours and minutes are exact.
 * - A name without a year or week is the latest that has begun: "March", "Friday", 3月5日. "last Friday" is the nearest
 *   one before today, 上周五 the Friday of the week before.
 * - "A to B" contains the whole of a day or month B, but ends at B if that is a time of day. "since A" and "after A"
 *   end now; "before A" and "until A" begin in 1970, and "all time", "ever" and 有史以来 are everything from then to now.
 * - A few is 3; recently is the last 7 days. Mornings are 6 to 12, afternoons 12 to 18, evenings 18 to 24 o'clock,
 *   nights last until 6; midnight begins a day.
 * - The beginning and the end of a week are Monday and Tuesday, and Friday to Sunday; of a month its first ten days,
 *   and those from the 21st on; of a quarter its first and its last month; of a year its first and its last two
 *   months. "the end of the month" and 月底 are this month's.
 * - Holidays with a fixed date are days, such as Christmas and 国庆节; those of the lunar calendar are refused, as are
 *   seasons.
 *
 * @example
 * ```ts
 * timeRange("last week", { timezone: "Europe/Berlin", now: "2026-11-15" });
 * // { startTime: 1793574000000, endTime: 1794178800000 }: 2 November up to 9 November
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function timeRange(description: string, options: TimeOptions = {}): TimeRange {
  const zone = findZone(options.timezone ?? systemTimezone());
  const now = checkNow(options.now ?? systemClock.now(), zone);
  if (description.length > maxTimeDescriptionLength) {
    throw timeFailure(
      "too_long",
      `the description has ${description.length} characters, more than ${maxTimeDescriptionLength}; name only the time`,
      { parameter: "description" },
    );
  }
  try {
    const { start, end } = findRange(tokenize(description), { zone, now, today: zone.wallClock(now).day });
    return checkRange(description, start, end);
  } catch (error) {
    if (isFailureError(error) || !isUnclear(error)) throw error;
    throw timeFailure(
      "not_understood",
      `cannot read ${quoteText(description, maxTimeDescriptionLength)} as a range of time: ${error.message}. Write for example: ${examples}`,
      {
        parameter: "description",
      },
    );
  }
}

function checkRange(description: string, startTime: number, endTime: number): TimeRange {
  if (startTime < endTime) return { startTime, endTime };
  throw timeFailure(
    "empty_range",
    `${quoteText(description, maxTimeDescriptionLength)} contains no time: it would begin at ${iso(startTime)} and end at ${iso(endTime)}. ` +
      "Name a start that lies before the end",
    { parameter: "description" },
  );
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

import { type Day, dayOf, isDate } from "../time/calendar.ts";
import { readIso } from "../time/check-now.ts";
import type { Zone } from "../time/zone.ts";

/** Sources of a note's time. */
export interface NoteFacts {
  readonly path: string;
  /** Dates in its front matter, best first. */
  readonly dates: readonly string[];
  /** The time of the file. */
  readonly modifiedMs: number;
}

/** A number outside these years is not the year of a note. */
const firstYear = 1900;
const lastYear = 2199;

/** `2026-11-03`, `2026_11_03`, `2026.11.3`, 2026年11月3日, `20261103` and, with a time behind it, `202611031430`. */
const written =
  /(?<!\d)(\d{4})(?:([-_./])(\d{1,2})\2(\d{1,2})(?!\d)|年(\d{1,2})月(\d{1,2})日|(?<![\p{L}\p{N}]\d{4})(\d{2})(\d{2})(?:T?\d{4}(?:\d{2})?)?(?![\p{L}\p{N}]))/gu;
/** `2026/11/03.md` */
const foldered = /(?:^|\/)(\d{4}\/\d{1,2}\/\d{1,2})(?!\d)[^/]*$/u;

/**
 * The time of a note: the day in its name, or else the date of its front matter, or else the time of its file. If only
 * a day is known, a more exact time within that day is used; so copying files does not change the day in their name.
 */
export function resolveNoteTime({ path, dates, modifiedMs }: NoteFacts, zone: Zone): number {
  const named = dayIn(path.slice(path.lastIndexOf("/") + 1)) ?? dayIn(foldered.exec(path)?.[1] ?? "");
  // A date with a time of day.
  const message = dates
    .map((date) => ({ day: dayIn(date), moment: date.includes(":") ? readIso(date.trim(), zone) : undefined }))
    .find(({ day }) => day !== undefined);
  const moments = [...(message?.moment === undefined ? [] : [message.moment]), modifiedMs];
  const day = named ?? (message?.moment === undefined ? message?.day : undefined);
  return day === undefined ? (moments[0] ?? modifiedMs) : momentOf(day, moments, zone);
}

/** The first date of the calendar in a text. */
function dayIn(text: string): Day | undefined {
  for (const match of text.matchAll(written)) {
    const [year = 0, month = 0, day = 0] = match.slice(1).filter(isDigits).map(Number);
    if (year >= firstYear && year <= lastYear && isDate(year, month, day)) return dayOf(year, month, day);
  }
  return undefined;
}

function isDigits(part: string | undefined): boolean {
  return /^\d+$/u.test(part ?? "");
}

/** The first of these moments that is of the day, or else its beginning. */
function momentOf(day: Day, moments: readonly number[], zone: Zone): number {
  const start = zone.instantOf(day);
  const end = zone.instantOf(day + 1);
  return moments.find((moment) => moment >= start && moment < end) ?? start;
}

/** A moment as ISO 8601, by the clocks of a zone: its date is the day that people there call it. */
export function toIsoInZone(zone: Zone, instant: number): string {
  // Old zones were seconds off, which would be of the day before.
  const minutes = Math.ceil(zone.offsetAt(instant) / 60_000);
  const iso = new Date(instant + minutes * 60_000).toISOString();
  if (minutes === 0) return iso;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  return `${iso.slice(0, -1)}${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

import { type Day, type Days, dayMs } from "../calendar.ts";
import { checkInstant, isCounted } from "../check-now.ts";
import { timeFailure } from "../time-reasons.ts";
import type { Zone } from "../zone.ts";
import { dayAway, findDays } from "./find-days.ts";
import { fixedMs } from "./whole-units.ts";
import { type PhraseParts, type Relative, hasNoDay } from "./phrase-parts.ts";
import { Unclear, type DayPart } from "./token.ts";

/** The zone, its current time and today's date. */
export interface TimeContext {
  readonly zone: Zone;
  readonly now: number;
  readonly today: Day;
}

/** A period, and the instants that it contributes to a range that begins or ends with it. */
export interface Moment {
  readonly start: number;
  readonly end: number;
  /** Start of "since this". */
  readonly from: number;
  /** End of "until this": a day counts to its end, a time of day is an instant. */
  readonly to: number;
  readonly day: Day;
}

/** Returns the period that the parts name; `after` is the start of the range that it ends. */
export function findMoment(parts: PhraseParts, here: TimeContext, after?: Moment): Moment {
  const point = findPoint(parts, here);
  if (point !== undefined) {
    if (Object.keys(parts).length !== 1) throw new Unclear("its words do not go together");
    return point;
  }
  const days = existing(findDays(parts, { today: here.today, after: after?.day }), parts, here);
  if (parts.clock !== undefined) return clockOn(days, parts, { here, after });
  if (parts.part !== undefined) return partOf(days, parts.part, here);
  const { start, end } = instantsOf(days, here);
  const { relative } = parts;
  const isExact = relative?.exact === true && Object.keys(parts).length === 1;
  if (!isExact) return { start, end, from: start, to: end, day: days.start };
  const day = dayAway(here.today, relative.unit, relative.offset);
  const edges = instantsOf({ start: day, end: day + 1 }, here);
  return { start, end, from: edges.start, to: edges.end, day };
}

/** Returns the instants at which days begin and end. */
export function instantsOf(
  { start, end }: Days,
  { zone }: TimeContext,
): { readonly start: number; readonly end: number } {
  if (!isCounted(start) || !isCounted(end - 1)) throw tooFar();
  return { start: zone.instantOf(start), end: zone.instantOf(end) };
}

/** A zone that crossed the date line has skipped a day: yesterday is then the day before it. */
function existing(days: Days, parts: PhraseParts, here: TimeContext): Days {
  const step = Math.sign(parts.day ?? (parts.relative?.unit === "day" ? parts.relative.offset : 0));
  if (step === 0 || !isCounted(days.start)) return days;
  const { start, end } = instantsOf(days, here);
  return start < end ? days : { start: days.start + step, end: days.end + step };
}

/** Returns an instant instead of days: now, a time of day, some hours ago. */
function findPoint(parts: PhraseParts, here: TimeContext): Moment | undefined {
  const { instant, relative } = parts;
  if (parts.now === true) return around(here.now, "minute", here);
  if (instant !== undefined) {
    const length = fixedMs(instant.unit) ?? 0;
    const ms = checkInstant(instant.ms, "description");
    return { start: ms, end: ms + length, from: ms, to: ms, day: here.zone.wallClock(ms).day };
  }
  const length = relative === undefined ? undefined : fixedMs(relative.unit);
  if (relative === undefined || length === undefined) return undefined;
  return around(checkInstant(here.now + relative.offset * length, "description"), relative.unit, here);
}

/** Returns the minute or the hour that contains an instant. */
function around(point: number, unit: Relative["unit"], { zone }: TimeContext): Moment {
  const { day, ms } = zone.wallClock(point);
  const length = fixedMs(unit) ?? 0;
  const start = point - (ms % length);
  return { start, end: start + length, from: point, to: point, day };
}

function clockOn(
  days: Days,
  parts: PhraseParts,
  { here, after }: { here: TimeContext; after: Moment | undefined },
): Moment {
  const { clock, part } = parts;
  if (days.end - days.start !== 1 || clock === undefined) throw new Unclear("a time of day needs one day");
  const ms = part === undefined || clock.fixed ? clock.ms : inPart(clock.ms, part);
  const { start } = instantsOf(days, here);
  const at = (day: Day, offset = 0): number =>
    here.zone.instantOf(day + Math.floor((ms + offset) / dayMs), (ms + offset) % dayMs);
  // "10pm to 2am" ends on the next day.
  const isNextDay = after !== undefined && hasNoDay(parts) && at(days.start) <= after.from;
  const day = days.start + (isNextDay ? 1 : 0);
  const point = Math.max(start, at(day));
  return { start: point, end: at(day, fixedMs(clock.unit) ?? 0), from: point, to: point, day };
}

/** 下午3点 is 15:00, 晚上12点 is the end of the day, 凌晨12点 its start. */
function inPart(ms: number, part: DayPart): number {
  const noon = dayMs / 2;
  const hour = ms / 3_600_000;
  if (hour >= 13) return ms;
  if (part.from >= 18) return hour < 6 ? ms + dayMs : ms + noon;
  if (part.from === 0) return ms % noon;
  return part.from >= 11 && hour < 11 ? ms + noon : ms;
}

function partOf(days: Days, { from, to }: DayPart, here: TimeContext): Moment {
  if (days.end - days.start !== 1) throw new Unclear("a part of a day needs one day");
  instantsOf(days, here);
  const start = here.zone.instantOf(days.start, from * 3_600_000);
  const end =
    to >= 24 ? here.zone.instantOf(days.end, (to - 24) * 3_600_000) : here.zone.instantOf(days.start, to * 3_600_000);
  return { start, end, from: start, to: end, day: days.start };
}

function tooFar(): Error {
  return timeFailure("out_of_range", "the range lies outside the years 1000 to 9999; name a nearer one", {
    parameter: "description",
  });
}

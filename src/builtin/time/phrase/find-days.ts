import {
  type Day,
  type Days,
  addMonths,
  dateOf,
  dayOf,
  isDate,
  isoWeek,
  mondayOf,
  monthsFrom,
  weekdayOf,
} from "../calendar.ts";
import { type PhraseParts, type Relative, dayKeys } from "./phrase-parts.ts";
import { type Unit, type Third, Unclear } from "./token.ts";

/** Reference points of the search for days. */
interface DayAnchor {
  readonly today: Day;
  /** Start of the range that these parts end: the named days are on or after it. */
  readonly after?: Day | undefined;
}

/** The combinations of parts that name days; any other is a contradiction, or meaningless. */
const shapes: ReadonlySet<string> = new Set([
  "",
  "day",
  "day weekday",
  "relative",
  "relative weekday",
  "relative weekend",
  "relative third",
  "year",
  "year third",
  "year decade",
  ...[
    "half",
    "quarter",
    "quarter third",
    "isoWeek",
    "month",
    "month third",
    "month dayOfMonth",
    "month dayOfMonth weekday",
  ].flatMap((shape) => [shape, `year ${shape}`]),
  "dayOfMonth",
  "dayOfMonth weekday",
  "weekday",
  "weekend",
]);

const leaningShapes: ReadonlySet<string> = new Set([
  "weekday",
  "weekend",
  "half",
  "quarter",
  "month",
  "month third",
  "month dayOfMonth",
]);

/** Returns the days that the parts name. */
export function findDays(tokens: PhraseParts, around: DayAnchor): Days {
  const parts = withYear(tokens, around.today);
  const shape = dayKeys.filter((key) => parts[key] !== undefined).join(" ");
  if (!shapes.has(shape)) throw new Unclear("its words do not go together");
  if (parts.lean !== undefined && !leaningShapes.has(shape)) throw new Unclear("its words do not go together");
  if (parts.bareDay === true && parts.month === undefined) throw new Unclear("a number alone is not a time");
  const days = daysOfShape(parts, around);
  const isOther = parts.weekday !== undefined && weekdayOf(days.start) !== parts.weekday;
  if (isOther) throw new Unclear("the date is another day of the week");
  return days;
}

/** Resolves "last month" to a year and a month, and the like, so that a day, a quarter, … can follow. */
function withYear(parts: PhraseParts, today: Day): PhraseParts {
  const { relative, yearOffset, ...rest } = parts;
  const { year } = dateOf(today);
  if (yearOffset !== undefined) {
    if (parts.year !== undefined || relative !== undefined) throw new Unclear("it names two years");
    return { ...rest, year: year + yearOffset };
  }
  // Counted from today, it is unchanged, unless something follows.
  const isAlone = dayKeys.every((key) => key === "relative" || parts[key] === undefined);
  if (
    relative === undefined ||
    isAlone ||
    parts.year !== undefined ||
    (parts.month !== undefined && relative.unit !== "year")
  )
    return parts;
  const { start } = periodOf(relative, today);
  const date = dateOf(start);
  if (relative.unit === "year") return { ...rest, year: date.year };
  if (relative.unit === "month") return { ...rest, year: date.year, month: date.month };
  return parts;
}

function daysOfShape(parts: PhraseParts, around: DayAnchor): Days {
  const { day, relative, weekday, weekend, dayOfMonth } = parts;
  if (day !== undefined) return oneDay(around.today + day);
  if (relative !== undefined) return inRelative(parts, relative, around.today);
  if (parts.year !== undefined) return namedDays(parts, parts.year) ?? noSuchDay();
  if (parts.month ?? parts.quarter ?? parts.half ?? parts.isoWeek) return nearestYear(parts, around);
  if (dayOfMonth !== undefined) return nearestMonth(dayOfMonth, around);
  if (weekday !== undefined) return oneDay(nearestWeekday(weekday, parts, around));
  if (weekend !== undefined) return nearestWeekend(parts, around);
  return oneDay(around.today);
}

/** Returns the calendar week, month, … at this offset from the current one. */
function periodOf({ unit, offset }: Relative, today: Day): Days {
  const { year, month } = dateOf(today);
  const months = { month: 1, quarter: 3, year: 12 };
  switch (unit) {
    case "month":
    case "quarter":
    case "year": {
      const length = months[unit];
      return monthsFrom(year, month - ((month - 1) % length) + offset * length, length);
    }
    case "week": {
      const start = mondayOf(today) + offset * 7;
      return { start, end: start + 7 };
    }
    default:
      return oneDay(today + offset);
  }
}

/** Returns the day at this distance from today. */
export function dayAway(today: Day, unit: Relative["unit"], count: number): Day {
  const months = { month: 1, quarter: 3, year: 12 };
  if (unit === "month" || unit === "quarter" || unit === "year") return addMonths(today, count * months[unit]);
  return today + count * (unit === "week" ? 7 : 1);
}

function inRelative({ weekday, weekend, third }: PhraseParts, relative: Relative, today: Day): Days {
  const period = periodOf(relative, today);
  if (third !== undefined) return thirdOf(period, relative.unit, third);
  if (weekday === undefined && weekend === undefined) return period;
  if (relative.unit !== "week") throw new Unclear("its words do not go together");
  return weekend === undefined ? oneDay(period.start + (weekday ?? 0)) : { start: period.start + 5, end: period.end };
}

/** Returns the days that month, quarter, … name in a year; undefined if the year does not have them. */
function namedDays(parts: PhraseParts, year: number): Days | undefined {
  const { half, quarter, month, third, dayOfMonth } = parts;
  const part = (period: Days, unit: Unit): Days => (third === undefined ? period : thirdOf(period, unit, third));
  if (half !== undefined) return monthsFrom(year, half * 6 - 5, 6);
  if (quarter !== undefined) return part(monthsFrom(year, quarter * 3 - 2, 3), "quarter");
  if (parts.isoWeek !== undefined) return isoWeek(year, parts.isoWeek);
  if (month === undefined) return part(monthsFrom(year, 1, parts.decade === true ? 120 : 12), "year");
  if (dayOfMonth !== undefined) {
    return isDate(year, month, dayOfMonth) ? oneDay(dayOf(year, month, dayOfMonth)) : undefined;
  }
  return part(monthsFrom(year, month, 1), "month");
}

/** At most seven years in a row have no 29 February. */
const maxYears = 9;

/**
 * Chooses the year if none is named: the latest that has begun, or the one that last, this, next or the start of the
 * range requires.
 */
function nearestYear(parts: PhraseParts, { today, after }: DayAnchor): Days {
  const by = parts.lean?.by;
  const { year } = dateOf(after ?? today);
  if (by === 0) return namedDays(parts, year) ?? noSuchDay();
  const step = after !== undefined || by === 1 ? 1 : -1;
  // Week 1 may begin in December.
  for (let at = year - step, tried = 0; tried < maxYears + 1; at += step, tried++) {
    const days = namedDays(parts, at);
    if (days !== undefined && fits(days, { by, today, after })) return days;
  }
  return noSuchDay();
}

function fits(days: Days, { by, today, after }: DayAnchor & { readonly by: number | undefined }): boolean {
  if (after !== undefined) return days.start >= after;
  if (by === undefined) return days.start <= today;
  if (Math.abs(by) > 1) return false;
  return by < 0 ? days.end <= today : days.start > today;
}

/** Returns the latest day with this number, or the first one from the start of the range. */
function nearestMonth(dayOfMonth: number, { today, after }: DayAnchor): Days {
  const { year, month } = dateOf(after ?? today);
  for (let tried = 0; tried < 3; tried++) {
    const first = dateOf(dayOf(year, month + (after === undefined ? -tried : tried), 1));
    if (!isDate(first.year, first.month, dayOfMonth)) continue;
    const day = dayOf(first.year, first.month, dayOfMonth);
    if (after === undefined ? day <= today : day >= after) return oneDay(day);
  }
  return noSuchDay();
}

function nearestWeekday(weekday: number, { lean }: PhraseParts, { today, after }: DayAnchor): Day {
  const inThisWeek = mondayOf(today) + weekday;
  if (lean?.byWeek === true || lean?.by === 0) return inThisWeek + lean.by * 7;
  if (lean?.by === 1) return firstFrom(today + 1, weekday);
  if (lean?.by === -1) return firstFrom(today - 7, weekday);
  return after === undefined ? firstFrom(today - 6, weekday) : firstFrom(after, weekday);
}

function nearestWeekend({ lean }: PhraseParts, { today, after }: DayAnchor): Days {
  const saturday = mondayOf(today) + 5;
  const defaultTimezone = after === undefined ? firstFrom(today - 6, 5) : firstFrom(after, 5);
  const start = lean === undefined ? defaultTimezone : saturday + lean.by * 7;
  return { start, end: start + 2 };
}

/** Returns the first such weekday on or after a day. */
function firstFrom(day: Day, weekday: number): Day {
  return day + ((weekday - weekdayOf(day) + 7) % 7);
}

function oneDay(start: Day): Days {
  return { start, end: start + 1 };
}

function noSuchDay(): never {
  throw new Unclear("the calendar has no such day");
}

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
function thirdOf(period: Days, unit: Unit, { number, sort }: Third): Days {
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

import { findLength, joinLengths } from "./find-length.ts";
import { mondayOf } from "../calendar.ts";
import { type TimeContext, findMoment, instantsOf } from "./find-moment.ts";
import { hasNoDay, type PhraseParts, dayKeys } from "./phrase-parts.ts";
import { isCount, readParts } from "./read-parts.ts";
import { type Mark, type Token, isMark, createShift, Unclear } from "./token.ts";

/** A range in epoch milliseconds: `start` inclusive, `end` exclusive. */
interface InstantRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the range that the tokens describe. */
export function findRange(input: readonly Token[], here: TimeContext): InstantRange {
  const tokens = reachingBack(joinLengths(withoutFillers(input)));
  const first = tokens[0];
  const last = tokens.at(-1);
  if (isMark(first, "ever") && tokens.length === 1) return { start: 0, end: here.now };
  if (isMark(last, "amid")) return between(tokens.slice(isMark(first, "between", "since") ? 1 : 0, -1), here);
  if (isMark(first, "between")) return between(tokens.slice(1), here);
  if (isMark(first, "since")) return sinceOrSpan(tokens.slice(1), here);
  if (isMark(first, "onward")) return since(tokens.slice(1), here);
  if (isMark(last, "onward")) return since(tokens.slice(0, -1), here);
  return openRange(tokens, here) ?? span(tokens, here) ?? findLength(tokens, here) ?? period(tokens, here);
}

function period(tokens: readonly Token[], here: TimeContext): InstantRange {
  const [first] = tokens;
  if (isMark(first, "rest")) return remainderOf(tokens.slice(1), here);
  if (isMark(first, "week_of")) return weekOf(tokens.slice(1), here);
  if (isMark(tokens.at(-1), "week_of")) return weekOf(tokens.slice(0, -1), here);
  return findMoment(readParts(tokens), here);
}

function withoutFillers(input: readonly Token[]): readonly Token[] {
  const tokens = input.filter((token) => !isMark(token, "filler"));
  return tokens.filter((token, at) => {
    if (!isMark(token, "in")) return true;
    const of = tokens[at + 2];
    return isCount(tokens[at + 1], of) && of?.kind === "unit" && !of.names;
  });
}

/** 前三天 and 三天内 are the past three days; but 前三季度 are the first quarters of a year, and 今年内 is this year. */
function reachingBack(input: readonly Token[]): readonly Token[] {
  const tokens = input.filter((token) => !isMark(token, "within"));
  const past = createShift(-1, { rolling: true });
  if (isMark(tokens[0], "front") && isCount(tokens[1], tokens[2])) return [past, ...tokens.slice(1)];
  const isWithin = tokens.length < input.length && tokens.length === 2 && isCount(tokens[0], tokens[1]);
  return isWithin ? [past, ...tokens] : tokens;
}

/** Returns the range from now to the end of the period; "the rest of the week" is of this week. */
function remainderOf(tokens: readonly Token[], here: TimeContext): InstantRange {
  const text = tokens[0]?.kind === "unit" ? [createShift(0), ...tokens] : tokens;
  return { start: here.now, end: findMoment(readParts(text), here).end };
}

/** More than a day, even if the clocks change. */
const longerThanDay = 30 * 3_600_000;

function weekOf(tokens: readonly Token[], here: TimeContext): InstantRange {
  const { start, end, day } = findMoment(readParts(tokens), here);
  if (end - start > longerThanDay) throw new Unclear("name one day of the week");
  const monday = mondayOf(day);
  return instantsOf({ start: monday, end: monday + 7 }, here);
}

/** Reads "from A to B", or from A up to now. */
function sinceOrSpan(tokens: readonly Token[], here: TimeContext): InstantRange {
  if (isMark(tokens.at(-1), "onward")) return since(tokens.slice(0, -1), here);
  return span(tokens, here) ?? since(tokens, here);
}

function since(tokens: readonly Token[], here: TimeContext): InstantRange {
  // 三年来 is the past three years.
  const isLength = tokens.length === 2 && isCount(tokens[0], tokens[1]);
  const length = findLength(isLength ? [createShift(-1, { rolling: true }), ...tokens] : tokens, here);
  return { start: length?.start ?? findMoment(readParts(tokens), here).from, end: here.now };
}

/** Reads before, until or after something. A range without a beginning begins in 1970. */
function openRange(tokens: readonly Token[], here: TimeContext): InstantRange | undefined {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (isMark(first, "to")) return { start: 0, end: findMoment(readParts(tokens.slice(1)), here).to };
  if (isMark(first, "before")) return { start: 0, end: findMoment(readParts(tokens.slice(1)), here).from };
  if (isMark(first, "after")) return afterPeriod(tokens.slice(1), here);
  // "3 days ago" is a day, in any language.
  if (isCount(tokens.at(-3), tokens.at(-2)) || indexOfMark(tokens, "to") !== undefined) return undefined;
  const rest = tokens.slice(0, -1);
  if (isMark(last, "before", "front")) return { start: 0, end: findMoment(readParts(rest), here).from };
  return isMark(last, "after") ? afterPeriod(rest, here) : undefined;
}

function afterPeriod(tokens: readonly Token[], here: TimeContext): InstantRange {
  return { start: findMoment(readParts(tokens), here).to, end: here.now };
}

function between(tokens: readonly Token[], here: TimeContext): InstantRange {
  const at = indexOfMark(tokens, "and", "to");
  if (at === undefined) throw new Unclear("between needs two times");
  return join(tokens.slice(0, at), tokens.slice(at + 1), here);
}

function span(tokens: readonly Token[], here: TimeContext): InstantRange | undefined {
  const at = indexOfMark(tokens, "to");
  if (at === undefined) return undefined;
  // "yesterday from 9am to 11am"
  const left = tokens.slice(0, at).filter((token) => !isMark(token, "since"));
  return join(left, tokens.slice(at + 1), here);
}

function join(left: readonly Token[], right: readonly Token[], here: TimeContext): InstantRange {
  const { first, last } = shareParts(readParts(left), readParts(right));
  const from = findMoment(first, here);
  // A time of day is on the day on which the range begins.
  const until = hasNoDay(last) && last.clock !== undefined ? { ...here, today: from.day } : here;
  return { start: from.from, end: findMoment(last, until, from).to };
}

/** Returns the index of the only such mark; a description with several is not understood. */
function indexOfMark(tokens: readonly Token[], ...marks: readonly Mark[]): number | undefined {
  const found = tokens.flatMap((token, at) => (isMark(token, ...marks) ? [at] : []));
  if (found.length > 1) throw new Unclear("it names more than two times");
  return found[0];
}

/** Completes the two ends of a range with parts of each other: "March 5 to 10, 2025", 昨天9点到11点. */
function shareParts(
  first: PhraseParts,
  last: PhraseParts,
): { readonly first: PhraseParts; readonly last: PhraseParts } {
  const sharedFirst = withDayFrom(withMonthFrom(withWeekFrom(first, last), last), last);
  const sharedLast = withPartFrom(withMonthFrom(withWeekFrom(last, sharedFirst), sharedFirst), first);
  return { first: withYearFrom(sharedFirst, sharedLast), last: yearOfFirst(sharedLast, sharedFirst) };
}

/** "Monday to Friday last week" */
function withWeekFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  const isBare = parts.weekday !== undefined && countOfDayKeys(parts) === 1 && parts.lean === undefined;
  const { relative } = other;
  const isWeek = other.weekday !== undefined && relative?.unit === "week";
  return isBare && isWeek ? { ...parts, relative } : parts;
}

/** "March 5 to 10", 上个月5号到10号 */
function withMonthFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  const isBare = parts.dayOfMonth !== undefined && countOfDayKeys(parts) === (parts.year === undefined ? 1 : 2);
  const isInMonth = other.month !== undefined || other.relative?.unit === "month";
  if (!isBare || other.dayOfMonth === undefined || !isInMonth) return parts;
  return { ...pick(other, ["month", "relative", "year", "yearOffset", "lean"]), ...parts };
}

/** "9:00 to 17:00 yesterday": a time of day on the other's day. */
function withDayFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  if (parts.clock === undefined || !hasNoDay(parts) || other.clock === undefined) return parts;
  return { ...pick(other, [...dayKeys, "lean"]), ...parts };
}

/** 下午3点到5点 */
function withPartFrom(parts: PhraseParts, first: PhraseParts): PhraseParts {
  const isBare = parts.clock?.fixed === false && parts.part === undefined && hasNoDay(parts);
  return isBare && first.clock !== undefined ? { ...pick(first, ["part"]), ...parts } : parts;
}

/** "Nov to Feb 2025" begins in 2024. */
function withYearFrom(parts: PhraseParts, last: PhraseParts): PhraseParts {
  if (!needsYear(parts) || (last.year === undefined && last.yearOffset === undefined)) return parts;
  const isBefore = orderInYear(parts) <= orderInYear(last);
  const { year, yearOffset } = last;
  const back = isBefore ? 0 : 1;
  return {
    ...parts,
    ...(year !== undefined && { year: year - back }),
    ...(yearOffset !== undefined && { yearOffset: yearOffset - back }),
  };
}

/** 2025年3月到5月; "Nov 2024 to Feb" ends in the year after. */
function yearOfFirst(parts: PhraseParts, first: PhraseParts): PhraseParts {
  const { year, yearOffset, relative } = first;
  const offset = yearOffset ?? (relative?.unit === "year" ? relative.offset : undefined);
  if (!needsYear(parts) || (year === undefined && offset === undefined)) return parts;
  const on = orderInYear(first) <= orderInYear(parts) ? 0 : 1;
  return {
    ...parts,
    ...(year !== undefined && { year: year + on }),
    ...(year === undefined && offset !== undefined && { yearOffset: offset + on }),
  };
}

/** True if it names a part of a year, and no year. */
function needsYear(parts: PhraseParts): boolean {
  const isPart = (parts.month ?? parts.quarter ?? parts.half ?? parts.isoWeek) !== undefined;
  const { year, yearOffset, relative, day, lean } = parts;
  return isPart && [year, yearOffset, relative, day, lean].every((text) => text === undefined);
}

/** Returns roughly the day of the year. */
function orderInYear({ half, quarter, month, isoWeek, dayOfMonth = 1, third }: PhraseParts): number {
  if (half !== undefined) return (half - 1) * 186;
  if (quarter !== undefined) return (quarter - 1) * 93;
  if (isoWeek !== undefined) return isoWeek * 7;
  return ((month ?? 1) - 1) * 31 + dayOfMonth + ((third?.number ?? 1) - 1) * 10;
}

function countOfDayKeys(parts: PhraseParts): number {
  return dayKeys.filter((key) => parts[key] !== undefined).length;
}

/** Returns those of the parts that are set. */
function pick(parts: PhraseParts, keys: readonly (keyof PhraseParts)[]): PhraseParts {
  return Object.fromEntries(keys.filter((key) => parts[key] !== undefined).map((key) => [key, parts[key]]));
}

import { findLength, joinLengths } from "./find-length.ts";
import { mondayOf } from "../calendar.ts";
import { type TimeContext, type Moment, findMoment, instantsOf } from "./find-moment.ts";
import { hasNoDay } from "./phrase-parts.ts";
import { isCount, readParts } from "./read-parts.ts";
import { shareParts } from "./share-parts.ts";
import { type Mark, type Token, isMark, createShift } from "./token.ts";
import { Unclear } from "./unclear-phrase.ts";

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
  const until = hasNoDay(last) && last.clock !== undefined ? onDayOf(from, here) : here;
  return { start: from.from, end: findMoment(last, until, from).to };
}

function onDayOf(moment: Moment, here: TimeContext): TimeContext {
  return { ...here, today: moment.day };
}

/** Returns the index of the only such mark; a description with several is not understood. */
function indexOfMark(tokens: readonly Token[], ...marks: readonly Mark[]): number | undefined {
  const found = tokens.flatMap((token, at) => (isMark(token, ...marks) ? [at] : []));
  if (found.length > 1) throw new Unclear("it names more than two times");
  return found[0];
}

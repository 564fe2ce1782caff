import { findLength } from "./find-length.ts";
import { mondayOf } from "../calendar.ts";
import { type Here, type Moment, findMoment, instantsOf } from "./find-moment.ts";
import { joinLengths } from "./join-lengths.ts";
import { saysNoDay } from "./parts.ts";
import { isCount, readParts } from "./read-parts.ts";
import { shareParts } from "./share-parts.ts";
import { type Mark, type Token, isMark, shift } from "./token.ts";
import { Unclear } from "./unclear.ts";

/** A range in epoch milliseconds: from `start` up to, and without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The range that the tokens describe. */
export function findRange(given: readonly Token[], here: Here): Range {
  const tokens = reachingBack(joinLengths(withoutFillers(given)));
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

function period(tokens: readonly Token[], here: Here): Range {
  const [first] = tokens;
  if (isMark(first, "rest")) return restOf(tokens.slice(1), here);
  if (isMark(first, "week_of")) return weekOf(tokens.slice(1), here);
  if (isMark(tokens.at(-1), "week_of")) return weekOf(tokens.slice(0, -1), here);
  return findMoment(readParts(tokens), here);
}

function withoutFillers(given: readonly Token[]): readonly Token[] {
  const tokens = given.filter((token) => !isMark(token, "filler"));
  return tokens.filter((token, at) => {
    if (!isMark(token, "in")) return true;
    const of = tokens[at + 2];
    return isCount(tokens[at + 1], of) && of?.kind === "unit" && !of.names;
  });
}

/** 前三天 and 三天内 are the past three days; but 前三季度 are the first quarters of a year, and 今年内 is this year. */
function reachingBack(given: readonly Token[]): readonly Token[] {
  const tokens = given.filter((token) => !isMark(token, "within"));
  const past = shift(-1, { rolling: true });
  if (isMark(tokens[0], "front") && isCount(tokens[1], tokens[2])) return [past, ...tokens.slice(1)];
  const isWithin = tokens.length < given.length && tokens.length === 2 && isCount(tokens[0], tokens[1]);
  return isWithin ? [past, ...tokens] : tokens;
}

/** From now to the end of it; "the rest of the week" is of this one. */
function restOf(tokens: readonly Token[], here: Here): Range {
  const said = tokens[0]?.kind === "unit" ? [shift(0), ...tokens] : tokens;
  return { start: here.now, end: findMoment(readParts(said), here).end };
}

/** More than a day, whatever the clocks do. */
const longerThanDay = 30 * 3_600_000;

function weekOf(tokens: readonly Token[], here: Here): Range {
  const { start, end, day } = findMoment(readParts(tokens), here);
  if (end - start > longerThanDay) throw new Unclear("name one day of the week");
  const monday = mondayOf(day);
  return instantsOf({ start: monday, end: monday + 7 }, here);
}

/** "from A to B", or from A up to now. */
function sinceOrSpan(tokens: readonly Token[], here: Here): Range {
  if (isMark(tokens.at(-1), "onward")) return since(tokens.slice(0, -1), here);
  return span(tokens, here) ?? since(tokens, here);
}

function since(tokens: readonly Token[], here: Here): Range {
  // 三年来 are the past three years.
  const isLength = tokens.length === 2 && isCount(tokens[0], tokens[1]);
  const length = findLength(isLength ? [shift(-1, { rolling: true }), ...tokens] : tokens, here);
  return { start: length?.start ?? findMoment(readParts(tokens), here).from, end: here.now };
}

/** Before, until or after something. What has no beginning begins in 1970, as all time does. */
function openRange(tokens: readonly Token[], here: Here): Range | undefined {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (isMark(first, "to")) return { start: 0, end: findMoment(readParts(tokens.slice(1)), here).to };
  if (isMark(first, "before")) return { start: 0, end: findMoment(readParts(tokens.slice(1)), here).from };
  if (isMark(first, "after")) return afterPeriod(tokens.slice(1), here);
  // "3 days ago" is a day, whatever the language.
  if (isCount(tokens.at(-3), tokens.at(-2)) || indexOfMark(tokens, "to") !== undefined) return undefined;
  const rest = tokens.slice(0, -1);
  if (isMark(last, "before", "front")) return { start: 0, end: findMoment(readParts(rest), here).from };
  return isMark(last, "after") ? afterPeriod(rest, here) : undefined;
}

function afterPeriod(tokens: readonly Token[], here: Here): Range {
  return { start: findMoment(readParts(tokens), here).to, end: here.now };
}

function between(tokens: readonly Token[], here: Here): Range {
  const at = indexOfMark(tokens, "and", "to");
  if (at === undefined) throw new Unclear("between needs two times");
  return join(tokens.slice(0, at), tokens.slice(at + 1), here);
}

function span(tokens: readonly Token[], here: Here): Range | undefined {
  const at = indexOfMark(tokens, "to");
  if (at === undefined) return undefined;
  // "yesterday from 9am to 11am"
  const left = tokens.slice(0, at).filter((token) => !isMark(token, "since"));
  return join(left, tokens.slice(at + 1), here);
}

function join(left: readonly Token[], right: readonly Token[], here: Here): Range {
  const { first, last } = shareParts(readParts(left), readParts(right));
  const from = findMoment(first, here);
  // A time of day is on the day on which the range begins.
  const until = saysNoDay(last) && last.clock !== undefined ? onDayOf(from, here) : here;
  return { start: from.from, end: findMoment(last, until, from).to };
}

function onDayOf(moment: Moment, here: Here): Here {
  return { ...here, today: moment.day };
}

/** The only such mark; a description with more of them is not understood. */
function indexOfMark(tokens: readonly Token[], ...marks: readonly Mark[]): number | undefined {
  const found = tokens.flatMap((token, at) => (isMark(token, ...marks) ? [at] : []));
  if (found.length > 1) throw new Unclear("it names more than two times");
  return found[0];
}

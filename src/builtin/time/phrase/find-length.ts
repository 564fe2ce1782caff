import { checkInstant } from "../check-now.ts";
import { dayAway } from "./find-days.ts";
import { type TimeContext, instantsOf } from "./find-moment.ts";
import { fixedMs, wholeUnits } from "./whole-units.ts";
import { isCount } from "./read-parts.ts";
import { type NumberToken, type Shift, type Token, type UnitToken, isMark, createUnit, createNumber } from "./token.ts";

/** A number of units before or after now. */
interface Length {
  readonly direction: -1 | 1;
  readonly count: number;
  readonly of: UnitToken;
}

/**
 * Returns the range of "past 3 days", 最近两周, "7d": whole days up to now, or from now on; hours and minutes are exact.
 */
export function findLength(tokens: readonly Token[], here: TimeContext): { start: number; end: number } | undefined {
  const length = readLength(tokens);
  if (length === undefined) return undefined;
  const edge = edgeOf(length, here);
  return length.direction < 0 ? { start: edge, end: here.now } : { start: here.now, end: edge };
}

function edgeOf({ direction, count, of }: Length, here: TimeContext): number {
  const amount = count * of.times;
  const exact = fixedMs(of.unit);
  const whole = exact === undefined ? wholeUnits({ count: amount, unit: of.unit }) : { count: amount, unit: of.unit };
  const ms = fixedMs(whole.unit);
  if (ms !== undefined) return checkInstant(here.now + direction * Math.round(whole.count * ms), "description");
  const day = dayAway(here.today, whole.unit, direction * whole.count);
  const { start, end } = instantsOf({ start: day, end: day + 1 }, here);
  return direction < 0 ? start : end;
}

function readLength(tokens: readonly Token[]): Length | undefined {
  const [first, ...rest] = tokens;
  // "recently", or 最近 alone.
  if (rest.length === 0)
    return isMark(first, "recent") || (first?.kind === "shift" && first.rolling && first.by < 0) ? recent : undefined;
  if (first?.kind === "shift") return readShifted(first, rest);
  return rest.length > 1 ? undefined : bareLength(first, rest[0]);
}

/** A length alone reaches back. 3年 may also be a year, 半年 may not. */
function bareLength(count: Token | undefined, of: Token | undefined): Length | undefined {
  if (count?.kind !== "number" || of?.kind !== "unit" || !isCount(count, of)) return undefined;
  return of.names && Number.isInteger(count.value) ? undefined : { direction: -1, count: count.value, of };
}

/** The length of "recently". */
const recent: Length = { direction: -1, count: 7, of: createUnit("day") };

function readShifted(by: Shift, tokens: readonly Token[]): Length | undefined {
  const direction = by.by > 0 ? 1 : -1;
  const [count, of] = tokens.length === 1 ? [undefined, tokens[0]] : tokens;
  if (of?.kind !== "unit" || tokens.length > 2) return undefined;
  // "past week" and "last hour" are lengths, "last week" is not.
  if (count === undefined) return by.rolling || (by.by !== 0 && isShort(of)) ? { direction, count: 1, of } : undefined;
  return count.kind === "number" && isLengthAfter(by, count, of) ? { direction, count: count.value, of } : undefined;
}

/** False for 过去2025年, 上一周, 上3月 and 上半个月, which are not lengths. */
function isLengthAfter(by: Shift, count: NumberToken, of: UnitToken): boolean {
  const isYear = of.unit === "year" && of.names && count.digits === 4;
  const isPeriod = by.byWeek && !isShort(of) && (count.value <= 1 || of.names);
  return !count.ordinal && !isYear && !isPeriod;
}

/** True if "last" before it makes a length instead of a calendar period. */
function isShort({ unit, times }: UnitToken): boolean {
  return fixedMs(unit) !== undefined || unit === "day" || times > 1;
}

/** A number and its unit, and how many tokens they consist of. */
interface Joined {
  readonly tokens: readonly [NumberToken, UnitToken];
  readonly taken: number;
}

/** Joins "2 and a half hours", 一年半 and "1 hour 30 minutes" to one number of one unit. */
export function joinLengths(input: readonly Token[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < input.length;) {
    const joined = lengthAt(input, at) ?? oneAndHalfAt(input, at);
    if (joined === undefined) tokens.push(...input.slice(at, ++at));
    else {
      tokens.push(...joined.tokens);
      at += joined.taken;
    }
  }
  return tokens;
}

function lengthAt(tokens: readonly Token[], at: number): Joined | undefined {
  let joined = halfAt(tokens, at);
  while (joined !== undefined) {
    const next = halfAt(tokens, at + joined.taken);
    const sum = next === undefined ? undefined : sumOf(joined.tokens, next.tokens);
    if (next === undefined || sum === undefined) break;
    joined = { tokens: sum, taken: joined.taken + next.taken };
  }
  return joined;
}

/** Reads a number of a unit with its half: 两个半小时, 一年半. */
function halfAt(tokens: readonly Token[], at: number): Joined | undefined {
  const [count, second, third, fourth] = tokens.slice(at, at + 4);
  if (count?.kind !== "number") return undefined;
  if (third?.kind === "unit" && isHalf(second) && isWhole(count)) return withHalf(count, third);
  if (second?.kind !== "unit" || !isCount(count, second)) return undefined;
  return isHalfAfter(third, fourth) ? withHalf(count, second) : { tokens: [count, second], taken: 2 };
}

/** A half before a unit is another length. */
function isHalfAfter(half: Token | undefined, next: Token | undefined): boolean {
  return isHalf(half) && next?.kind !== "unit";
}

/** With a half, 月 is a count and not the name of a month. */
function withHalf({ value }: NumberToken, of: UnitToken): Joined {
  return { tokens: [createNumber(value + 0.5), { ...of, names: false }], taken: 3 };
}

/** "last year and a half" */
function oneAndHalfAt(tokens: readonly Token[], at: number): Joined | undefined {
  const of = tokens[at];
  const isOne = of?.kind === "unit" && tokens[at - 1]?.kind === "shift" && isMark(tokens[at + 1], "half_more");
  return isOne ? { ...withHalf(createNumber(1), of), taken: 2 } : undefined;
}

/** True if it is neither a year nor a half. */
function isWhole({ value, digits }: NumberToken): boolean {
  return value >= 1 && digits < 4;
}

function isHalf(token: Token | undefined): boolean {
  return isMark(token, "half_more") || (token?.kind === "number" && token.value === 0.5);
}

/** Adds an hour and some minutes; units of variable length cannot be added. */
function sumOf([count, of]: Joined["tokens"], [more, rest]: Joined["tokens"]): Joined["tokens"] | undefined {
  const [long, short] = [fixedMs(of.unit), fixedMs(rest.unit)];
  if (long === undefined || short === undefined || long <= short) return undefined;
  return [createNumber((count.value * of.times * long) / short + more.value * rest.times), { ...rest, times: 1 }];
}

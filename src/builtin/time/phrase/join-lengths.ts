import { fixedMs } from "./fixed-ms.ts";
import { isCount } from "./read-parts.ts";
import { type NumberToken, type Token, type UnitToken, isMark, createNumber } from "./token.ts";

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

import { fixedMs } from "./fixed-ms.ts";
import { isCount } from "./read-parts.ts";
import { type NumberToken, type Token, type UnitToken, isMark, number } from "./token.ts";

/** A number and its unit, and how many tokens they took. */
interface Joined {
  readonly tokens: readonly [NumberToken, UnitToken];
  readonly taken: number;
}

/** "2 and a half hours", 一年半 and "1 hour 30 minutes" as one number of one unit. */
export function joinLengths(given: readonly Token[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < given.length;) {
    const joined = lengthAt(given, at) ?? oneAndHalfAt(given, at);
    if (joined === undefined) tokens.push(...given.slice(at, ++at));
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

/** A number of a unit, with the half that belongs to it: 两个半小时, 一年半. */
function halfAt(tokens: readonly Token[], at: number): Joined | undefined {
  const [count, second, third, fourth] = tokens.slice(at, at + 4);
  if (count?.kind !== "number") return undefined;
  if (third?.kind === "unit" && isHalf(second) && isWhole(count)) return withHalf(count, third);
  if (second?.kind !== "unit" || !isCount(count, second)) return undefined;
  return isHalfBehind(third, fourth) ? withHalf(count, second) : { tokens: [count, second], taken: 2 };
}

/** A half before a unit is another length. */
function isHalfBehind(half: Token | undefined, next: Token | undefined): boolean {
  return isHalf(half) && next?.kind !== "unit";
}

/** With a half, 月 counts and names no month. */
function withHalf({ value }: NumberToken, of: UnitToken): Joined {
  return { tokens: [number(value + 0.5), { ...of, names: false }], taken: 3 };
}

/** "last year and a half" */
function oneAndHalfAt(tokens: readonly Token[], at: number): Joined | undefined {
  const of = tokens[at];
  const isOne = of?.kind === "unit" && tokens[at - 1]?.kind === "shift" && isMark(tokens[at + 1], "half_more");
  return isOne ? { ...withHalf(number(1), of), taken: 2 } : undefined;
}

/** No year, and not a half itself. */
function isWhole({ value, digits }: NumberToken): boolean {
  return value >= 1 && digits < 4;
}

function isHalf(token: Token | undefined): boolean {
  return isMark(token, "half_more") || (token?.kind === "number" && token.value === 0.5);
}

/** An hour and some minutes; units whose lengths change are no sum. */
function sumOf([count, of]: Joined["tokens"], [more, rest]: Joined["tokens"]): Joined["tokens"] | undefined {
  const [long, short] = [fixedMs(of.unit), fixedMs(rest.unit)];
  if (long === undefined || short === undefined || long <= short) return undefined;
  return [number((count.value * of.times * long) / short + more.value * rest.times), { ...rest, times: 1 }];
}

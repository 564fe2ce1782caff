import type { PhraseParts } from "./phrase-parts.ts";
import { type NumberToken, type Shift, type Token, type Unit, type UnitToken, isMark, Unclear } from "./token.ts";
import { wholeUnits } from "./whole-units.ts";

/** Reads the tokens of one period; throws {@link Unclear} if they describe something else, or one part twice. */
export function readParts(tokens: readonly Token[]): PhraseParts {
  if (tokens.length === 0) throw new Unclear("a time is missing");
  return new PartsReader(tokens).read();
}

/** True for a number of units, such as 3 days. 3月 is a month, 2025年 a year, and the 3rd quarter one quarter. */
export function isCount(count: Token | undefined, of: Token | undefined): boolean {
  if (count?.kind !== "number" || of?.kind !== "unit" || count.ordinal) return false;
  if (!of.names) return true;
  return of.unit === "day" || (of.unit === "year" && count.digits < 4);
}

class PartsReader {
  readonly #tokens: readonly Token[];
  readonly #parts: PhraseParts = {};
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  read(): PhraseParts {
    while (this.#at < this.#tokens.length) this.#readNext();
    return this.#parts;
  }

  #peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #set<K extends keyof PhraseParts>(key: K, value: NonNullable<PhraseParts[K]>): void {
    if (this.#parts[key] !== undefined) throw new Unclear("it names two times");
    this.#parts[key] = value;
  }

  #readNext(): void {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case "number":
        return this.#number(token);
      case "shift":
        return this.#shift(token);
      case "unit":
        return this.#unit(token);
      case "mark":
        return this.#mark(token);
      case "date":
        if (token.year !== undefined) this.#set("year", token.year);
        this.#set("month", token.month);
        return token.day === undefined ? undefined : this.#set("dayOfMonth", token.day);
      case "clock":
        return this.#clock(token.ms, token.unit);
      case "iso_week":
        if (token.year !== 0) this.#set("year", token.year);
        return this.#set("isoWeek", token.week);
      default:
        return this.#plain(token);
    }
  }

  /** Reads tokens that are one part each. */
  #plain(token: Token | undefined): void {
    switch (token?.kind) {
      case "day":
        return this.#set("day", token.offset);
      case "year":
        return this.#set("yearOffset", token.offset);
      case "decade":
        this.#set("year", token.number);
        return this.#set("decade", true);
      case "third":
        return this.#set("third", token);
      case "weekend":
        return this.#set("weekend", true);
      case "part":
        return this.#set("part", token);
      case "instant":
        return this.#set("instant", token);
      default:
        return this.#numbered(token);
    }
  }

  /** Reads the third month, the second quarter, … */
  #numbered(token: Token | undefined): void {
    switch (token?.kind) {
      case "month":
      case "quarter":
      case "half":
      case "weekday":
        return this.#set(token.kind, token.number);
      default:
        throw new Unclear("a number is missing");
    }
  }

  #mark(token: Token): void {
    if (isMark(token, "now")) return this.#set("now", true);
    // "in 3 days"; elsewhere, "in" has no meaning and is dropped.
    if (isMark(token, "in")) {
      const count = this.#tokens[this.#at++];
      const of = this.#tokens[this.#at++];
      if (count?.kind === "number" && of?.kind === "unit") return this.#relative(count, of, 1);
    }
    throw new Unclear("a time is missing beside a word that joins times");
  }

  #number(count: NumberToken): void {
    const next = this.#peek();
    if (next?.kind === "unit") {
      this.#at++;
      return this.#numberOfUnit(count, next);
    }
    if (next?.kind === "meridiem") return this.#clock(whole(count, 12) * 3_600_000, "hour");
    if (isMark(next, "oclock")) return this.#oclock(count);
    if (isMark(next, "day_of_month")) {
      this.#at++;
      return this.#set("dayOfMonth", whole(count, 31));
    }
    if (count.digits === 4) return this.#set("year", yearOf(count));
    this.#set("dayOfMonth", whole(count, 31));
    if (!count.ordinal) this.#parts.bareDay = true;
  }

  #numberOfUnit(count: NumberToken, of: UnitToken): void {
    const direction = isCount(count, of) ? this.#direction() : 0;
    if (direction !== 0) return this.#relative(count, of, direction);
    if (of.unit === "quarter" && (of.names || count.ordinal)) return this.#set("quarter", whole(count, 4));
    if (of.unit === "week" && count.ordinal) return this.#set("isoWeek", whole(count, 53));
    if (!of.names) throw new Unclear("a length of time needs last, next or ago");
    return this.#named(count, of.unit);
  }

  /** 2025年, 3月, 5日 */
  #named(count: NumberToken, unit: Unit): void {
    if (unit === "month") return this.#set("month", whole(count, 12));
    if (unit === "day") return this.#set("dayOfMonth", whole(count, 31));
    if (count.digits === 2 && this.#peek()?.kind !== "number") throw new Unclear("write the year with four digits");
    this.#set("year", yearOf(count));
  }

  /** Returns -1 for ago, 1 for later, 0 for neither. */
  #direction(): -1 | 0 | 1 {
    const next = this.#peek();
    const isPast = isMark(next, "ago", "before", "front");
    const after = this.#peek(1);
    const isToday = after?.kind === "day" && after.offset === 0;
    if (isMark(next, "since") && (isMark(after, "now") || isToday)) {
      this.#at += 2;
      return 1;
    }
    if (!isPast && !isMark(next, "hence", "after")) return 0;
    this.#at++;
    return isPast ? -1 : 1;
  }

  #relative({ value }: NumberToken, of: UnitToken, direction: -1 | 1): void {
    const { count, unit } = wholeUnits({ count: value * of.times, unit: of.unit });
    this.#set("relative", { unit, offset: count * direction, exact: true });
  }

  /** 3点, 15点30分, 8点半, 9点一刻 */
  #oclock(hours: NumberToken): void {
    this.#at++;
    const next = this.#peek();
    const hasMinutes = next?.kind === "number" && (next.value === 0.5 || !isMark(this.#peek(1), "oclock"));
    const ms = (whole(hours, 24, 0) * 60 + (hasMinutes ? this.#minutes(next) : 0)) * 60_000;
    this.#clock(ms, next?.kind === "number" ? "minute" : "hour");
  }

  /** Reads the minutes after the hour: a half, or a number of minutes or quarters. */
  #minutes(count: NumberToken): number {
    this.#at++;
    if (count.value === 0.5) return 30;
    const of = this.#peek();
    const isQuarter = of?.kind === "unit" && of.times > 1;
    if (isQuarter || isMark(of, "minute_of_hour")) this.#at++;
    return isQuarter ? whole(count, 3) * of.times : whole(count, 59, 0);
  }

  /** Reads a time of day, with a following am or pm. */
  #clock(ms: number, unit: Unit): void {
    const next = this.#peek();
    if (next?.kind !== "meridiem") return this.#set("clock", { ms, unit, fixed: false });
    this.#at++;
    const noon = 12 * 3_600_000;
    if (ms >= noon + 3_600_000 || ms < 3_600_000) throw new Unclear("there is no such time of day");
    const sinceTwelve = ms % noon;
    this.#set("clock", { ms: next.afternoon ? sinceTwelve + noon : sinceTwelve, unit, fixed: true });
  }

  #unit({ unit, times }: UnitToken): void {
    const next = this.#peek();
    if (next?.kind === "third" || this.#parts.third !== undefined) return this.#unitInParts(unit, times);
    if (next?.kind !== "number" || times !== 1) throw new Unclear("say which one: last, this, next, or a number");
    // "the year 2025", "week 12", "quarter 3"
    if (unit === "year" && next.digits === 4) return;
    this.#at++;
    if (unit === "week") return this.#set("isoWeek", whole(next, 53));
    if (unit === "quarter") return this.#set("quarter", whole(next, 4));
    throw new Unclear("say which one: last, this, next, or a number");
  }

  /** "end of the month" is this month's; 去年年底 names its year. */
  #unitInParts(unit: Unit, times: number): void {
    const { year, yearOffset, month, quarter, relative } = this.#parts;
    const text = { year: year ?? yearOffset, month, quarter }[unit as string];
    if (times !== 1 || !calendarUnits.has(unit)) throw new Unclear("it has no beginning and no end of its own");
    if (text !== undefined || relative?.unit === unit) return;
    this.#set("relative", { unit, offset: 0, exact: false });
  }

  #shift(first: Shift): void {
    const by = this.#sumOfShifts(first);
    const next = this.#peek();
    if (next?.kind === "unit") {
      this.#at++;
      return this.#shifted(by, next, first.rolling);
    }
    if (next?.kind === "part") return this.#set("day", dayOfPart(by, next.from));
    if (first.rolling || !leaning.has(next?.kind)) throw new Unclear("it is not clear what is last, this or next");
    this.#set("lean", { ...first, by });
  }

  /** 上上周 is two weeks back; 上一周 is 上周. */
  #sumOfShifts({ by, byWeek }: Shift): number {
    let sum = by;
    for (let next = this.#peek(); next?.kind === "shift" && next.byWeek && next.by === by; next = this.#peek()) {
      sum += next.by;
      this.#at++;
    }
    const one = this.#peek();
    const isOne = byWeek && one?.kind === "number" && one.value === 1 && this.#peek(1)?.kind === "unit";
    if (isOne) this.#at++;
    return sum;
  }

  #shifted(by: number, { unit, times }: UnitToken, rolling: boolean): void {
    if (rolling || times !== 1) throw new Unclear("a length of time stands alone");
    if (unit === "day" && by === 0) return this.#set("day", 0);
    if (by !== 0 && !calendarUnits.has(unit)) throw new Unclear("a length of time stands alone");
    this.#set("relative", { unit, offset: by, exact: false });
  }
}

const calendarUnits: ReadonlySet<string> = new Set(["week", "month", "quarter", "year"]);
/** Tokens that last, this and next can precede, besides units. */
const leaning: ReadonlySet<string | undefined> = new Set("weekday weekend month quarter half number date".split(" "));

/** "this morning" is today's, "last night" yesterday's. */
function dayOfPart(by: number, from: number): number {
  if (by === 0) return 0;
  if (by === -1 && from >= 18) return -1;
  throw new Unclear("say of which day");
}

function whole({ value }: NumberToken, max: number, min = 1): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Unclear(`${value} is too large or too small here`);
}

/** 25年 is 2025, 98年 is 1998. */
function yearOf(count: NumberToken): number {
  if (count.digits === 2) return count.value + (count.value < 70 ? 2000 : 1900);
  if (count.digits === 4) return whole(count, 9999, 1000);
  throw new Unclear("write the year with four digits");
}

/** The units that lengths of time are counted in. */
export type Unit = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

/** Functions of the small words of both languages. */
export type Mark =
  /** the, of, on, 的: no meaning. */
  | "filler"
  /** in: before a length, that much later; otherwise no meaning. */
  | "in"
  /** since, from, 从 */
  | "since"
  /** so far, onwards, 以来, 起 */
  | "onward"
  /** to, until, 到, a dash */
  | "to"
  /** within, 内: a length reaches back. */
  | "within"
  /** later, the rest of: from now on. */
  | "rest"
  /** the week of a day */
  | "week_of"
  /** and a half, after a number or a unit */
  | "half_more"
  /** between, 介于 */
  | "between"
  /** 之间, at the end */
  | "amid"
  /** and, 和 */
  | "and"
  /** before, 之前 */
  | "before"
  /** 前: "past" before a length, "ago" after a length, "before" after a date. */
  | "front"
  /** after, 之后 */
  | "after"
  /** ago */
  | "ago"
  /** from now */
  | "hence"
  /** now, 现在 */
  | "now"
  /** recently, 最近 */
  | "recent"
  /** all time, ever, 有史以来 */
  | "ever"
  /** 号 */
  | "day_of_month"
  /** 点 */
  | "oclock"
  /** 分 */
  | "minute_of_hour";

/** last, this, next, past, 上, 本, 下, 过去, … */
export interface Shift {
  readonly kind: "shift";
  /** -1 for last, 0 for this, 1 for next. */
  readonly by: number;
  /** True for a range up to now or from now on, as in "past week"; otherwise whole calendar weeks, months and years. */
  readonly rolling: boolean;
  /** 上周五 is the Friday of last week; "last Friday" the nearest one. */
  readonly byWeek: boolean;
}

/** Some hours of a day; those after midnight belong to the previous night. */
export interface DayPart {
  readonly kind: "part";
  readonly from: number;
  readonly to: number;
}

/** A number; `digits` is its number of digits, 0 for a written number. */
export interface NumberToken {
  readonly kind: "number";
  readonly value: number;
  readonly digits: number;
  readonly ordinal: boolean;
}

/** The first, second or last part of a week, month, quarter or year. */
export interface Third {
  readonly kind: "third";
  readonly number: number;
  /** early and late are thirds; beginnings and ends are shorter in a year; 上旬 is ten days of a month. */
  readonly sort: "third" | "edge" | "ten_days";
}

/** A unit: `times` is 2 for a fortnight. */
export interface UnitToken {
  readonly kind: "unit";
  readonly unit: Unit;
  readonly times: number;
  /** True if a number before it may be a name: 3月 is March, not three months. */
  readonly names: boolean;
}

/** A token of a description, independent of the language. */
export type Token =
  | Shift
  | DayPart
  | NumberToken
  | UnitToken
  | { readonly kind: "mark"; readonly mark: Mark }
  /** today, 昨天: days from today. */
  | { readonly kind: "day"; readonly offset: number }
  /** 去年: years from this one. */
  | { readonly kind: "year"; readonly offset: number }
  | { readonly kind: "month" | "quarter" | "half"; readonly number: number }
  /** Its first year. */
  | { readonly kind: "decade"; readonly number: number }
  | Third
  /** 0 for Monday. */
  | { readonly kind: "weekday"; readonly number: number }
  | { readonly kind: "weekend" }
  | { readonly kind: "meridiem"; readonly afternoon: boolean }
  /** Without a year, it is a day of every year. */
  | {
      readonly kind: "date";
      readonly year: number | undefined;
      readonly month: number;
      readonly day: number | undefined;
    }
  | { readonly kind: "iso_week"; readonly year: number; readonly week: number }
  | { readonly kind: "clock"; readonly ms: number; readonly unit: Unit }
  | { readonly kind: "instant"; readonly ms: number; readonly unit: Unit };

/** The tokens that a word stands for. */
export type Meaning = readonly Token[];

/** Tokens found at an offset of the text, and the offset of the rest. */
export interface TokenMatch {
  readonly tokens: Meaning;
  readonly end: number;
}

export function createMark(mark: Mark): Token {
  return { kind: "mark", mark };
}

export function createUnit(
  unit: Unit,
  { times = 1, names = false }: { times?: number; names?: boolean } = {},
): UnitToken {
  return { kind: "unit", unit, times, names };
}

export function createThird(number: number, sort: Third["sort"]): Third {
  return { kind: "third", number, sort };
}

export function createNumber(
  value: number,
  { digits = 0, ordinal = false }: { digits?: number; ordinal?: boolean } = {},
): NumberToken {
  return { kind: "number", value, digits, ordinal };
}

export function createShift(
  by: number,
  { rolling = false, byWeek = false }: { rolling?: boolean; byWeek?: boolean } = {},
): Shift {
  return { kind: "shift", by, rolling, byWeek };
}

/** True if this token is one of these marks. */
export function isMark(token: Token | undefined, ...marks: readonly Mark[]): boolean {
  return token?.kind === "mark" && marks.includes(token.mark);
}

type PartName = "smallHours" | "morning" | "noon" | "afternoon" | "evening" | "night" | "lateNight";

/** Hours of the parts of a day; a night extends into the next day. */
export const dayParts: Readonly<Record<PartName, DayPart>> = {
  smallHours: { kind: "part", from: 0, to: 6 },
  morning: { kind: "part", from: 6, to: 12 },
  noon: { kind: "part", from: 11, to: 13 },
  afternoon: { kind: "part", from: 12, to: 18 },
  evening: { kind: "part", from: 18, to: 24 },
  night: { kind: "part", from: 18, to: 30 },
  lateNight: { kind: "part", from: 22, to: 30 },
};

/**
 * Thrown for words that name no range, with the reason; the caller, which knows the whole text, converts it to a
 * failure.
 */
export class Unclear extends Error {
  override readonly name: string = "Unclear";
}

export function isUnclear(value: unknown): value is Unclear {
  return value instanceof Unclear;
}

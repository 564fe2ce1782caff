import { dayMs, dayOf, firstYear, isDate } from "../calendar.ts";
import { quoteText } from "../../../text/index.ts";
import { readOffset } from "../check-now.ts";
import { type TokenMatch, type Token, type Unit, createNumber } from "./token.ts";
import { Unclear } from "./unclear-phrase.ts";

type Reader = (parts: readonly (string | undefined)[]) => readonly Token[];

/** Forms that begin with a digit, the longest first. Every pattern is unambiguous, so none backtracks far. */
const forms: readonly (readonly [pattern: RegExp, read: Reader])[] = [
  [/(\d{4})-(\d\d)-(\d\d)[t ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(z)(?![a-z])/y, readStamp],
  [/(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([+-]\d\d:?\d\d)?(?!\d)/y, readStamp],
  [/(\d{4})-?w(\d\d)(?!\d)/y, ([, year, week]) => [{ kind: "iso_week", year: Number(year), week: Number(week) }]],
  [/(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y, ([, year, , month, day]) => [date(year, month, day)]],
  [/(\d{4})(\d\d)(\d\d)(?!\d)/y, ([, year, month, day]) => [date(year, month, day)]],
  [/(\d{3}0)(?:s(?![a-z])|年代)/y, ([, year]) => [{ kind: "decade", number: Number(year) }]],
  [/(\d{4})[-/.](\d{1,2})(?!\d)/y, ([, year, month]) => [date(year, month)]],
  [/(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/y, ([, day, month, year]) => [date(year, month, day)]],
  [/(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/y, readSlashes],
  [/(\d{1,2})[/.](\d{4})(?!\d)/y, ([, month, year]) => [date(year, month)]],
  [/(\d{1,2}):(\d\d)(?::(\d\d))?(?![\d:])/y, ([, hour, minute, second]) => [clock({ hour, minute, second })]],
  [/(\d{1,3})(?:st|nd|rd|th)(?![a-z])/y, ([, value]) => [createNumber(Number(value), { ordinal: true })]],
  [
    /(\d{1,8})(\.\d{1,3})?(?![\d.])/y,
    ([, whole = "", rest]) => [
      createNumber(Number(whole + (rest ?? "")), rest === undefined ? { digits: whole.length } : {}),
    ],
  ],
  // The full stop of a sentence, or two dots.
  [/(\d{1,8})(?!\d)/y, ([, whole = ""]) => [createNumber(Number(whole), { digits: whole.length })]],
];

/** Reads the date, the time or the number that begins with the digit at this offset. */
export function readDigits(text: string, at: number): TokenMatch {
  for (const [pattern, read] of forms) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return { tokens: read(match), end: at + match[0].length };
  }
  throw new Unclear(`${quoteText(text.slice(at), 12)} is neither a date nor a number`);
}

function date(year: string | undefined, month: string | undefined, day?: string): Token {
  const token = {
    kind: "date",
    year: Number(year),
    month: Number(month),
    day: day === undefined ? day : Number(day),
  } as const;
  if (token.year >= firstYear && isDate(token.year, token.month, token.day ?? 1)) return token;
  throw new Unclear(`${[year, month, ...(day === undefined ? [] : [day])].join("-")} is not a date of the calendar`);
}

/** 3/14/2025 is unambiguous; 3/5/2025 means different days to different people. */
function readSlashes([, first, second, year]: readonly (string | undefined)[]): readonly Token[] {
  if (Number(first) > 12) return [date(year, second, first)];
  if (Number(second) > 12 || Number(first) === Number(second)) return [date(year, first, second)];
  throw new Unclear(`${first}/${second}/${year} may be two different days; write the year first, as in 2025-03-05`);
}

function readStamp(parts: readonly (string | undefined)[]): readonly Token[] {
  const [, year, month, day, hour, minute, second, fraction = "", offset] = parts;
  const on = date(year, month, day);
  const at = clock({ hour, minute, second });
  if (offset === undefined) return [on, at];
  const ahead = readOffset(offset);
  if (ahead === undefined) throw new Unclear(`${quoteText(offset)} is not an offset from UTC`);
  const ms = fraction === "" ? 0 : Number(fraction.padEnd(3, "0").slice(0, 3));
  const start = dayOf(Number(year), Number(month), Number(day)) * dayMs;
  return [{ kind: "instant", ms: start + at.ms + ms - ahead, unit: at.unit }];
}

function clock({
  hour,
  minute,
  second,
}: {
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
}): Extract<Token, { kind: "clock" }> {
  const [h, m, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  // 24:00 is the end of a day.
  if (h > 24 || m > 59 || s > 59 || (h === 24 && m + s > 0)) throw new Unclear("there is no such time of day");
  const unit: Unit = second === undefined ? "minute" : "second";
  return { kind: "clock", ms: ((h * 60 + m) * 60 + s) * 1000, unit };
}

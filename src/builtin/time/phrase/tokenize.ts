import { isNumeral, maxChineseWordLength, readNumeral, simplify, chinese } from "./chinese.ts";
import { english, maxEnglishPhraseLength } from "./english.ts";
import { quoteText } from "../../../text/index.ts";
import { holidayByNumber, refuseUnfit } from "./holidays.ts";
import { type TokenMatch, type Meaning, type Token, createMark, createNumber, type Unit, Unclear } from "./token.ts";
import { dayMs, dayOf, firstYear, isDate } from "../calendar.ts";
import { readOffset } from "../check-now.ts";

/** Characters that separate words and have no other meaning. */
const blank = /[\s,.;!?()"“”、。「」《》]/;
const dash = /[-–—−~〜/]/;
const letter = /[a-z&]/;

/**
 * Converts a description to tokens that are the same for both languages. Every character is read once, and every word
 * is looked up in at most five lengths, so the time is linear.
 */
export function tokenize(text: string): Token[] {
  const plain = simplify(text.normalize("NFKC").toLowerCase())
    .replaceAll(/['’]/g, " ")
    .replaceAll(/\b(mid|early|late)-/g, "$1 ");
  const tokens: Token[] = [];
  let at = 0;
  let ordinal = false;
  while (at < plain.length) {
    const found = readAt(plain, at);
    at = found.end;
    for (const token of found.tokens) {
      if (ordinal && token.kind !== "number") throw new Unclear("第 needs a number");
      tokens.push(ordinal && token.kind === "number" ? { ...token, ordinal } : token);
      ordinal = false;
    }
    if (found.tokens === ordinalSign) ordinal = true;
  }
  if (ordinal) throw new Unclear("第 needs a number");
  return tokens;
}

/** 第: the next number is an ordinal. */
const ordinalSign: Meaning = [];

function readAt(text: string, at: number): TokenMatch {
  const character = text.charAt(at);
  if (text.startsWith("..", at)) return { tokens: [createMark("to")], end: at + 2 };
  if (blank.test(character)) return { tokens: [], end: at + 1 };
  if (character === "第") return { tokens: ordinalSign, end: at + 1 };
  if (/\d/.test(character)) return readDigits(text, at);
  if (letter.test(character)) return readEnglish(text, at);
  if (dash.test(character)) return { tokens: [createMark("to")], end: at + 1 };
  return readChinese(text, at);
}

const word = /[a-z&]+/y;
const nextWord = /[ .-]?[a-z]+/y;
const numbered = /([qhw])(\d{1,2})(?:[-/](\d{4}))?(?![a-z\d])/y;

function readEnglish(text: string, at: number): TokenMatch {
  numbered.lastIndex = at;
  const [whole = "", sign = "", digits = "", year] = numbered.exec(text) ?? [];
  if (whole !== "") {
    const period = numberedPeriod(sign, Number(digits));
    return {
      tokens: year === undefined ? [period] : [period, createNumber(Number(year), { digits: 4 })],
      end: at + whole.length,
    };
  }
  const ends = phraseEnds(text, at);
  for (const end of ends.toReversed()) {
    const phrase = text.slice(at, end).replaceAll(/[.-]/g, " ");
    refuseUnfit(phrase);
    const tokens = english.get(phrase);
    if (tokens !== undefined) return { tokens, end };
  }
  throw unknownWord(text.slice(at, ends[0]));
}

/** Returns the ends of the phrases of one, two, … words that begin here. */
function phraseEnds(text: string, at: number): number[] {
  word.lastIndex = at;
  const ends = [at + (word.exec(text)?.[0].length ?? 1)];
  while (ends.length < maxEnglishPhraseLength) {
    const last = ends.at(-1) ?? at;
    nextWord.lastIndex = last;
    const next = nextWord.exec(text);
    if (next === null) break;
    ends.push(last + next[0].length);
  }
  return ends;
}

/** Q3, H1, W12. */
function numberedPeriod(sign: string, value: number): Token {
  if (sign === "q" && value >= 1 && value <= 4) return { kind: "quarter", number: value };
  if (sign === "h" && value >= 1 && value <= 2) return { kind: "half", number: value };
  if (sign === "w") return { kind: "iso_week", year: 0, week: value };
  throw unknownWord(`${sign}${value}`);
}

function readChinese(text: string, at: number): TokenMatch {
  for (let length = maxChineseWordLength; length > 0; length--) {
    const word = text.slice(at, at + length);
    refuseUnfit(word);
    const tokens = chinese.get(word);
    if (tokens !== undefined) return { tokens, end: at + length };
  }
  let end = at;
  while (isNumeral(text[end])) end++;
  const numeral = end > at ? readNumeral(text.slice(at, end)) : undefined;
  if (numeral === undefined) throw unknownWord(unknownAt(text, at));
  const written = text.slice(at, end);
  const holiday = holidayByNumber(written, text.slice(end, end + 1));
  if (holiday !== undefined) return { tokens: holiday, end };
  // 两三天 is ambiguous; only years are written digit by digit.
  if (numeral.digits > 1 && text[end] !== "年")
    throw new Unclear(`${quoteText(written)} may be two numbers; write one`);
  return { tokens: [createNumber(numeral.value, { digits: numeral.digits })], end };
}

/** Returns the unknown text to show: up to the next blank, and truncated. */
function unknownAt(text: string, at: number): string {
  let end = at;
  while (end < text.length && end < at + 12 && !blank.test(text.charAt(end))) end++;
  return text.slice(at, Math.max(end, at + 1));
}

function unknownWord(word: string): Unclear {
  return new Unclear(`${quoteText(word)} is not known here`);
}

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
function readDigits(text: string, at: number): TokenMatch {
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

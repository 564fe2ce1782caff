import { type EarlierResult, checkConsistency } from "./check-consistency.ts";
import { type Verification, type VerificationIssue, toVerification } from "./verification.ts";
import { splitLinesAndSentences } from "./split-statements.ts";
import { compileExpression } from "../../expr/index.ts";
import { numbersIn } from "./parse-numbers.ts";

/** Context of the result to verify. */
export interface VerifyOptions {
  /** Results that it must not contradict. */
  readonly earlier?: readonly EarlierResult[];
  /** It must be, or contain, a date or a time. */
  readonly expects?: "time";
}

/** Longer results, including earlier ones, are not checked beyond this. */
const maxLength = 20_000;
const maxEarlierLength = 4000;
const maxEarlier = 20;
const maxIssues = 20;

/**
 * Checks a result by rule, without a model: whether it contradicts earlier results (sentences about the same thing, by
 * Jaccard over their words, that differ in a number or a negation), and whether its percentages, probabilities, counts,
 * dates, times and calculations are possible. A result without issues may still be wrong.
 *
 * @example
 * ```ts
 * verifyResult("It is 25:61, and 2 + 2 = 5.");
 * // { verified: false, confidence: 0.4, issues: [{ kind: "arithmetic", … }, { kind: "time", … }] }
 * ```
 *
 * @see docs/guide/runners/crew.md
 */
export function verifyResult(text: string, options: VerifyOptions = {}): Verification {
  const { earlier = [], expects } = options;
  const read = text.slice(0, maxLength);
  if (read.trim() === "") return toVerification([nothing]);
  const before = earlier
    .slice(-maxEarlier)
    .map((result) => ({ ...result, text: result.text.slice(0, maxEarlierLength) }));
  const issues = [
    ...checkConsistency(read, before),
    ...checkRanges(read),
    ...checkArithmetic(read),
    ...checkTimes(read, expects === "time"),
  ];
  return toVerification(issues.slice(0, maxIssues));
}

const nothing: VerificationIssue = { kind: "empty", severity: "error", message: "it says nothing", quote: "" };

const percent = /(?<![\d.,\p{Script=Latin}])([-−]?\d[\d,]*(?:\.\d+)?)\s*(?:[%％]|per ?cent\b)/giu;
const chinesePercent = /百分之(负?\d+(?:\.\d+)?)/g;
/** A change, a comparison or a return may exceed 100 %, or be negative. */
const change =
  /\b(?:grow|grew|growth|ris|rose|increas|decreas|gain|fell|fall|drop|declin|chang|return|more|less|higher|lower|up|down|over|above|below|yield|margin|inflation|premium|discount)|增|升|涨|降|跌|减|同比|环比|超过|收益|回报|利润率|通胀|倍/i;

const probability =
  /(?:\b(?:probability|likelihood)\b|概率|几率|机率)[^\n.。;；]{0,60}?(?:\bis\b|\bwas\b|\bequals\b|[=:：为是约])\s*(?:about|around|约)?\s*([-−]?\d+(?:\.\d+)?)(?!\d|\.\d|\s*(?:[%％]|per ?cent\b|in\b|to\b|out\b|成))/gi;

const things =
  "people|persons|users|items|files|times|results|notes|pages|books|records|rows|words|tasks|steps|children|students|votes|visitors|orders|customers";
const count = new RegExp(`(?<![\\d.,\\p{Script=Latin}])[-−]\\d[\\d,]*\\s*(?:${things})\\b`, "giu");
const chineseCount =
  /(?<![\d.,\p{Script=Latin}])(?:[-−]|负)\d+\s*(?:个(?!百分点|月|小时|点)|人|次|条|件|名|位|篇|页|只|台|本|张|家)/gu;

/** Finds impossible percentages of a whole, probabilities and counts. */
function checkRanges(text: string): VerificationIssue[] {
  return splitLinesAndSentences(text).flatMap((sentence) => [
    ...percentages(sentence),
    ...valuesOutOfRange(sentence, probability, { max: 1, rule: "a probability is between 0 and 1" }),
    ...all(sentence, count, "there is no negative number of things"),
    ...all(sentence, chineseCount, "there is no negative number of things"),
  ]);
}

function percentages(sentence: string): VerificationIssue[] {
  if (change.test(sentence)) return [];
  const limit = { max: 100, rule: "a percentage of a whole is between 0 and 100" };
  return [...valuesOutOfRange(sentence, percent, limit), ...valuesOutOfRange(sentence, chinesePercent, limit)];
}

function valuesOutOfRange(
  sentence: string,
  pattern: RegExp,
  { max, rule }: { readonly max: number; readonly rule: string },
): VerificationIssue[] {
  return [...sentence.matchAll(pattern)].flatMap(([quote, written = ""]) => {
    const value = Number(written.replaceAll(",", "").replace(/[−负]/, "-"));
    return value < 0 || value > max ? [impossible(quote, rule)] : [];
  });
}

function all(sentence: string, pattern: RegExp, rule: string): VerificationIssue[] {
  return [...sentence.matchAll(pattern)].map(([quote]) => impossible(quote, rule));
}

function impossible(quote: string, rule: string): VerificationIssue {
  return { kind: "range", severity: "error", message: `"${quote}" is impossible: ${rule}`, quote };
}

type Groups = Readonly<Record<string, string | undefined>>;

const months = "January|February|March|April|May|June|July|August|September|October|November|December";

const forms: readonly { readonly pattern: RegExp; readonly fault: (parts: Groups) => string | undefined }[] = [
  {
    pattern: /(?<![\d/-])(?<year>\d{4})(?<separator>[-/])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})(?![\d/-])/g,
    fault: dateFault,
  },
  { pattern: /(?<year>\d{4})\s*年\s*(?<month>\d{1,2})\s*月(?:\s*(?<day>\d{1,2})\s*[日号])?/g, fault: dateFault },
  { pattern: /(?<![\d年个]\s*)(?<month>\d{1,2})\s*月\s*(?<day>\d{1,2})\s*[日号]/g, fault: dateFault },
  {
    pattern: new RegExp(
      `\\b(?<name>${months})\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?![:\\d])(?:,?\\s+(?<year>\\d{4})\\b)?`,
      "g",
    ),
    fault: ({ name = "", ...parts }) => dateFault({ ...parts, month: String(months.split("|").indexOf(name) + 1) }),
  },
  {
    pattern:
      /(?<![\d:.])(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?(?![\d:])(?:\s*(?<half>[ap]\.?m\b))?/gi,
    fault: clockFault,
  },
  { pattern: /(?<!\d)(?<hour>\d{1,2})\s*[点时]\s*(?<minute>\d{1,2})\s*分/g, fault: clockFault },
  { pattern: /(?<!\d)1\d{9}(?:\d{3})?(?!\d)/g, fault: () => undefined },
];

/** Two numbers with a colon between them that are not a time. */
const ratio = /\b(?:ratio|score|scored|odds|aspect|verse|won|lost|beat)\b|比分|比例|比为|经文/i;

/** Finds impossible dates and times; also reports a missing one if the result must be one. */
function checkTimes(text: string, expectsTime: boolean): VerificationIssue[] {
  const found = splitLinesAndSentences(text).flatMap(timesIn);
  const issues = found.flatMap(({ quote, fault }) =>
    fault === undefined ? [] : [timeIssue(quote, `"${quote}": ${fault}`)],
  );
  if (!expectsTime || found.length > 0) return issues;
  return [timeIssue(text.slice(0, 60).toWellFormed(), "it has no date or time in a known format")];
}

function timesIn(sentence: string): { readonly quote: string; readonly fault: string | undefined }[] {
  const isRatio = ratio.test(sentence);
  return forms.flatMap(({ pattern, fault }) => {
    if (isRatio && fault === clockFault) return [];
    return [...sentence.matchAll(pattern)].map((match) => ({ quote: match[0], fault: fault(match.groups ?? {}) }));
  });
}

function dateFault({ year, month = "1", day }: Groups): string | undefined {
  const number = Number(month);
  if (number < 1 || number > 12) return `there is no month ${month}`;
  if (day === undefined) return undefined;
  // Without a year, a leap year is possible.
  const last = new Date(Date.UTC(year === undefined ? 2000 : Number(year), number, 0)).getUTCDate();
  return Number(day) < 1 || Number(day) > last ? `that month has no day ${day}` : undefined;
}

function clockFault({ hour = "0", minute = "0", second = "0", half }: Groups): string | undefined {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  if (minutes > 59) return `an hour has no minute ${minute}`;
  if (seconds > 60) return `a minute has no second ${second}`;
  if (hours > 24 || (hours === 24 && minutes + seconds > 0)) return `a day has no hour ${hour}`;
  return half !== undefined && (hours === 0 || hours > 12) ? `no clock shows ${hour} ${half}` : undefined;
}

function timeIssue(quote: string, message: string): VerificationIssue {
  return { kind: "time", severity: "error", message, quote };
}

const equals = /[=＝]|\bequals\b|等于/gi;
/** Maximum length of text to check before an equals sign. */
const maxSideLength = 120;
const sum = /[\d\s.,+\-−*×·÷/()%％]+$/;
const maxCount = 100;

/** Finds calculations in a text, such as `2 + 2 = 5`, that are wrong. */
function checkArithmetic(text: string): VerificationIssue[] {
  const issues: VerificationIssue[] = [];
  let seen = 0;
  for (const found of text.matchAll(equals)) {
    if (++seen > maxCount) break;
    const claim = claimAt(text, found.index, found.index + found[0].length);
    if (claim === undefined || Math.abs(claim.value - claim.claimed) <= claim.slack) continue;
    const quote = text.slice(found.index - claim.sum.length, claim.end).trim();
    const value = Number(claim.value.toPrecision(12));
    const message = `"${quote}" is wrong: ${claim.sum.trim()} is ${value}`;
    issues.push({ kind: "arithmetic", severity: "error", message, quote });
  }
  return issues;
}

interface Claim {
  readonly sum: string;
  /** Correct value. */
  readonly value: number;
  /** Value that the text claims. */
  readonly claimed: number;
  /** Tolerance: written values are rounded. */
  readonly slack: number;
  readonly end: number;
}

function claimAt(text: string, at: number, after: number): Claim | undefined {
  const written = sumBefore(text.slice(Math.max(0, at - maxSideLength), at));
  const value = written === undefined ? undefined : evaluated(written);
  if (written === undefined || value === undefined) return undefined;
  const rest = text.slice(after, after + 40);
  const [lead = ""] = /^\s*(?:about|around|roughly|approximately|约|大约|≈|~)?\s*/i.exec(rest) ?? [];
  const number = numbersIn(rest.slice(lead.length))[0];
  if (number === undefined || number.at !== 0) return undefined;
  const behind = rest.slice(lead.length + number.end);
  // A longer calculation, or a division with remainder, cannot be compared.
  if (/^\s*(?:[+*×·÷/^]|[-−]\s*\d|remainder|余|r\d|r \d|\(|e[+-]?\d)/i.test(behind)) return undefined;
  const share = /^\s*[%％]/.test(behind) && !/[%％]/.test(written) ? 100 : 1;
  const rounded = lead.trim() === "" ? 0 : Math.abs(value) / 100;
  return {
    sum: written,
    value,
    claimed: number.value / share,
    slack: number.unit / 2 / share + rounded + Math.abs(value) * 1e-9,
    end: after + lead.length + number.end,
  };
}

/** The calculation at the end of a text. */
function sumBefore(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const isWhole = line.length < text.length || text.length < maxSideLength;
  // The marker or number of a list item is not part of it.
  const [found = ""] = sum.exec(isWhole ? line.replace(/^\s*(?:[-*+•]\s+|\d+[.)]\s+)/, "") : line) ?? [];
  const last = found.split(/,\s|\s{2,}/).at(-1) ?? "";
  const trimmed = last.replace(/^[\s.,*×·÷/)]+/, "");
  return /\d\s*[)%％]?\s*[-+−*×·÷/]\s*[-−(]*\s*\d/.test(trimmed) ? trimmed : undefined;
}

/** Value of a calculation; undefined if it is not one: a date, a telephone number, a version. */
function evaluated(written: string): number | undefined {
  if (/\d\s+\d|\b0\d|\d-\d+-\d|\d\/\d+\/\d{4}/.test(written)) return undefined;
  const plain = written
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .replaceAll("−", "-")
    .replaceAll(/[×·]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll(/(\d+(?:\.\d+)?)\s*[%％]/g, "($1 / 100)")
    .replaceAll(/[-+*/]/g, " $& ");
  try {
    const value = compileExpression(plain).evaluate({});
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

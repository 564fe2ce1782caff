import { checkArithmetic } from "./check-arithmetic.ts";
import { type EarlierResult, checkConsistency } from "./check-consistency.ts";
import { checkTimes } from "./check-times.ts";
import { type Verification, type VerificationIssue, toVerification } from "./verification.ts";
import { splitLinesAndSentences } from "./split-statements.ts";

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
    return value < 0 || value > max ? [issue(quote, rule)] : [];
  });
}

function all(sentence: string, pattern: RegExp, rule: string): VerificationIssue[] {
  return [...sentence.matchAll(pattern)].map(([quote]) => issue(quote, rule));
}

function issue(quote: string, rule: string): VerificationIssue {
  return { kind: "range", severity: "error", message: `"${quote}" is impossible: ${rule}`, quote };
}

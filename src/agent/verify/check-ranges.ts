import { sentencesOf } from "./statements-of.ts";
import type { VerificationIssue } from "./verification.ts";

const percent = /(?<![\d.,\p{Script=Latin}])([-−]?\d[\d,]*(?:\.\d+)?)\s*(?:[%％]|per ?cent\b)/giu;
const chinesePercent = /百分之(负?\d+(?:\.\d+)?)/g;
/** A change, a comparison or a return may be more than all, and less than nothing. */
const change =
  /\b(?:grow|grew|growth|ris|rose|increas|decreas|gain|fell|fall|drop|declin|chang|return|more|less|higher|lower|up|down|over|above|below|yield|margin|inflation|premium|discount)|增|升|涨|降|跌|减|同比|环比|超过|收益|回报|利润率|通胀|倍/i;

const probability =
  /(?:\b(?:probability|likelihood)\b|概率|几率|机率)[^\n.。;；]{0,60}?(?:\bis\b|\bwas\b|\bequals\b|[=:：为是约])\s*(?:about|around|约)?\s*([-−]?\d+(?:\.\d+)?)(?!\d|\.\d|\s*(?:[%％]|per ?cent\b|in\b|to\b|out\b|成))/gi;

const things =
  "people|persons|users|items|files|times|results|notes|pages|books|records|rows|words|tasks|steps|children|students|votes|visitors|orders|customers";
const count = new RegExp(`(?<![\\d.,\\p{Script=Latin}])[-−]\\d[\\d,]*\\s*(?:${things})\\b`, "giu");
const chineseCount =
  /(?<![\d.,\p{Script=Latin}])(?:[-−]|负)\d+\s*(?:个(?!百分点|月|小时|点)|人|次|条|件|名|位|篇|页|只|台|本|张|家)/gu;

/** Percentages of a whole, probabilities and counts that there cannot be. */
export function checkRanges(text: string): VerificationIssue[] {
  return sentencesOf(text).flatMap((sentence) => [
    ...percentages(sentence),
    ...outside(sentence, probability, { most: 1, what: "a probability is between 0 and 1" }),
    ...all(sentence, count, "there is no negative number of things"),
    ...all(sentence, chineseCount, "there is no negative number of things"),
  ]);
}

function percentages(sentence: string): VerificationIssue[] {
  if (change.test(sentence)) return [];
  const limit = { most: 100, what: "a percentage of a whole is between 0 and 100" };
  return [...outside(sentence, percent, limit), ...outside(sentence, chinesePercent, limit)];
}

function outside(
  sentence: string,
  pattern: RegExp,
  { most, what }: { readonly most: number; readonly what: string },
): VerificationIssue[] {
  return [...sentence.matchAll(pattern)].flatMap(([quote, written = ""]) => {
    const value = Number(written.replaceAll(",", "").replace(/[−负]/, "-"));
    return value < 0 || value > most ? [issue(quote, what)] : [];
  });
}

function all(sentence: string, pattern: RegExp, what: string): VerificationIssue[] {
  return [...sentence.matchAll(pattern)].map(([quote]) => issue(quote, what));
}

function issue(quote: string, what: string): VerificationIssue {
  return { kind: "range", severity: "error", message: `"${quote}" cannot be: ${what}`, quote };
}

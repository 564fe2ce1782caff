import { wordSegments } from "../../../text/index.ts";
import { isStopWord, isVague } from "./stop-words.ts";
import { futurePhraseIn, timePhraseIn, withoutTime } from "./time-phrase.ts";

const maxTerms = 12;
const maxTermLength = 80;
/** Longer texts are cut. */
const maxScannedChars = 4000;

const addresses = /\bhttps?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.-]+/giu;
const mentions = /[@＠][\p{L}\p{N}_-]+/gu;
const quoted = /["“「『《]([^"“”「」『』《》\n]{2,60})["”」』》]/gu;
/** "How long" is an interrogative phrase, not a search term. */
const measures = /\bhow\s+(?:long|many|much|often|far|old|big|large|soon|well)\b|[怎什][么麼]?样|多长时间/giu;
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Consecutive content words. */
interface Stretch {
  readonly words: readonly string[];
  /** As written in the text. */
  readonly text: string;
}

/**
 * Extracts the search terms of a prompt, English and Chinese, the most specific first: quoted text, phrases, single
 * words. Function words, words of request, times, commands and punctuation are not terms; vague words and small numbers
 * are terms only if there are no others, and no time; a future time is a term, as it is written, if there is nothing
 * else.
 *
 * @example
 * ```ts
 * salientTerms("What did I write about machine learning last week?"); // ["machine learning", "machine", "learning"]
 * salientTerms("上周我写了哪些关于机器学习的笔记？"); // ["机器学习", "机器", "学习"]
 * ```
 */
export function salientTerms(prompt: string): string[] {
  const bare = prompt.slice(0, maxScannedChars).replaceAll(addresses, " ").replaceAll(mentions, " ");
  const time = timePhraseIn(bare);
  const timeless = time === undefined ? bare : withoutTime(bare, time);
  const ahead = futurePhraseIn(timeless);
  const text = (ahead === undefined ? timeless : withoutTime(timeless, ahead)).replaceAll(measures, " ");
  const terms = termsIn(text, isVague);
  if (terms.length > 0 || time !== undefined) return terms;
  return ahead === undefined ? termsIn(text, isStopWord) : [ahead.phrase];
}

/** True for a number: it does not name what it counts, nor a year what happened in it. */
export function isNumber(term: string): boolean {
  return /^[\d\s.,:/%-]+[年月日号]?$/u.test(term);
}

/** Terms in the order of a search query: none of them is part of an earlier one. */
export function widestTerms(terms: readonly string[]): string[] {
  const widest: string[] = [];
  for (const term of terms) {
    const folded = term.toLowerCase();
    if (!widest.some((wider) => wider.toLowerCase().includes(folded))) widest.push(term);
  }
  return widest;
}

type IsIdle = (word: string) => boolean;

function termsIn(text: string, isIdle: IsIdle): string[] {
  const phrases = [...text.matchAll(quoted)].map(([, phrase = ""]) => phrase.trim());
  const stretches = stretchesOf(text, isIdle);
  const terms = [
    ...phrases,
    ...stretches.filter(isPhrase).map((stretch) => stretch.text),
    // A single Chinese character, letter or digit matches too much.
    ...stretches.flatMap(({ words }) => (words.length === 1 ? words : words.filter((word) => word.length > 1))),
  ];
  const each = firstOfEach(terms);
  // Small numbers such as `3` and `97` occur in notes about anything.
  const reporting = each.filter((term) => !/^\d{1,3}$/u.test(term));
  return (reporting.length > 0 ? reporting : each).slice(0, maxTerms);
}

function stretchesOf(text: string, isIdle: IsIdle): Stretch[] {
  const stretches: Stretch[] = [];
  let words: string[] = [];
  let from = 0;
  let to = 0;
  const end = (): void => {
    if (words.length > 0) stretches.push({ words: withRemainders(words), text: text.slice(from, to) });
    words = [];
  };
  for (const { segment, index, isWordLike } of wordsIn(text)) {
    // A blank or a hyphen joins words and does not end a phrase.
    if (!isWordLike && /^[ \-·]$/u.test(segment)) continue;
    if (!isWordLike || isIdle(segment)) {
      end();
      continue;
    }
    // 用 Python 写 is not a phrase.
    if (words.length > 0 && dense.test(segment) !== dense.test(words.at(-1) ?? "")) end();
    if (words.length === 0) from = index;
    words.push(segment);
    to = index + segment.length;
  }
  end();
  return stretches;
}

/** A remaining single character ends a word that the dictionary does not have: 马拉 + 松. */
function withRemainders(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const isRest = joined.length > 0 && word.length === 1 && dense.test(word);
    joined.push(isRest ? `${joined.pop() ?? ""}${word}` : word);
  }
  return joined;
}

interface Segment {
  readonly segment: string;
  readonly index: number;
  readonly isWordLike: boolean;
}

/** C++, C# and F# are names; 2024年, 3月 and 2026-11-03 are one word each. */
const joint =
  /(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]{0,19}(?:\+\+|#)(?![\p{L}\p{N}#+])|\d{1,9}[年月日号章期届集版]|(?<!\d)\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?(?!\d)/gu;

/** The words of a text and the text between them. */
function* wordsIn(text: string): Generator<Segment> {
  let from = 0;
  for (const { 0: segment, index } of text.matchAll(joint)) {
    yield* segmentsOf(text.slice(from, index), from);
    yield { segment, index, isWordLike: true };
    from = index + segment.length;
  }
  yield* segmentsOf(text.slice(from), from);
}

function* segmentsOf(text: string, offset: number): Generator<Segment> {
  for (const { segment, index, isWordLike } of wordSegments(text)) {
    yield { segment, index: offset + index, isWordLike: isWordLike === true };
  }
}

const maxWords = 4;
const maxCharacters = 10;

function isPhrase({ words, text }: Stretch): boolean {
  if (words.length < 2) return false;
  return dense.test(text) ? text.length <= maxCharacters : words.length <= maxWords;
}

function firstOfEach(terms: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const term of terms) {
    const bare = term.replace(/['’]s?$/u, "");
    const key = bare.toLowerCase();
    if (bare !== "" && bare.length <= maxTermLength && !seen.has(key)) seen.set(key, bare);
  }
  return [...seen.values()];
}

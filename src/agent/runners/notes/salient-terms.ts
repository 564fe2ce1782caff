import { isStopWord, isVague } from "./stop-words.ts";
import { aheadIn, timePhraseIn, withoutTime } from "./time-phrase.ts";

const mostTerms = 12;
const longestTerm = 80;
/** More of a text is not looked at. */
const farthest = 4000;

const addresses = /\bhttps?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.-]+/giu;
const mentions = /[@＠][\p{L}\p{N}_-]+/gu;
const quoted = /["“「『《]([^"“”「」『』《》\n]{2,60})["”」』》]/gu;
/** "How long" asks, and is about nothing that is long. */
const measures = /\bhow\s+(?:long|many|much|often|far|old|big|large|soon|well)\b|[怎什][么麼]?样|多长时间/giu;
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Words in a row that say something. */
interface Stretch {
  readonly words: readonly string[];
  /** As they stand in the text. */
  readonly text: string;
}

/**
 * The words and phrases of a question that a search should look for, English and Chinese, the most telling first: what is
 * quoted, phrases, single words. Words of grammar, words that only ask, times, commands and punctuation are none; words
 * that say little, and small numbers, are some only where there are no others, and no time; a time to come is one, as it
 * is written, where there is nothing else.
 *
 * @example
 * ```ts
 * salientTerms("What did I write about machine learning last week?"); // ["machine learning", "machine", "learning"]
 * salientTerms("上周我写了哪些关于机器学习的笔记？"); // ["机器学习", "机器", "学习"]
 * ```
 */
export function salientTerms(question: string): string[] {
  const bare = question.slice(0, farthest).replaceAll(addresses, " ").replaceAll(mentions, " ");
  const time = timePhraseIn(bare);
  const timeless = time === undefined ? bare : withoutTime(bare, time);
  const ahead = aheadIn(timeless);
  const text = (ahead === undefined ? timeless : withoutTime(timeless, ahead)).replaceAll(measures, " ");
  const terms = termsIn(text, isVague);
  if (terms.length > 0 || time !== undefined) return terms;
  return ahead === undefined ? termsIn(text, isStopWord) : [ahead.phrase];
}

/** A number says nothing of what it counts, nor a year of what happened in it. */
export function isNumber(term: string): boolean {
  return /^[\d\s.,:/%-]+[年月日号]?$/u.test(term);
}

/** Terms in the order in which a search engine would be asked for them: none of them is part of one before it. */
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
    ...stretches.flatMap(({ words }) => (words.length === 1 ? words : words.filter(isTelling))),
  ];
  const each = firstOfEach(terms);
  const telling = each.filter((term) => !isSmall(term));
  return (telling.length > 0 ? telling : each).slice(0, mostTerms);
}

/** `3` and `97` are in notes about anything. */
function isSmall(term: string): boolean {
  return /^\d{1,3}$/u.test(term);
}

let segmenter: Intl.Segmenter | undefined;

function stretchesOf(text: string, isIdle: IsIdle): Stretch[] {
  const stretches: Stretch[] = [];
  let words: string[] = [];
  let from = 0;
  let to = 0;
  const end = (): void => {
    if (words.length > 0) stretches.push({ words: withRests(words), text: text.slice(from, to) });
    words = [];
  };
  for (const { segment, index, isWordLike } of wordsIn(text)) {
    // What joins words is no end of them: a blank, a hyphen.
    if (!isWordLike && /^[ \-·]$/u.test(segment)) continue;
    if (!isWordLike || isIdle(segment)) {
      end();
      continue;
    }
    // 用 Python 写 is no phrase.
    if (words.length > 0 && dense.test(segment) !== dense.test(words.at(-1) ?? "")) end();
    if (words.length === 0) from = index;
    words.push(segment);
    to = index + segment.length;
  }
  end();
  return stretches;
}

/** A character that is left over ends a word that the dictionary does not have: 马拉 + 松. */
function withRests(words: readonly string[]): string[] {
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

/** The words of a text and what is between them. */
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
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    yield { segment, index: offset + index, isWordLike: isWordLike === true };
  }
}

const mostWords = 4;
const mostCharacters = 10;

function isPhrase({ words, text }: Stretch): boolean {
  if (words.length < 2) return false;
  return dense.test(text) ? text.length <= mostCharacters : words.length <= mostWords;
}

/** A single character of Chinese is found in too much; a single letter or digit as well. */
function isTelling(word: string): boolean {
  return word.length > 1;
}

function firstOfEach(terms: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const term of terms) {
    const bare = term.replace(/['’]s?$/u, "");
    const key = bare.toLowerCase();
    if (bare !== "" && bare.length <= longestTerm && !seen.has(key)) seen.set(key, bare);
  }
  return [...seen.values()];
}

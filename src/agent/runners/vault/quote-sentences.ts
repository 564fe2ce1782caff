import { cutText, CodeFences, findFrontMatter, sentenceEnds } from "../../../text/index.ts";
import { wordSet } from "../../verify/token-similarity.ts";
import type { Passage } from "./passage.ts";

/** A sentence of a note, word for word. */
export interface Quote {
  readonly passage: Passage;
  readonly text: string;
  /** Location of the sentence. */
  readonly location: string;
}

interface Candidate extends Quote {
  /** Rank of its passage among all. */
  readonly rank: number;
  readonly words: ReadonlySet<string>;
  /** Words of the note's title. */
  readonly titleWords: ReadonlySet<string>;
}

const maxQuotes = 5;
const maxOneChars = 2;
const maxQuoteLength = 400;
/** Minimum score of a quote, relative to the best one. */
const minPart = 0.35;
const maxSentences = 200;

/**
 * The sentences that match a prompt, the best first: those with most of its words, where rare words and better notes
 * count more. At most two are from one note, unless its title matches the prompt and none of its sentences adds to it:
 * then its first sentences follow. Without any match, the first sentence of each note.
 */
export function quoteSentences(passages: readonly Passage[], prompt: string): Quote[] {
  const passageQuery = stemsOf(prompt);
  const candidates = passages.flatMap((passage, rank) => candidatesIn(passage, rank));
  // The fewer sentences contain a word, the higher its weight.
  const weights = new Map(
    [...passageQuery].map((word) => {
      const having = candidates.filter(({ words }) => words.has(word)).length;
      return [word, having === 0 ? 0 : Math.log(1 + candidates.length / having)];
    }),
  );
  const best = candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, weights) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.candidate.rank - b.candidate.rank);
  const min = (best[0]?.score ?? 0) * minPart;
  const chosen: Candidate[] = [];
  for (const { candidate, score } of best) {
    if (chosen.length === maxQuotes || score < min) break;
    const ofSame = chosen.filter(({ passage }) => passage === candidate.passage).length;
    if (ofSame < maxOneChars && !chosen.some(({ text }) => text === candidate.text)) chosen.push(candidate);
  }
  const quotes = [...chosen, ...leadingIn(passages, { chosen, requested: passageQuery })].slice(0, maxQuotes);
  return quotes.length === 0 ? firstSentences(passages.slice(0, maxQuotes)) : quotes;
}

/** The beginning of each note whose title matches the prompt. */
function leadingIn(
  passages: readonly Passage[],
  { chosen, requested }: { readonly chosen: readonly Candidate[]; readonly requested: ReadonlySet<string> },
): Quote[] {
  return passages.flatMap((passage) => {
    const title = stemsOf(passage.title);
    if (!isTopic(title, requested)) return [];
    const own = chosen.filter((candidate) => candidate.passage === passage);
    // A chosen sentence already answers more than the topic.
    if (own.some(({ words }) => [...requested].some((word) => words.has(word) && !title.has(word)))) return [];
    return quotesIn(passage).filter(({ text }) => !chosen.some((one) => one.text === text));
  });
}

/** True if a title names the subject of the prompt, or a self-contained part of it. */
function isTopic(title: ReadonlySet<string>, passageQuery: ReadonlySet<string>): boolean {
  if (title.size === 0 || passageQuery.size === 0) return false;
  return [...title].every((word) => passageQuery.has(word)) || [...passageQuery].every((word) => title.has(word));
}

/** The first sentence of each note; for a note without sentences, its search snippet or its title. */
export function firstSentences(passages: readonly Passage[]): Quote[] {
  return passages.flatMap((passage) => {
    const { snippet, title, location } = passage;
    const [first = { passage, text: snippet.replace(/^#{1,6}\s+/u, "") || title, location }] = quotesIn(passage);
    return first.text === "" ? [] : [first];
  });
}

/** The words of a text; singular and plural are the same. */
function stemsOf(text: string): ReadonlySet<string> {
  return new Set([...wordSet(text)].map(stemOf));
}

function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/u.test(word) || word.endsWith("ss")) return word;
  return word.replace(/ies$/u, "y").replace(/s$/u, "");
}

function candidatesIn(passage: Passage, rank: number): Candidate[] {
  const titleWords = stemsOf(passage.title);
  return quotesIn(passage).flatMap((quote) => {
    const words = stemsOf(quote.text);
    // A single word is not a statement, unless it labels a number: `printer | 300 €`.
    return words.size < 2 && !/\d/u.test(quote.text) ? [] : [{ ...quote, rank, words, titleWords }];
  });
}

/** The sentences of a passage, each with its own line. */
function quotesIn(passage: Passage): Quote[] {
  const { path, firstLine, location } = passage;
  const sentences = sentencesIn(passage).slice(0, maxSentences);
  return sentences.map(({ text, index }) => ({
    passage,
    text: cutText(text, maxQuoteLength).text,
    location: firstLine === undefined ? location : `${path}:${firstLine + index}`,
  }));
}

function scoreOf({ words, titleWords, rank }: Candidate, weights: ReadonlyMap<string, number>): number {
  let own = 0;
  let ofNote = 0;
  for (const [word, weight] of weights) {
    if (words.has(word)) own += weight;
    // The subject of the whole note need not occur in each of its sentences.
    else if (titleWords.has(word)) ofNote += weight / 2;
  }
  if (own === 0) return 0;
  // A long sentence contains many words by chance; a later note matches less well.
  return (own / (1 + words.size / 40) + ofNote) / (1 + rank / 10);
}

/** A sentence of a note. */
interface Sentence {
  readonly text: string;
  /** The line on which it begins, counted from 0. */
  readonly index: number;
}

/** Finds the sentences of a passage, also those that continue in the next line. */
export function sentencesIn(passage: Pick<Passage, "text" | "firstLine" | "fence">): Sentence[] {
  return paragraphsIn(linesOf(passage)).flatMap((paragraph) => sentencesOf(paragraph));
}

interface Line {
  readonly index: number;
  /** Without the marks of quotes, lists and tables, and without images; empty if there is no text. */
  readonly text: string;
  readonly isBlank: boolean;
  /** It begins an item of a list. */
  readonly isItem: boolean;
  /** It is a row of a table. */
  readonly isRow: boolean;
}

const noProse = /^\s*(?:#{1,6}\s|<!--.*-->\s*$|[-*_=|:\s]{3,}$)/u;
/** A row of a table. */
const row = /^\s*\|/u;
const quoteMark = /^\s*(?:>\s?)+/u;
/** Also one that is a link, and one that is a note of its own: `[![…](…)](…)`, `![[…]]`. */
const image = /\[?!\[(?:\[[^\]\n]{0,500}\]\]|[^\]\n]{0,500}\]\([^)\n]{0,2000}\))(?:\]\([^)\n]{0,2000}\))?/gu;
const listMark = /^\s*(?:[-*+]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?/u;

/** The lines of a passage. Front matter, headings, code, rules and comments contain no sentences. */
function linesOf({ text, firstLine = 1, fence }: Pick<Passage, "text" | "firstLine" | "fence">): Line[] {
  const fences = new CodeFences(fence);
  const found = findFrontMatter(text, { dots: true });
  const front = firstLine === 1 && found.kind === "found" ? text.slice(0, found.end).split("\n").length - 1 : 0;
  return text.split("\n").map((line, index) => {
    const content = line.replace(quoteMark, "");
    // Within a list a fence may be indented further.
    const isProse = index >= front && !fences.isCode(content.trimStart()) && !noProse.test(content);
    return {
      index,
      text: isProse ? plainText(content) : "",
      isBlank: content.trim() === "",
      isItem: listMark.test(content),
      isRow: row.test(content),
    };
  });
}

function plainText(line: string): string {
  const content = line.replace(listMark, "").trim();
  const bare = row.test(content) ? content.replaceAll(/^\||\|$/gu, "") : content;
  return (bare.includes("![") ? bare.replaceAll(image, "").replaceAll(/ {2,}/gu, " ") : bare).trim();
}

function paragraphsIn(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [];
  let before: Line | undefined;
  /** The last one that is not blank. */
  let above: Line | undefined;
  for (const line of lines) {
    // A label belongs to the first item below it.
    const isNext = line.isItem ? label.test(above?.text ?? "") : before !== undefined && continuesLine(before, line);
    if (isNext && line.text !== "") paragraphs.at(-1)?.push(line);
    else if (line.text !== "") paragraphs.push([line]);
    before = line;
    if (!line.isBlank) above = line;
  }
  return paragraphs;
}

const label = /[:：]$/u;
/** A line of at least this width was wrapped; a shorter one, as in a poem or a log, stands alone. */
const wrapWidth = 50;
/** In scripts without spaces lines are shorter, and may end anywhere. */
const wrapWidthDense = 30;
const sentenceEnd = /[.!?:。！？：…]["'”’)\]」』）]*$/u;
/** No sentence ends like this, nor begins like this. */
const openEnd = /[，、；]$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][,;]$/u;
const closing = /^[，。、；：！？）」』》”]/u;

function continuesLine(before: Line, { text: next, isRow }: Line): boolean {
  const line = before.text;
  if (line === "" || before.isRow || isRow || sentenceEnd.test(line)) return false;
  if (openEnd.test(line) || closing.test(next) || /^\p{Ll}/u.test(next)) return true;
  return widthOf(line) >= (isDense(line.at(-1)) && /^\p{L}/u.test(next) ? wrapWidthDense : wrapWidth);
}

const dense = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uff60";
const denseOne = new RegExp(`[${dense}]`, "u");
const wide = new RegExp(`[${dense}\\p{Script=Hangul}]`, "gu");

/** True for scripts that are written without spaces, also between lines. */
function isDense(character = ""): boolean {
  return denseOne.test(character);
}

/** Characters of such scripts are twice as wide. */
function widthOf(line: string): number {
  return line.length + (line.match(wide)?.length ?? 0);
}

function sentencesOf(paragraph: readonly Line[]): Sentence[] {
  const starts: (readonly [at: number, index: number])[] = [];
  let text = "";
  for (const line of paragraph) {
    const glue = text === "" || (isDense(text.at(-1)) && isDense(line.text[0])) ? "" : " ";
    starts.push([text.length + glue.length, line.index]);
    text += glue + line.text;
  }
  const sentences: Sentence[] = [];
  let from = 0;
  for (const end of [...sentenceEnds(text), text.length]) {
    const sentence = text.slice(from, end);
    const begin = from + sentence.search(/\S|$/u);
    from = end;
    if (sentence.trim() === "") continue;
    sentences.push({ text: sentence.trim(), index: starts.findLast(([at]) => at <= begin)?.[1] ?? 0 });
  }
  return sentences;
}

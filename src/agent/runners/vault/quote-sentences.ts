import { cutText } from "../../../text/index.ts";
import { wordsOf } from "../../verify/token-similarity.ts";
import type { Passage } from "./passage.ts";
import { sentencesIn } from "./sentences-in.ts";

/** A sentence of a note, word for word. */
export interface Quote {
  readonly passage: Passage;
  readonly text: string;
  /** Where it stands. */
  readonly location: string;
}

interface Candidate extends Quote {
  /** The place of its passage among all. */
  readonly rank: number;
  readonly words: ReadonlySet<string>;
  /** What the whole note is about. */
  readonly titleWords: ReadonlySet<string>;
}

const mostQuotes = 5;
const mostOfOne = 2;
const longestQuote = 400;
/** What fits so much less than the best is no answer. */
const leastPart = 0.35;
const mostSentences = 200;

/**
 * The sentences that fit a question, the best first: those that have most of its words, where a word that few sentences
 * have counts more, as does a better note. At most two are of one note, save where its title is what is asked for and
 * none of its sentences says more of it: then the first ones follow. Where there is nothing of all that, it is the first
 * sentence of each.
 */
export function quoteSentences(passages: readonly Passage[], asked: string): Quote[] {
  const wanted = stemsOf(asked);
  const candidates = passages.flatMap((passage, rank) => candidatesIn(passage, rank));
  const weights = weightsOf(wanted, candidates);
  const best = candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, weights) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.candidate.rank - b.candidate.rank);
  const least = (best[0]?.score ?? 0) * leastPart;
  const chosen: Candidate[] = [];
  for (const { candidate, score } of best) {
    if (chosen.length === mostQuotes || score < least) break;
    const ofSame = chosen.filter(({ passage }) => passage === candidate.passage).length;
    if (ofSame < mostOfOne && !chosen.some(({ text }) => text === candidate.text)) chosen.push(candidate);
  }
  const quotes = [...chosen, ...leadingIn(passages, { chosen, wanted })].slice(0, mostQuotes);
  return quotes.length === 0 ? firstSentences(passages.slice(0, mostQuotes)) : quotes;
}

interface Selection {
  readonly chosen: readonly Candidate[];
  readonly wanted: ReadonlySet<string>;
}

/** The beginning of each note that is about what is asked for as a whole. */
function leadingIn(passages: readonly Passage[], { chosen, wanted }: Selection): Quote[] {
  return passages.flatMap((passage) => {
    const title = stemsOf(passage.title);
    if (!isTopic(title, wanted)) return [];
    const own = chosen.filter((candidate) => candidate.passage === passage);
    // It says what is asked for beyond the topic.
    if (own.some(({ words }) => [...wanted].some((word) => words.has(word) && !title.has(word)))) return [];
    return quotesIn(passage).filter(({ text }) => !chosen.some((one) => one.text === text));
  });
}

/** Does a title name what is asked for, or a part of it that stands for itself? */
function isTopic(title: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  if (title.size === 0 || wanted.size === 0) return false;
  return [...title].every((word) => wanted.has(word)) || [...wanted].every((word) => title.has(word));
}

/** The first sentence of each note; of one without any what the search showed of it, or its title. */
export function firstSentences(passages: readonly Passage[]): Quote[] {
  return passages.flatMap((passage) => {
    const { snippet, title, location } = passage;
    const [first = { passage, text: snippet.replace(/^#{1,6}\s+/u, "") || title, location }] = quotesIn(passage);
    return first.text === "" ? [] : [first];
  });
}

/** The words of a text, one and many of a thing being the same. */
function stemsOf(text: string): ReadonlySet<string> {
  return new Set([...wordsOf(text)].map(stemOf));
}

function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/u.test(word) || word.endsWith("ss")) return word;
  return word.replace(/ies$/u, "y").replace(/s$/u, "");
}

function candidatesIn(passage: Passage, rank: number): Candidate[] {
  const titleWords = stemsOf(passage.title);
  return quotesIn(passage).flatMap((quote) => {
    const words = stemsOf(quote.text);
    // A word alone says nothing, unless it is that of a number: `printer | 300 €`.
    return words.size < 2 && !/\d/u.test(quote.text) ? [] : [{ ...quote, rank, words, titleWords }];
  });
}

/** The sentences of a passage, each with its own line. */
function quotesIn(passage: Passage): Quote[] {
  const { path, firstLine, location } = passage;
  const sentences = sentencesIn(passage).slice(0, mostSentences);
  return sentences.map(({ text, index }) => ({
    passage,
    text: cutText(text, longestQuote).text,
    location: firstLine === undefined ? location : `${path}:${firstLine + index}`,
  }));
}

/** The fewer sentences have a word, the more it says. */
function weightsOf(wanted: ReadonlySet<string>, candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  return new Map(
    [...wanted].map((word) => {
      const having = candidates.filter(({ words }) => words.has(word)).length;
      return [word, having === 0 ? 0 : Math.log(1 + candidates.length / having)];
    }),
  );
}

function scoreOf({ words, titleWords, rank }: Candidate, weights: ReadonlyMap<string, number>): number {
  let own = 0;
  let ofNote = 0;
  for (const [word, weight] of weights) {
    if (words.has(word)) own += weight;
    // What the whole note is about need not be said in each of its sentences.
    else if (titleWords.has(word)) ofNote += weight / 2;
  }
  if (own === 0) return 0;
  // A long sentence has many words of anything; a later note fits less well.
  return (own / (1 + words.size / 40) + ofNote) / (1 + rank / 10);
}

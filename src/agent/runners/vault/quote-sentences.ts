import { cutText } from "../../../text/index.ts";
import { wordSet } from "../../verify/token-similarity.ts";
import type { Passage } from "./passage.ts";
import { sentencesIn } from "./sentences-in.ts";

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
  const weights = weightsOf(passageQuery, candidates);
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

/** The fewer sentences contain a word, the higher its weight. */
function weightsOf(passageQuery: ReadonlySet<string>, candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  return new Map(
    [...passageQuery].map((word) => {
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
    // The subject of the whole note need not occur in each of its sentences.
    else if (titleWords.has(word)) ofNote += weight / 2;
  }
  if (own === 0) return 0;
  // A long sentence contains many words by chance; a later note matches less well.
  return (own / (1 + words.size / 40) + ofNote) / (1 + rank / 10);
}

import { cutText } from "../../../text/index.ts";
import { sentencesOf } from "../../verify/statements-of.ts";
import { wordsOf } from "../../verify/token-similarity.ts";
import type { Passage } from "./passage.ts";

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
 * have counts more, as does a better note. At most two are of one note. Where no sentence has any of the words, as when
 * only the title of a note fits, it is the first sentences.
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
  return chosen.length === 0 ? firstSentences(passages.slice(0, mostQuotes)) : chosen;
}

/** The first sentence of each note; of one without any what the search showed of it, or its title. */
export function firstSentences(passages: readonly Passage[]): Quote[] {
  return passages.flatMap((passage) => {
    const { snippet, title, location } = passage;
    const [first = { passage, text: snippet.replace(/^#{1,6}\s+/u, "") || title, location }] = sentencesIn(passage);
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
  return sentencesIn(passage).flatMap((quote) => {
    const words = stemsOf(quote.text);
    return words.size < 2 ? [] : [{ ...quote, rank, words, titleWords }];
  });
}

/** The sentences of a passage, each with its own line. */
function sentencesIn(passage: Passage): Quote[] {
  const { path, firstLine, location } = passage;
  const sentences = proseLines(passage.text).flatMap(({ index, line }) =>
    sentencesOf(line).map((sentence) => ({
      passage,
      text: cutText(sentence.replace(listMark, ""), longestQuote).text,
      location: firstLine === undefined ? location : `${path}:${firstLine + index}`,
    })),
  );
  return sentences.slice(0, mostSentences);
}

const listMark = /^(?:[-*+>]|\d{1,3}[.)、])\s+(?:\[[ x]\]\s+)?/u;

const noProse = /^\s*(?:#{1,6}\s|<!--.*-->\s*$|[-*_=|:\s]{3,}$)/u;

/** The lines of a note without what is no sentence: front matter, headings, code, rules and comments. */
function proseLines(text: string): { readonly index: number; readonly line: string }[] {
  let isCode = false;
  const front = /^---\n[\s\S]*?\n---(?:\n|$)/u.exec(text)?.[0].split("\n").length ?? 1;
  return text.split("\n").flatMap((line, index) => {
    if (index < front - 1) return [];
    const isFence = /^\s*(?:```|~~~)/u.test(line);
    if (isFence) isCode = !isCode;
    const isProse = !isFence && !isCode && !noProse.test(line);
    return isProse ? [{ index, line }] : [];
  });
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
  let score = 0;
  for (const [word, weight] of weights) {
    // What the note is about anyway tells less of one of its sentences.
    if (words.has(word)) score += titleWords.has(word) ? weight / 2 : weight;
  }
  // A long sentence has many words of anything; a later note fits less well.
  return score / (1 + words.size / 40) / (1 + rank / 10);
}

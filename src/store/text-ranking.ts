import type { Needle, TextPlan } from "./text-query.ts";
import { type Recency, type TextQuery, recencyFactor } from "./text-index.ts";

/** Size of a collection, for ranking. */
export interface TextTotals {
  readonly documents: number;
  /** Total of all columns of all documents. */
  readonly terms: number;
}

/** The spellings of one word, and how many documents of the collection have any of them. */
export interface CountedNeedles {
  readonly needles: readonly Needle[];
  readonly having: number;
}

/** Match of a document's title: it lacks some of the words, has them all, or consists of exactly them. */
export type TitleFit = 0 | 1 | 2;

/** Input of a score. */
export interface MatchStats {
  /** Returns how often a needle occurs in the document, weighted by column. */
  readonly times: (needle: Needle) => number;
  /** In terms. */
  readonly length: number;
  /** True if the document has all words. */
  readonly whole: boolean;
  readonly titleFit: TitleFit;
  readonly at: number;
  /** If not everything was counted: the minimum share, below 1, of the maximum score. */
  readonly share?: number;
}

/** Term saturation, and length normalization below: the usual BM25 parameters. */
const k1 = 1.2;
const b = 0.75;
/** Weight of another form of a word, relative to the typed one. */
const otherForm = 0.8;
/** Factor for documents with all words. */
const wholeFactor = 1.5;
/** Longer titles are compared only up to this length, in UTF-16 units of their terms. */
const maxTitleLength = 500;

/** Returns the divisor of term counts, which grows with the length of the document. */
export function lengthFactor(length: number, averageLength: number): number {
  return k1 * (1 - b + (b * length) / averageLength);
}

/** Rounds counts for comparison, so that every way to compute them gives the same. */
export function roundTimes(times: number): number {
  return Math.round(times * 1000) / 1000;
}

/** Returns the normalized title, from its terms, for comparison with the query. */
export function titleKey(titleTerms: string): string {
  return titleTerms.slice(0, maxTitleLength);
}

/** Returns the key of a title that consists of exactly the query. */
export function queryTitleKey({ terms }: TextPlan): string {
  return titleKey(terms.join(" "));
}

/** Returns how well a title, given by its key, matches the query. */
export function titleFitOf(key: string, plan: TextPlan): TitleFit {
  if (plan.all.length === 0) return 0;
  if (key === queryTitleKey(plan)) return 2;
  const terms = key.split(" ");
  return plan.all.every((group) => group.some((needle) => countNeedle(terms, needle) > 0)) ? 1 : 0;
}

/** Counts the occurrences of a needle among terms. */
export function countNeedle(among: readonly string[], { terms, prefix }: Needle): number {
  const last = terms.length - 1;
  let count = 0;
  for (let at = 0; at + last < among.length; at++) {
    const stands = terms.every((term, index) => {
      const there = among[at + index];
      return prefix && index === last ? there?.startsWith(term) === true : there === term;
    });
    if (stands) count++;
  }
  return count;
}

/** Input of a ranking. */
export interface RankingParts {
  readonly query: TextQuery;
  readonly totals: TextTotals;
  /** The words of the query. */
  readonly queryGroups: readonly CountedNeedles[];
  /** The further terms of the query. */
  readonly more: readonly CountedNeedles[];
}

/**
 * Scores documents of one collection for one query; every implementation of the port uses it. It is BM25 with three
 * differences: it uses statistics of the collection only, a word that most documents have still counts a little, and
 * all forms of a word count as one word, so that a rare form is worth no more than a common one.
 */
export class Ranking {
  readonly #query: TextQuery;
  readonly #averageLength: number;
  readonly #groups: readonly { readonly needles: readonly Needle[]; readonly rarity: number }[];
  /** Upper bound of the score by the query's words, without recency. */
  readonly #ceiling: number;

  constructor({ query, totals, queryGroups, more }: RankingParts) {
    // The weight of a term: the fewer documents have it the higher, and always positive.
    const weigh = ({ needles, having }: CountedNeedles): { needles: readonly Needle[]; rarity: number } => ({
      needles,
      rarity: Math.log(1 + Math.max(0, totals.documents - having + 0.5) / (having + 0.5)),
    });
    const weighted = queryGroups.map(weigh);
    this.#query = query;
    this.#averageLength = Math.max(1, totals.terms) / Math.max(1, totals.documents);
    this.#groups = [...weighted, ...more.map(weigh)];
    this.#ceiling = weighted.reduce((sum, { rarity }) => sum + rarity, 0) * (k1 + 1) * wholeFactor;
  }

  /**
   * Returns the score; higher is better. A document with all words in its title ranks before every other document that
   * has them.
   */
  score({ times, length, whole, titleFit, at, share = 0 }: MatchStats): number {
    const divisor = lengthFactor(length, this.#averageLength);
    let sum = 0;
    for (const { needles, rarity } of this.#groups) {
      const [typed = 0, ...others] = needles.map(times);
      const all = typed + otherForm * others.reduce((total, more) => total + more, 0);
      if (all > 0) sum += (rarity * all * (k1 + 1)) / (all + divisor);
    }
    const { recency, titleWeight = 1 } = this.#query;
    const fitness = Math.max(whole ? sum * wholeFactor : sum, share * this.#ceiling);
    const bonus = titleWeight > 0 ? titleFit * this.#ceiling * newestFactor(recency) : 0;
    return Number((fitness * recencyFactor(at, recency) + bonus).toPrecision(6));
  }
}

/** Returns the factor of a document of this moment. */
function newestFactor(recency: Recency | undefined): number {
  return Math.max(1, recencyFactor(recency?.now ?? 0, recency));
}

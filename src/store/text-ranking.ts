import type { Needle, TextPlan } from "./text-query.ts";
import { type Recency, type TextQuery, recencyFactor } from "./text-index.ts";

/** How much there is in a collection to compare a document with. */
export interface TextTotals {
  readonly documents: number;
  /** Of all columns of all documents. */
  readonly terms: number;
}

/** The ways to write one word, and how many documents of the collection have any of them. */
export interface CountedGroup {
  readonly needles: readonly Needle[];
  readonly having: number;
}

/** How the title of a document fits: it has not all of the words, has them all, or is nothing but them. */
export type TitleFit = 0 | 1 | 2;

/** What a score is made of. */
export interface Standing {
  /** How often a needle stands in the document, each time counted by the weight of its column. */
  readonly times: (needle: Needle) => number;
  /** In terms. */
  readonly length: number;
  /** Has it all the words? */
  readonly whole: boolean;
  readonly titleFit: TitleFit;
  readonly at: number;
  /** Where not all was counted: at least this share, below 1, of the most that it could count. */
  readonly share?: number;
}

/** How soon more of the same counts no more, and how much a long document is held against itself: BM25's usual choice. */
const k1 = 1.2;
const b = 0.75;
/** What a form of a word counts beside the one that was typed. */
const otherForm = 0.8;
/** What it counts to have all the words. */
const wholeFactor = 1.5;
/** Of a longer title only this much, in UTF-16 units of its terms, is compared. */
const longestTitle = 500;

/** What divides the times a term stands in a document: the longer the document, the more. */
export function lengthFactor(length: number, averageLength: number): number {
  return k1 * (1 - b + (b * length) / averageLength);
}

/** Times as they are compared: rounded, so that every way to count them gives the same. */
export function roundTimes(times: number): number {
  return Math.round(times * 1000) / 1000;
}

/** The title as it is compared with what was asked, from its terms. */
export function titleKey(titleTerms: string): string {
  return titleTerms.slice(0, longestTitle);
}

/** The key of a title that is nothing but what was asked. */
export function askedKey({ terms }: TextPlan): string {
  return titleKey(terms.join(" "));
}

/** How a title, given by its key, fits what was asked. */
export function titleFitOf(key: string, plan: TextPlan): TitleFit {
  if (plan.all.length === 0) return 0;
  if (key === askedKey(plan)) return 2;
  const terms = key.split(" ");
  return plan.all.every((group) => group.some((needle) => countNeedle(terms, needle) > 0)) ? 1 : 0;
}

/** How often a needle stands among terms. */
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

/** What a ranking is made for. */
export interface RankingParts {
  readonly query: TextQuery;
  readonly totals: TextTotals;
  /** What was asked for. */
  readonly asked: readonly CountedGroup[];
  /** What was named besides. */
  readonly more: readonly CountedGroup[];
}

/**
 * How well documents of one collection fit one query; every implementation of the port ranks by this. It is BM25 with
 * three differences: it knows the collection and nothing besides, a word that most documents have still counts a
 * little, and the forms of a word are one word, so that a rare form is worth no more than a usual one.
 */
export class Ranking {
  readonly #query: TextQuery;
  readonly #averageLength: number;
  readonly #groups: readonly { readonly needles: readonly Needle[]; readonly rarity: number }[];
  /** No document scores more than this by what was asked for, its age aside. */
  readonly #ceiling: number;

  constructor({ query, totals, asked, more }: RankingParts) {
    const weigh = ({ needles, having }: CountedGroup): { needles: readonly Needle[]; rarity: number } => ({
      needles,
      rarity: rarityOf(totals.documents, having),
    });
    const askedFor = asked.map(weigh);
    this.#query = query;
    this.#averageLength = Math.max(1, totals.terms) / Math.max(1, totals.documents);
    this.#groups = [...askedFor, ...more.map(weigh)];
    this.#ceiling = askedFor.reduce((sum, { rarity }) => sum + rarity, 0) * (k1 + 1) * wholeFactor;
  }

  /** The higher the better. What has all that was asked for in its title comes before whatever else has it. */
  score({ times, length, whole, titleFit, at, share = 0 }: Standing): number {
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

/** What a document of this moment counts. */
function newestFactor(recency: Recency | undefined): number {
  return Math.max(1, recencyFactor(recency?.now ?? 0, recency));
}

/** What it tells that a document has this: the fewer have it the more, and always something. */
function rarityOf(documents: number, having: number): number {
  return Math.log(1 + Math.max(0, documents - having + 0.5) / (having + 0.5));
}

import type { AnyTool, Registration } from "../../tool/index.ts";
import { type QueryTerm, parseToolQuery } from "./parse-tool-query.ts";
import type { TermIndex } from "./term-index.ts";
import { ToolIndex } from "./tool-index.ts";

/** Source of the tools: a registry. */
export interface ToolListing {
  /** Changes whenever the list does. */
  readonly version: number;
  list(): readonly Registration[];
}

/** A tool that was found. */
export interface ToolHit {
  readonly registration: Registration;
  /** The higher the better. To be compared within one answer only. */
  readonly score: number;
}

/** Options of {@link ToolFinder.search}. */
export interface ToolSearchOptions {
  /** Maximum number of results. Default: 10. */
  readonly limit?: number | undefined;
  /** Only these. */
  readonly where?: ((tool: AnyTool, registration: Registration) => boolean) | undefined;
}

/** Weight of a longer word that begins with the query's word, or of a shorter one that it is derived from. */
const prefixShare = 0.5;
const shortestPrefix = 4;
const maxLonger = 12;
/** Share of the score that depends on how much of the query a tool covers. */
const coverageShare = 0.4;
/** Minimum score relative to the best result. */
const minShare = 0.15;

/** Minimum share of the query, including words that no tool has, that a tool must cover. */
const minCovered = 0.1;

/**
 * Finds tools by purpose: by their names, descriptions, parameters, tags and capabilities, in English and Chinese. The
 * index is built on first use; when tools change, only new ones are read.
 *
 * @example
 * ```ts
 * const [best] = new ToolFinder(registry).search("send an email");
 * ```
 *
 * @see docs/guide/hub.md
 */
export class ToolFinder {
  readonly #tools: ToolListing;
  readonly #index = new ToolIndex();
  #version: number | undefined;

  constructor(tools: ToolListing) {
    this.#tools = tools;
  }

  /**
   * The best matching tools, best first; among equals the workspace's own come first, then in the order of names. Empty
   * if no tool matches the query.
   */
  search(query: string, { limit = 10, where = () => true }: ToolSearchOptions = {}): ToolHit[] {
    const index = this.#current();
    const scores = scoresOf(parseToolQuery(query), index.terms);
    const highest = scores.reduce((maxCount, score) => Math.max(maxCount, score), 0);
    const min = Math.max(highest * minShare, Number.MIN_VALUE);
    // An exact name means that tool; among tools of the same name, the one of the workspace comes first.
    for (const at of index.named(query)) scores[at] = (scores[at] ?? 0) + (highest + 1) * ownness(index.at(at));
    const hits: ToolHit[] = [];
    for (const [at, score] of scores.entries()) {
      const registration = score >= min ? index.at(at) : undefined;
      if (registration !== undefined) hits.push({ registration, score });
    }
    return hits
      .toSorted(byScore)
      .values()
      .filter(({ registration }) => where(registration.tool, registration))
      .take(Math.max(1, limit))
      .toArray();
  }

  #current(): ToolIndex {
    if (this.#version !== this.#tools.version) {
      this.#index.update(this.#tools.list());
      // Read after the list, which may have registered more tools.
      this.#version = this.#tools.version;
    }
    return this.#index;
  }
}

const finders = new WeakMap<ToolListing, ToolFinder>();

/** The finder of a registry; callers share its index. */
export function toolFinderOf(tools: ToolListing): ToolFinder {
  const known = finders.get(tools) ?? new ToolFinder(tools);
  finders.set(tools, known);
  return known;
}

/** From 1 for untrusted sources to 3 for the workspace itself. */
function ownness(registration: Registration | undefined): number {
  return 3 - Math.min(2, Math.max(0, registration?.priority ?? 2));
}

function byScore(a: ToolHit, b: ToolHit): number {
  const [one, other] = [a.registration, b.registration];
  return b.score - a.score || one.priority - other.priority || (one.tool.name < other.tool.name ? -1 : 1);
}

/** The score of each tool for the query. The best alternative of each term counts. */
function scoresOf(queryTerms: readonly QueryTerm[], index: TermIndex): Float64Array {
  const scores = new Float64Array(index.end);
  const covered = new Float64Array(index.end);
  const known = new Float64Array(index.end);
  const best = new Float64Array(index.end);
  let [total, all] = [0, 0];
  for (const terms of queryTerms) {
    const touched = gainsOf(terms, index, best);
    const maxCount = touched.reduce((maxCount, document) => Math.max(maxCount, best[document] ?? 0), 0);
    const reported = informationOf(terms, index);
    total += maxCount;
    all += reported;
    for (const document of touched) {
      scores[document] = (scores[document] ?? 0) + (best[document] ?? 0);
      covered[document] = (covered[document] ?? 0) + maxCount;
      known[document] = (known[document] ?? 0) + reported;
      best[document] = 0;
    }
  }
  if (total === 0) return scores;
  return scores.map((score, document) =>
    (known[document] ?? 0) < minCovered * all
      ? 0
      : score * (1 - coverageShare * (1 - (covered[document] ?? 0) / total)),
  );
}

/** The information content of a term, by its best alternative. */
function informationOf(terms: QueryTerm, index: TermIndex): number {
  let maxCount = 0;
  for (const [term, share] of terms) maxCount = Math.max(maxCount, share * index.rarityOf(term));
  return maxCount;
}

/** Computes the gain of each document by one term, and returns those with a gain. */
function gainsOf(terms: QueryTerm, index: TermIndex, best: Float64Array): number[] {
  const touched: number[] = [];
  const rarest = rarityOf(terms, index);
  for (const [term, share] of widened(terms, index)) {
    const rarity = index.rarityOf(term);
    // A synonym of a common word is little more specific than that word, even if the synonym itself is rare.
    const reporting = share < 1 && rarity > rarest ? Math.sqrt(rarest / rarity) : 1;
    index.eachGain(term, (document, full) => {
      const gain = share * reporting * full;
      const before = best[document] ?? 0;
      if (gain <= before) return;
      if (before === 0) touched.push(document);
      best[document] = gain;
    });
  }
  return touched;
}

/** The rarity of the query's own words; unbounded if no tool has them. */
function rarityOf(terms: QueryTerm, index: TermIndex): number {
  let rarest = 0;
  for (const [term, share] of terms)
    if (share === 1 && index.has(term)) rarest = Math.max(rarest, index.rarityOf(term));
  return rarest === 0 ? Infinity : rarest;
}

const derivedEndings = ["er", "or", "ment", "ance", "able", "ation", "al", "ly", "y", "ity", "ive", "ness", "age"];

/** Possible base words: `remind` of `reminder`. */
function withoutEnding(word: string): string[] {
  return derivedEndings
    .filter((ending) => word.endsWith(ending) && word.length - ending.length >= shortestPrefix)
    .map((ending) => word.slice(0, -ending.length));
}

/** The alternatives of a term, and longer words with the same beginning if the index has them. */
function widened(terms: QueryTerm, index: TermIndex): Map<string, number> {
  const ways = new Map(terms);
  const add = (term: string, share: number): void => void ways.set(term, Math.max(ways.get(term) ?? 0, share));
  for (const [term, share] of terms) {
    if (share < 1 || term.length < shortestPrefix || !/^[a-z]+$/.test(term)) continue;
    for (const longer of index.beginningWith(term, maxLonger)) add(longer, share * prefixShare);
    for (const shorter of withoutEnding(term)) if (index.has(shorter)) add(shorter, share * prefixShare);
  }
  return ways;
}

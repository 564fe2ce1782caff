import type { AnyTool, Registration } from "../../tool/index.ts";
import { foldName, toolBag } from "./tool-bag.ts";
import { type Wanted, readQuery } from "./read-query.ts";
import { type TermBag, TermIndex } from "./term-index.ts";

/** Where the tools come from: a registry. */
export interface ToolList {
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

/** What {@link ToolFinder.search} takes besides the query. */
export interface FindOptions {
  /** At most so many; 10 where absent. */
  readonly limit?: number | undefined;
  /** Only these. */
  readonly where?: ((tool: AnyTool) => boolean) | undefined;
}

/** A longer word that begins with the one asked for, or a shorter one that it is made of. */
const prefixShare = 0.5;
const shortestPrefix = 4;
const mostLonger = 12;
/** How much of its score a tool keeps only as far as it has all that is asked for. */
const coverageShare = 0.4;
/** What fits less than this, beside the best, does not fit. */
const leastShare = 0.15;

interface Indexed {
  readonly version: number;
  readonly found: readonly Registration[];
  readonly index: TermIndex;
  /** Places in the list by name, however it is written. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
}

/**
 * Finds tools by what they are for: by their names, descriptions, parameters, tags and capabilities, in English and
 * Chinese. The index is made when first asked, and again when the tools change, of which only the new ones are read.
 *
 * @example
 * ```ts
 * const [best] = new ToolFinder(registry).search("send an email");
 * ```
 */
export class ToolFinder {
  readonly #tools: ToolList;
  /** What was read of a tool once. */
  readonly #bags = new WeakMap<AnyTool, TermBag>();
  #made: Indexed | undefined;

  constructor(tools: ToolList) {
    this.#tools = tools;
  }

  /** The tools that fit best, best first; those of equal score in the order of their names. */
  search(query: string, { limit = 10, where = () => true }: FindOptions = {}): ToolHit[] {
    const made = this.#current();
    const scores = scoresOf(readQuery(query), made);
    // Whoever writes a name means that tool.
    const highest = scores.reduce((most, score) => Math.max(most, score), 0);
    const least = Math.max(highest * leastShare, Number.MIN_VALUE);
    for (const at of made.byName.get(foldName(query)) ?? []) scores[at] = (scores[at] ?? 0) + highest + 1;
    const hits: ToolHit[] = [];
    for (const [at, score] of scores.entries()) {
      const registration = made.found[at];
      if (score >= least && registration !== undefined && where(registration.tool)) hits.push({ registration, score });
    }
    return hits.toSorted((a, b) => b.score - a.score).slice(0, Math.max(1, limit));
  }

  #current(): Indexed {
    if (this.#made?.version === this.#tools.version) return this.#made;
    const found = this.#tools.list();
    const byName = new Map<string, number[]>();
    for (const [at, { tool }] of found.entries()) {
      for (const name of namesOf(tool)) byName.set(name, [...(byName.get(name) ?? []), at]);
    }
    const index = new TermIndex(found.map(({ tool }) => this.#bagOf(tool)));
    // Asked after the list, for which more tools may have been registered.
    return (this.#made = { version: this.#tools.version, found, index, byName });
  }

  #bagOf(tool: AnyTool): TermBag {
    const bag = this.#bags.get(tool) ?? toolBag(tool);
    this.#bags.set(tool, bag);
    return bag;
  }
}

/** The name, also without its server, the other names, and what people call it. */
function namesOf({ name, displayName, aliases }: AnyTool): Set<string> {
  return new Set([name, name.slice(name.indexOf("/") + 1), displayName, ...aliases].map(foldName));
}

/** What each tool gains by what is asked for. Of the ways to say one thing the best counts. */
function scoresOf(asked: readonly Wanted[], { found, index }: Indexed): Float64Array {
  const scores = new Float64Array(found.length);
  const covered = new Float64Array(found.length);
  const best = new Float64Array(found.length);
  let total = 0;
  for (const wanted of asked) {
    const touched = gainsOf(wanted, index, best);
    const most = touched.reduce((most, document) => Math.max(most, best[document] ?? 0), 0);
    total += most;
    for (const document of touched) {
      scores[document] = (scores[document] ?? 0) + (best[document] ?? 0);
      covered[document] = (covered[document] ?? 0) + most;
      best[document] = 0;
    }
  }
  if (total === 0) return scores;
  return scores.map((score, document) => score * (1 - coverageShare * (1 - (covered[document] ?? 0) / total)));
}

/** Fills in what each document gains by one thing, and gives those that gain at all. */
function gainsOf(wanted: Wanted, index: TermIndex, best: Float64Array): number[] {
  const touched: number[] = [];
  const rarest = rarityOf(wanted, index);
  for (const [term, share] of widened(wanted, index)) {
    const postings = index.get(term);
    if (postings === undefined) continue;
    const { documents, gains, rarity } = postings;
    // Another word for something common tells little more than the common word, however rare it is itself.
    const telling = share < 1 && rarity > rarest ? Math.sqrt(rarest / rarity) : 1;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] ?? 0;
      const gain = share * telling * (gains[at] ?? 0);
      const before = best[document] ?? 0;
      if (gain <= before) continue;
      if (before === 0) touched.push(document);
      best[document] = gain;
    }
  }
  return touched;
}

/** How much the words that were asked for tell by themselves; no bound where no tool has them. */
function rarityOf(wanted: Wanted, index: TermIndex): number {
  let rarest = 0;
  for (const [term, share] of wanted) if (share === 1) rarest = Math.max(rarest, index.get(term)?.rarity ?? 0);
  return rarest === 0 ? Infinity : rarest;
}

const madeEndings = ["er", "or", "ment", "ance", "able", "ation", "al", "ly", "y", "ity", "ive", "ness", "age"];

/** What a word may be made of: `remind` of `reminder`. */
function withoutEnding(word: string): string[] {
  return madeEndings
    .filter((ending) => word.endsWith(ending) && word.length - ending.length >= shortestPrefix)
    .map((ending) => word.slice(0, -ending.length));
}

/** The ways to say it, and words that begin alike where there is such a word in the index. */
function widened(wanted: Wanted, index: TermIndex): Map<string, number> {
  const ways = new Map(wanted);
  const add = (term: string, share: number): void => void ways.set(term, Math.max(ways.get(term) ?? 0, share));
  for (const [term, share] of wanted) {
    if (share < 1 || term.length < shortestPrefix || !/^[a-z]+$/.test(term)) continue;
    for (const longer of index.beginningWith(term, mostLonger)) add(longer, share * prefixShare);
    for (const shorter of withoutEnding(term)) if (index.get(shorter) !== undefined) add(shorter, share * prefixShare);
  }
  return ways;
}

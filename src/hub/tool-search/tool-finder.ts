import type { AnyTool, Registration } from "../../tool/index.ts";
import { type Wanted, readQuery } from "./read-query.ts";
import type { TermIndex } from "./term-index.ts";
import { ToolIndex } from "./tool-index.ts";

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
  readonly where?: ((tool: AnyTool, registration: Registration) => boolean) | undefined;
}

/** A longer word that begins with the one asked for, or a shorter one that it is made of. */
const prefixShare = 0.5;
const shortestPrefix = 4;
const mostLonger = 12;
/** How much of its score a tool keeps only as far as it has all that is asked for. */
const coverageShare = 0.4;
/** What fits less than this, beside the best, does not fit. */
const leastShare = 0.15;

/** A tool that has less than this of all that is asked for, what no tool has included, is not what was meant. */
const leastCovered = 0.1;

/**
 * Finds tools by what they are for: by their names, descriptions, parameters, tags and capabilities, in English and
 * Chinese. The index is made when first asked; when tools change, only what is new is read.
 *
 * @example
 * ```ts
 * const [best] = new ToolFinder(registry).search("send an email");
 * ```
 */
export class ToolFinder {
  readonly #tools: ToolList;
  readonly #index = new ToolIndex();
  #version: number | undefined;

  constructor(tools: ToolList) {
    this.#tools = tools;
  }

  /**
   * The tools that fit best, best first; of those that fit equally well the workspace's own come first, then in the order
   * of names. None where nothing fits what is asked for.
   */
  search(query: string, { limit = 10, where = () => true }: FindOptions = {}): ToolHit[] {
    const index = this.#current();
    const scores = scoresOf(readQuery(query), index.terms);
    const highest = scores.reduce((most, score) => Math.max(most, score), 0);
    const least = Math.max(highest * leastShare, Number.MIN_VALUE);
    // Whoever writes a name means that tool; whoever else took the same name, a tool of the workspace has it first.
    for (const at of index.named(query)) scores[at] = (scores[at] ?? 0) + (highest + 1) * ownness(index.at(at));
    const hits: ToolHit[] = [];
    for (const [at, score] of scores.entries()) {
      const registration = score >= least ? index.at(at) : undefined;
      if (registration !== undefined) hits.push({ registration, score });
    }
    return firstOf(hits.toSorted(byScore), Math.max(1, limit), where);
  }

  #current(): ToolIndex {
    if (this.#version !== this.#tools.version) {
      this.#index.update(this.#tools.list());
      // Asked after the list, for which more tools may have been registered.
      this.#version = this.#tools.version;
    }
    return this.#index;
  }
}

/** From 1 for what strangers offer to 3 for what the workspace has itself. */
function ownness(registration: Registration | undefined): number {
  return 3 - Math.min(2, Math.max(0, registration?.priority ?? 2));
}

function byScore(a: ToolHit, b: ToolHit): number {
  const [one, other] = [a.registration, b.registration];
  return b.score - a.score || one.priority - other.priority || (one.tool.name < other.tool.name ? -1 : 1);
}

function firstOf(hits: readonly ToolHit[], limit: number, where: NonNullable<FindOptions["where"]>): ToolHit[] {
  const found: ToolHit[] = [];
  for (const hit of hits) {
    if (found.length === limit) break;
    if (where(hit.registration.tool, hit.registration)) found.push(hit);
  }
  return found;
}

/** What each tool gains by what is asked for. Of the ways to say one thing the best counts. */
function scoresOf(asked: readonly Wanted[], index: TermIndex): Float64Array {
  const scores = new Float64Array(index.end);
  const covered = new Float64Array(index.end);
  const known = new Float64Array(index.end);
  const best = new Float64Array(index.end);
  let [total, all] = [0, 0];
  for (const wanted of asked) {
    const touched = gainsOf(wanted, index, best);
    const most = touched.reduce((most, document) => Math.max(most, best[document] ?? 0), 0);
    const told = tellingOf(wanted, index);
    total += most;
    all += told;
    for (const document of touched) {
      scores[document] = (scores[document] ?? 0) + (best[document] ?? 0);
      covered[document] = (covered[document] ?? 0) + most;
      known[document] = (known[document] ?? 0) + told;
      best[document] = 0;
    }
  }
  if (total === 0) return scores;
  return scores.map((score, document) =>
    (known[document] ?? 0) < leastCovered * all
      ? 0
      : score * (1 - coverageShare * (1 - (covered[document] ?? 0) / total)),
  );
}

/** How much it would tell of a tool that it has this, in whatever words. */
function tellingOf(wanted: Wanted, index: TermIndex): number {
  let most = 0;
  for (const [term, share] of wanted) most = Math.max(most, share * index.rarityOf(term));
  return most;
}

/** Fills in what each document gains by one thing, and gives those that gain at all. */
function gainsOf(wanted: Wanted, index: TermIndex, best: Float64Array): number[] {
  const touched: number[] = [];
  const rarest = rarityOf(wanted, index);
  for (const [term, share] of widened(wanted, index)) {
    const rarity = index.rarityOf(term);
    // Another word for something common tells little more than the common word, however rare it is itself.
    const telling = share < 1 && rarity > rarest ? Math.sqrt(rarest / rarity) : 1;
    index.eachGain(term, (document, full) => {
      const gain = share * telling * full;
      const before = best[document] ?? 0;
      if (gain <= before) return;
      if (before === 0) touched.push(document);
      best[document] = gain;
    });
  }
  return touched;
}

/** How much the words that were asked for tell by themselves; no bound where no tool has them. */
function rarityOf(wanted: Wanted, index: TermIndex): number {
  let rarest = 0;
  for (const [term, share] of wanted)
    if (share === 1 && index.has(term)) rarest = Math.max(rarest, index.rarityOf(term));
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
    for (const shorter of withoutEnding(term)) if (index.has(shorter)) add(shorter, share * prefixShare);
  }
  return ways;
}

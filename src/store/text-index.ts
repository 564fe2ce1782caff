import type { TextRange } from "./text-snippet.ts";

/** A text that can be found by its words. */
export interface TextDocument {
  /** Unique in its collection; at most 2,000 characters. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** When it was last changed, in epoch milliseconds. */
  readonly at: number;
  /** Where it comes from; its words can be searched too. */
  readonly path?: string;
  /** Whatever else goes with it, as JSON. */
  readonly meta?: unknown;
  /** What the source looked like when this was read from it; {@link TextIndex.versions} tells it of all documents. */
  readonly version?: string;
}

/** Newer documents come before older ones that fit as well. */
export interface Recency {
  readonly now: number;
  /** After this long half of the advantage is left. */
  readonly halfLifeMs: number;
  /** How much more a document of this moment counts: 0.5 is half as much again. */
  readonly weight: number;
}

/** What to look for. All that is given must hold. */
export interface TextQuery {
  /** Words as a person types them. There are no operators. Without any text and terms all that fits is listed, the newest first. */
  readonly text?: string;
  /** Further words or phrases that mean the same or belong to it; a document may have some of them. */
  readonly terms?: readonly string[];
  /** Changed at or after this, in epoch milliseconds. */
  readonly from?: number;
  /** Changed before this, in epoch milliseconds. */
  readonly to?: number;
  /** Has all of these tags; `project` is also had by what is tagged `project/garden`. Case does not matter. */
  readonly tags?: readonly string[];
  /** At most this many; 10 where absent, 1 to 200. */
  readonly limit?: number;
  /** How much more a word counts in the title than in the body; 5 where absent. */
  readonly titleWeight?: number;
  readonly recency?: Recency;
  /** `all`: only what has all words. `best`, the default: what has some of them follows when there are not enough. */
  readonly match?: "all" | "best";
}

/** A document that was found. */
export interface TextHit extends Omit<TextDocument, "body" | "version"> {
  /** The higher the better. To be compared within one answer only. */
  readonly score: number;
  /** The part of the body that shows best why, on one line. */
  readonly snippet: string;
  /** What to highlight in the snippet, as UTF-16 offsets. */
  readonly highlights: readonly TextRange[];
  /** The line of the body, counted from 1, that the snippet's first highlight stands on. */
  readonly line: number;
  /** Where in the body that is, in UTF-16 units. */
  readonly offset: number;
}

/** How much a collection holds. */
export interface TextStats {
  readonly documents: number;
  /** Of titles and bodies, counted as Unicode code points. */
  readonly characters: number;
}

/**
 * Finds documents by their words, in any script. A document that was put is found by every search that begins after
 * `put` resolved. What is asked for is text, never a language: nothing in it is an operator.
 * Every implementation passes `test/conformance/text-index.ts`.
 */
export interface TextIndex {
  /** Adds documents, each in place of the one with its id. */
  put(collection: string, documents: readonly TextDocument[], signal?: AbortSignal): Promise<void>;
  /** Removes documents and says how many there were. */
  remove(collection: string, ids: readonly string[], signal?: AbortSignal): Promise<number>;
  get(collection: string, id: string): Promise<TextDocument | undefined>;
  /** The documents that fit, best first. */
  search(collection: string, query: TextQuery, signal?: AbortSignal): Promise<readonly TextHit[]>;
  /** Id and version of every document whose id begins with the prefix; the version is empty where none was given. */
  versions(collection: string, prefix?: string): Promise<ReadonlyMap<string, string>>;
  stats(collection: string): Promise<TextStats>;
  /** Removes the whole collection. */
  clear(collection: string): Promise<void>;
  close(): Promise<void>;
}

/** How many hits a query gives at most. */
export function hitLimit(limit = 10): number {
  return Math.min(200, Math.max(1, Math.trunc(limit) || 1));
}

/** Nothing is looked for in particular: what fits is listed. */
export function isListing({ text, terms = [] }: TextQuery): boolean {
  return text === undefined && terms.length === 0;
}

/** How many documents are weighed by their age to find the best of them. */
export function candidateLimit(limit: number): number {
  return Math.max(50, 5 * limit);
}

/** A tag as it is compared: without its `#`, in lower case. */
export function foldTag(tag: string): string {
  return tag.trim().replace(/^#+/, "").normalize("NFKC").toLowerCase();
}

/** What a document of this age counts, beside one that is very old. */
export function recencyFactor(at: number, recency: Recency | undefined): number {
  if (recency === undefined || !(recency.halfLifeMs > 0)) return 1;
  const age = Math.max(0, recency.now - at);
  return 1 + recency.weight * 0.5 ** (age / recency.halfLifeMs);
}

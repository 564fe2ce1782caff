import type { TextRange } from "./text-snippet.ts";

/** A text that can be found by its words. */
export interface TextDocument {
  /** Unique in its collection; at most 2,000 characters. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** Time of the last change in epoch milliseconds. */
  readonly at: number;
  /** Source path; its words can be searched too. */
  readonly path?: string;
  /** Additional data, as JSON. */
  readonly meta?: unknown;
  /**
   * Version of the source when the document was read from it; {@link TextIndex.versions} returns it for all documents.
   */
  readonly version?: string;
}

/** Ranks newer documents before older ones that match equally well. */
export interface Recency {
  readonly now: number;
  /** Time after which half of the advantage remains. */
  readonly halfLifeMs: number;
  /** Advantage of a document of this moment: 0.5 adds half of its score. */
  readonly weight: number;
}

/** A search. All conditions that are set must hold. */
export interface TextQuery {
  /**
   * Words as a person types them. There are no operators. Without text and terms, all matching documents are listed,
   * newest first.
   */
  readonly text?: string;
  /** Further words or phrases that are synonyms or related; a document may have some of them. */
  readonly terms?: readonly string[];
  /** Changed at or after this, in epoch milliseconds. */
  readonly from?: number;
  /** Changed before this, in epoch milliseconds. */
  readonly to?: number;
  /** Documents must have all of these tags; `project` also matches `project/garden`. Case-insensitive. */
  readonly tags?: readonly string[];
  /** Maximum number of hits, from 1 to 200. Default: 10. */
  readonly limit?: number;
  /** Weight of a word in the title relative to the body. Default: 5. */
  readonly titleWeight?: number;
  readonly recency?: Recency;
  /**
   * `all`: only documents with all words. `best`, the default: documents with some of the words follow if there are not
   * enough.
   */
  readonly match?: "all" | "best";
}

/** A document that was found. */
export interface TextHit extends Omit<TextDocument, "body" | "version"> {
  /** Higher is better. Comparable only within one result. */
  readonly score: number;
  /** The part of the body that best shows the match, on one line. */
  readonly snippet: string;
  /** Ranges to highlight in the snippet, as UTF-16 offsets. */
  readonly highlights: readonly TextRange[];
  /** Line of the body, counted from 1, of the snippet's first highlight. */
  readonly line: number;
  /** Offset of that highlight in the body, in UTF-16 units. */
  readonly offset: number;
}

/** Size of a collection. */
export interface TextStats {
  readonly documents: number;
  /** Length of titles and bodies, in Unicode code points. */
  readonly characters: number;
}

/**
 * Finds documents by their words, in any script. A document is found by every search that begins after its `put`
 * resolved. Queries are plain text: nothing in them is an operator. Every implementation passes
 * `test/conformance/text-index.ts`.
 */
export interface TextIndex {
  /** Adds documents; each replaces the one with its id. */
  put(collection: string, documents: readonly TextDocument[], signal?: AbortSignal): Promise<void>;
  /** Removes documents and returns how many existed. */
  remove(collection: string, ids: readonly string[], signal?: AbortSignal): Promise<number>;
  get(collection: string, id: string): Promise<TextDocument | undefined>;
  /** Returns the matching documents, best first. */
  search(collection: string, query: TextQuery, signal?: AbortSignal): Promise<readonly TextHit[]>;
  /** Returns id and version of every document whose id begins with the prefix; the version is empty if none was set. */
  versions(collection: string, prefix?: string): Promise<ReadonlyMap<string, string>>;
  stats(collection: string): Promise<TextStats>;
  /** Removes the whole collection. */
  clear(collection: string): Promise<void>;
  close(): Promise<void>;
}

/** Returns the maximum number of hits of a query. */
export function hitLimit(limit = 10): number {
  return Math.min(200, Math.max(1, Math.trunc(limit) || 1));
}

/** True if the query has no words: all matching documents are listed. */
export function isListing({ text, terms = [] }: TextQuery): boolean {
  return text === undefined && terms.length === 0;
}

/** Returns how many documents are weighted by their age to find the best of them. */
export function candidateLimit(limit: number): number {
  return Math.max(50, 5 * limit);
}

/** Normalizes a tag for comparison: without its `#`, in lower case. */
export function normalizeTag(tag: string): string {
  return tag.trim().replace(/^#+/, "").normalize("NFKC").toLowerCase();
}

/** Returns the factor of a document of this age, relative to a very old one. */
export function recencyFactor(at: number, recency: Recency | undefined): number {
  if (recency === undefined || !(recency.halfLifeMs > 0)) return 1;
  const age = Math.max(0, recency.now - at);
  return 1 + recency.weight * 0.5 ** (age / recency.halfLifeMs);
}

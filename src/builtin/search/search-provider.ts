/** One thing that was found. */
export interface SearchResult {
  readonly title: string;
  /** A web address, or one that `web_fetch` resolves such as `memory:<id>`. */
  readonly url: string;
  readonly snippet: string;
}

/** What to look for. */
export interface SearchQuery {
  readonly query: string;
  /**
   * How many are wanted. A provider may give more, and should where that costs nothing: what is no page, or a page that
   * is there already, is left out afterwards.
   */
  readonly count: number;
  readonly signal: AbortSignal;
}

/**
 * Somebody who can be asked. Results need not be clean, nor unique: the service sees to both. A provider that gets no
 * proper answer throws; an empty list means that there is nothing.
 */
export interface SearchProvider {
  readonly name: string;
  /** True, or what to set so that it can be asked. */
  configured(): true | { readonly missing: readonly string[] };
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
  /** Starts per minute; the service's own limit where absent. */
  readonly perMinute?: number;
  /** Schemes of its addresses besides the web's, which `web_fetch` must be able to resolve. */
  readonly schemes?: readonly string[];
  /** The same question gets the same answer, at no cost: no cache, no limits. */
  readonly local?: boolean;
}

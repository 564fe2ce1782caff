/** One thing that was found. */
export interface SearchResult {
  readonly title: string;
  /** A web address, or one that `web_fetch` resolves such as `memory:<id>`. */
  readonly url: string;
  readonly snippet: string;
}

/** Query for a search provider. */
export interface SearchQuery {
  readonly query: string;
  /**
   * Number of requested results. A provider may return more, and should if that costs nothing: duplicates and results
   * that are not pages are removed afterwards.
   */
  readonly count: number;
  readonly signal: AbortSignal;
}

/**
 * A search engine. Results need not be clean or unique: the service removes invalid ones and duplicates. A provider
 * that gets an invalid response throws; an empty list means that nothing was found.
 */
export interface SearchProvider {
  readonly name: string;
  /** True, or the settings that are missing. */
  configured(): true | { readonly missing: readonly string[] };
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
  /** Maximum requests per minute. Default: the limit of the service. */
  readonly perMinute?: number;
  /** Schemes of its addresses in addition to the web's, which `web_fetch` must be able to resolve. */
  readonly schemes?: readonly string[];
  /** Local and deterministic: needs no cache and no rate limit. */
  readonly local?: boolean;
}

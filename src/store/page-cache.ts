/** A page as it was fetched, and what its server said about how long it stays true. */
export interface StoredPage {
  /** Where it came from, after redirects. */
  readonly finalUrl: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** What to ask the server with whether it changed. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** When the server last said so, in epoch milliseconds. */
  readonly checkedAt: number;
  /** Until then nobody need ask, in epoch milliseconds. */
  readonly freshUntil: number;
}

/**
 * Keeps pages by their address, so that an unchanged one is not sent twice. It may forget any of them at any time, and
 * one that cannot read or write forgets rather than fails: no page is lost for want of a cache.
 */
export interface PageCache {
  get(url: string): Promise<StoredPage | undefined>;
  set(url: string, page: StoredPage): Promise<void>;
  delete(url: string): Promise<void>;
  clear(): Promise<void>;
}

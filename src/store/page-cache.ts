/** A page as it was fetched, and how long its server considers it fresh. */
export interface StoredPage {
  /** Final address after redirects. */
  readonly finalUrl: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Validators for a conditional request. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** Time of the last validation by the server in epoch milliseconds. */
  readonly checkedAt: number;
  /** Time until which no validation is needed, in epoch milliseconds. */
  readonly freshUntil: number;
}

/**
 * Caches pages by their address, so that an unchanged page is not transferred twice. It may drop any page at any time;
 * if it cannot read or write, it drops pages and does not fail.
 */
export interface PageCache {
  get(url: string): Promise<StoredPage | undefined>;
  set(url: string, page: StoredPage): Promise<void>;
  delete(url: string): Promise<void>;
  clear(): Promise<void>;
}

import { LruMap } from "../base/index.ts";

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

/** Options of {@link createInMemoryPageCache}. */
export interface InMemoryPageCacheOptions {
  /** Maximum size of addresses and bodies. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of pages. Default: 2,000. */
  readonly maxPages?: number;
}

/** Size of an entry besides its texts and its body. */
const entryBytes = 512;

/**
 * Creates a page cache in memory; the least recently used page is evicted first.
 *
 * @example
 * ```ts
 * const cache = createInMemoryPageCache({ maxBytes: 16 * 1024 * 1024 });
 * ```
 */
export function createInMemoryPageCache(options: InMemoryPageCacheOptions = {}): PageCache {
  const { maxBytes = 64 * 2 ** 20, maxPages = 2000 } = options;
  const pages = new LruMap<StoredPage>({ maxBytes, maxEntries: maxPages, bytesOf: sizeOf });
  return {
    get: async (url) => pages.get(url),
    set: async (url, page) => pages.set(url, page),
    delete: async (url) => pages.delete(url),
    clear: async () => pages.clear(),
  };
}

function sizeOf(url: string, { body, etag = "", lastModified = "", contentType, finalUrl }: StoredPage): number {
  const characters = url.length + finalUrl.length + contentType.length + etag.length + lastModified.length;
  return body.byteLength + 2 * characters + entryBytes;
}

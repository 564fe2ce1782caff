import type { PageCache, StoredPage } from "./page-cache.ts";

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
  return new MemoryPages(options.maxBytes ?? 64 * 2 ** 20, options.maxPages ?? 2000);
}

class MemoryPages implements PageCache {
  readonly #maxBytes: number;
  readonly #maxPages: number;
  /** Least recently used first: a Map iterates in insertion order. */
  readonly #pages = new Map<string, StoredPage>();
  #bytes = 0;

  constructor(maxBytes: number, maxPages: number) {
    this.#maxBytes = maxBytes;
    this.#maxPages = maxPages;
  }

  get(url: string): Promise<StoredPage | undefined> {
    const page = this.#pages.get(url);
    if (page !== undefined) {
      this.#pages.delete(url);
      this.#pages.set(url, page);
    }
    return Promise.resolve(page);
  }

  set(url: string, page: StoredPage): Promise<void> {
    this.#remove(url);
    const bytes = sizeOf(url, page);
    if (bytes > this.#maxBytes) return Promise.resolve();
    this.#pages.set(url, page);
    this.#bytes += bytes;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#pages.size <= this.#maxPages) break;
      this.#remove(oldest);
    }
    return Promise.resolve();
  }

  delete(url: string): Promise<void> {
    this.#remove(url);
    return Promise.resolve();
  }

  clear(): Promise<void> {
    this.#pages.clear();
    this.#bytes = 0;
    return Promise.resolve();
  }

  #remove(url: string): void {
    const page = this.#pages.get(url);
    if (page === undefined) return;
    this.#pages.delete(url);
    this.#bytes -= sizeOf(url, page);
  }
}

function sizeOf(url: string, { body, etag = "", lastModified = "", contentType, finalUrl }: StoredPage): number {
  const characters = url.length + finalUrl.length + contentType.length + etag.length + lastModified.length;
  return body.byteLength + 2 * characters + entryBytes;
}

import type { ResultCache } from "./result-cache.ts";

/** Options of {@link createInMemoryResultCache}. */
export interface InMemoryResultCacheOptions {
  /** Maximum size of keys and texts, at two bytes per character, the most a string takes. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of entries. Default: 10,000. */
  readonly maxEntries?: number;
}

/**
 * Creates a result cache in memory; the least recently used entry is evicted first.
 *
 * @example
 * ```ts
 * const cache = createInMemoryResultCache({ maxBytes: 8 * 1024 * 1024 });
 * ```
 */
export function createInMemoryResultCache(options: InMemoryResultCacheOptions = {}): ResultCache {
  return new InMemoryResultCache(options.maxBytes ?? 64 * 1024 * 1024, options.maxEntries ?? 10_000);
}

class InMemoryResultCache implements ResultCache {
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  /** Least recently used first: a Map iterates in insertion order. */
  readonly #entries = new Map<string, { readonly json: string; readonly expiresAt: number; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number, maxEntries: number) {
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
  }

  get(key: string, now: number): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (now >= entry.expiresAt) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.json;
  }

  set(key: string, json: string, expiresAt: number, now: number): void {
    this.#remove(key);
    const bytes = 2 * (key.length + json.length);
    if (now >= expiresAt || bytes > this.#maxBytes) return;
    this.#entries.set(key, { json, expiresAt, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxEntries) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

import { LruMap } from "../base/index.ts";

/** Caches outputs as JSON text, so that no two callers ever share an object. */
export interface ResultCache {
  /** Returns the text of the key, unless it has expired. */
  get(key: string, now: number): string | undefined;
  /** Stores the text until `expiresAt`; both times come from the same clock as those of `get`. */
  set(key: string, json: string, expiresAt: number, now: number): void;
  clear(): void;
}

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
  const { maxBytes = 64 * 2 ** 20, maxEntries = 10_000 } = options;
  const entries = new LruMap<{ readonly json: string; readonly expiresAt: number }>({
    maxBytes,
    maxEntries,
    bytesOf: (key, { json }) => 2 * (key.length + json.length),
  });
  return {
    get(key, now) {
      const entry = entries.get(key);
      if (entry === undefined || now < entry.expiresAt) return entry?.json;
      entries.delete(key);
      return undefined;
    },
    set(key, json, expiresAt, now) {
      if (now < expiresAt) entries.set(key, { json, expiresAt });
      else entries.delete(key);
    },
    clear: () => entries.clear(),
  };
}

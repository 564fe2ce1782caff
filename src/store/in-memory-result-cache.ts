import type { ResultCache } from "./result-cache.ts";

/** What {@link createMemoryCache} takes. */
export interface MemoryCacheOptions {
  /** Room for keys and texts, counted at two bytes a character, the most a string takes; 64 MiB where absent. */
  readonly maxBytes?: number;
  /** 10,000 where absent. */
  readonly maxEntries?: number;
}

interface Entry {
  readonly json: string;
  readonly expiresAt: number;
  readonly bytes: number;
}

/**
 * A result cache in memory; the entry that was not asked for longest makes room first.
 *
 * @example
 * ```ts
 * const cache = createMemoryCache({ maxBytes: 8 * 1024 * 1024 });
 * ```
 */
export function createMemoryCache(options: MemoryCacheOptions = {}): ResultCache {
  return new MemoryCache(options.maxBytes ?? 64 * 1024 * 1024, options.maxEntries ?? 10_000);
}

class MemoryCache implements ResultCache {
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  /** Least recently used first: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, Entry>();
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

  // oxlint-disable-next-line max-params -- as the port has it
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

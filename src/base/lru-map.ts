/** Limits of an {@link LruMap}. */
export interface LruLimits<T> {
  readonly maxEntries: number;
  /** Default: no limit. */
  readonly maxBytes?: number;
  /** Size of an entry. */
  readonly bytesOf?: (key: string, value: T) => number;
}

/** A map with limits: the least recently used entries are evicted first. */
export class LruMap<T> {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #bytesOf: (key: string, value: T) => number;
  /** Least recently used first: a Map iterates in insertion order. */
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  constructor({ maxEntries, maxBytes = Infinity, bytesOf = () => 0 }: LruLimits<T>) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Sets a value, unless it alone exceeds the size; then the key has no value any more. */
  set(key: string, value: T): void {
    this.delete(key);
    const bytes = this.#bytesOf(key, value);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxEntries) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

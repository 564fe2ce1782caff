/** Caches outputs as JSON text, so that no two callers ever share an object. */
export interface ResultCache {
  /** Returns the text of the key, unless it has expired. */
  get(key: string, now: number): string | undefined;
  /** Stores the text until `expiresAt`; both times come from the same clock as those of `get`. */
  set(key: string, json: string, expiresAt: number, now: number): void;
  clear(): void;
}

/** Keeps outputs as JSON text, so that no two callers ever share an object. */
export interface ResultCache {
  /** The text kept under the key, unless its time is up. */
  get(key: string, now: number): string | undefined;
  /** Keeps the text until `expiresAt`; both times come from the same clock as those of `get`. */
  // oxlint-disable-next-line max-params -- on the path of every cacheable call: no object for its arguments
  set(key: string, json: string, expiresAt: number, now: number): void;
  clear(): void;
}

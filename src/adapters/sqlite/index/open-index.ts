import { resolve } from "node:path";
import { type Clock, type FailureError, systemClock } from "../../base/index.ts";
import type { ResultCache } from "../../store/index.ts";
import { SqliteCache } from "./sqlite-cache.ts";
import { storeFailure } from "./store-failure.ts";

/** What {@link openIndex} takes. */
export interface IndexOptions {
  /** The database; it and its folder are made when something is first kept or looked up, readable by this user only. */
  readonly file: string;
  /** Room for cached results; 256 MiB where absent. */
  readonly maxBytes?: number;
  /** How many results are cached at most; 100,000 where absent. */
  readonly maxEntries?: number;
  readonly clock?: Clock;
  /** Told when the file cannot be used; nothing is cached from then on. A process warning where absent. */
  readonly onError?: (failure: FailureError) => void;
}

/** What can be had again and is kept for speed, in a file of its own: filling it never holds up the journal. */
export interface Index {
  readonly cache: ResultCache;
  /** Writes what waits and lets go of the file. */
  close(): void;
}

/**
 * Opens, or makes, the database of indexes and caches. Nothing is touched before it is used.
 *
 * @example
 * ```ts
 * const index = openIndex({ file: ".windlass/index.db" });
 * index.cache.set("key", "[1]", Date.now() + 60_000, Date.now());
 * index.close();
 * ```
 */
export function openIndex(options: IndexOptions): Index {
  const { maxBytes = 256 * 1024 * 1024, maxEntries = 100_000, clock = systemClock, onError = warn } = options;
  const file = resolve(options.file);
  const cache = new SqliteCache({
    file,
    maxBytes,
    maxEntries,
    clock,
    onError(error) {
      try {
        onError(storeFailure(error, file));
      } catch (thrown) {
        process.emitWarning(`onError of the index threw: ${String(thrown)}`);
      }
    },
  });
  return { cache, close: () => cache.close() };
}

function warn(failure: FailureError): void {
  process.emitWarning(failure.message, { type: "WindlassStoreWarning", code: failure.code });
}

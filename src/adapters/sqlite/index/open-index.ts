import { resolve } from "node:path";
import { type Clock, type FailureError, systemClock } from "../../../base/index.ts";
import type { ResultCache } from "../../../store/index.ts";
import { SqliteCache } from "./sqlite-result-cache.ts";
import { failureListener, storeFailure } from "../database/store-failure.ts";

/** Options of {@link openIndex}. */
export interface OpenIndexOptions {
  /** The database file; it and its folder are created on first use, readable by this user only. */
  readonly file: string;
  /** Maximum size of cached results. Default: 256 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of cached results. Default: 100,000. */
  readonly maxEntries?: number;
  readonly clock?: Clock;
  /** Called when the file cannot be used; nothing is cached from then on. Default: a process warning. */
  readonly onError?: (failure: FailureError) => void;
}

/** Rebuildable data that is stored for speed, in a separate file: filling it never blocks the journal. */
export interface Index {
  readonly cache: ResultCache;
  /** Writes pending data and closes the file. */
  close(): void;
}

/**
 * Opens or creates the database of indexes and caches. The file is not touched before the first use.
 *
 * @example
 * ```ts
 * const index = openIndex({ file: ".windlass/index.db" });
 * index.cache.set("key", "[1]", Date.now() + 60_000, Date.now());
 * index.close();
 * ```
 */
export function openIndex(options: OpenIndexOptions): Index {
  const { maxBytes = 256 * 1024 * 1024, maxEntries = 100_000, clock = systemClock } = options;
  const report = failureListener("the index", options.onError);
  const file = resolve(options.file);
  const cache = new SqliteCache({
    file,
    maxBytes,
    maxEntries,
    clock,
    onError: (error) => report(storeFailure(error, file)),
  });
  return { cache, close: () => cache.close() };
}

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../../base/index.ts";
import type { MemoryStore } from "../../../store/index.ts";
import { LazyThread, workerUrl } from "../thread/lazy-thread.ts";
import type { MemoryOps } from "./memory-ops.ts";

/** Options of {@link openMemoryStore}. */
export interface MemoryStoreOptions {
  /** The database file; it and its folder are created on first use, readable by this user only. */
  readonly file: string;
  readonly clock?: Clock;
}

/**
 * Opens or creates a database of memories. It is a separate file: unlike the index, its content cannot be rebuilt, and
 * unlike the journal, it is never pruned and has its own commits. One thread reads and writes it, started on first
 * use; a memory is on the disk when `store` resolves. Several processes may use one file.
 *
 * @example
 * ```ts
 * const memories = openMemoryStore({ file: ".windlass/memory.db" });
 * const rope = { id: "m1", namespace: "default", title: "Rope", text: "Rope shrinks when wet", tags: [], metadata: {} };
 * await memories.store(rope, Date.now());
 * await memories.close();
 * ```
 */
export function openMemoryStore({ file, clock = systemClock }: MemoryStoreOptions): MemoryStore {
  const thread = new LazyThread<MemoryOps>({ url: workerUrl("memory-worker"), file: resolve(file), clock });
  return {
    store: (memory, now) => thread.call("store", { memory, now }),
    get: (id) => thread.call("get", { id }),
    search: (query, signal) => thread.call("search", query, signal),
    latest: (namespace, limit) => thread.call("latest", { namespace, limit }),
    forget: (ids) => thread.call("forget", { ids: [...ids] }),
    stats: () => thread.call("stats", null),
    close: () => thread.close(),
  };
}

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../base/index.ts";
import type { MemoryStore } from "../../store/index.ts";
import { LazyThread } from "./lazy-thread.ts";
import type { MemoryOps } from "./memory-ops.ts";
import { workerUrl } from "./worker-url.ts";

/** What {@link openMemories} takes. */
export interface MemoriesOptions {
  /** The database; it and its folder are made when first used, readable by this user only. */
  readonly file: string;
  readonly clock?: Clock;
}

/**
 * Opens, or makes, a database of memories. It is a file of its own: unlike the index it holds what can be had from
 * nowhere else, and unlike the journal it is never pruned, and its commits wait for nobody's. One thread reads and
 * writes it, started when first needed; what was stored is on the disk when `store` resolves. Several processes may use
 * one file.
 *
 * @example
 * ```ts
 * const memories = openMemories({ file: ".windlass/memory.db" });
 * const rope = { id: "m1", namespace: "default", title: "Rope", text: "Rope shrinks when wet", tags: [], metadata: {} };
 * await memories.store(rope, Date.now());
 * await memories.close();
 * ```
 */
export function openMemories({ file, clock = systemClock }: MemoriesOptions): MemoryStore {
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

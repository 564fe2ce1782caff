import { type Memory, type MemoryStore, memoryDocument, memoryHit, mergeMemory } from "./memory-store.ts";
import { createInMemoryTextIndex } from "./in-memory-text-index.ts";

/**
 * Creates a memory store that is lost when the process ends, for tests and for conversations that leave no trace.
 *
 * @example
 * ```ts
 * const memories = createInMemoryMemoryStore();
 * const rope = { id: "m1", namespace: "default", title: "Rope", text: "Rope shrinks when wet", tags: [], metadata: {} };
 * await memories.store(rope, Date.now());
 * ```
 */
export function createInMemoryMemoryStore(): MemoryStore {
  const index = createInMemoryTextIndex();
  const memories = new Map<string, Memory>();
  return {
    async store(input, now) {
      const before = memories.get(input.id);
      // A copy: the stored memory must not change with the caller's object.
      const memory = structuredClone(mergeMemory(before, input, now));
      memories.set(memory.id, memory);
      await index.put(memory.namespace, [memoryDocument(memory)]);
      return { memory: structuredClone(memory), created: before === undefined };
    },
    get: async (id) => structuredClone(memories.get(id)),
    async search({ namespace, ...query }, signal) {
      const hits = await index.search(namespace, query, signal);
      return hits.map((hit) => memoryHit(hit, memories.get(hit.id)?.text ?? ""));
    },
    async latest(namespace, limit) {
      const all = [...memories.values()].filter((memory) => memory.namespace === namespace);
      all.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
      return structuredClone(all.slice(0, Math.min(200, limit)));
    },
    async forget(ids) {
      const known = new Set(ids.filter((id) => memories.has(id)));
      for (const id of known) {
        await index.remove(memories.get(id)?.namespace ?? "", [id]);
        memories.delete(id);
      }
      return known.size;
    },
    async stats() {
      const counts = Map.groupBy(memories.values(), ({ namespace }) => namespace);
      const namespaces = Object.fromEntries([...counts].map(([namespace, all]) => [namespace, all.length]));
      return { memories: memories.size, namespaces };
    },
    async close() {},
  };
}

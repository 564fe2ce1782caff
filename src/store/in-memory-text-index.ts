import { InMemoryCollection } from "./in-memory-collection.ts";
import type { TextIndex } from "./text-index.ts";

/**
 * Creates a text index in memory, for tests and for collections that may be lost.
 *
 * @example
 * ```ts
 * const index = createInMemoryTextIndex();
 * await index.put("notes", [{ id: "a", title: "Rope", body: "How to splice a rope", tags: [], at: 0 }]);
 * const [hit] = await index.search("notes", { text: "splice" });
 * ```
 */
export function createInMemoryTextIndex(): TextIndex {
  const collections = new Map<string, InMemoryCollection>();
  const of = (name: string): InMemoryCollection => {
    const known = collections.get(name) ?? new InMemoryCollection();
    collections.set(name, known);
    return known;
  };
  return {
    async put(collection, documents, signal) {
      signal?.throwIfAborted();
      for (const document of documents) of(collection).put(document);
    },
    async remove(collection, ids, signal) {
      signal?.throwIfAborted();
      return ids.filter((id) => of(collection).remove(id)).length;
    },
    get: async (collection, id) => collections.get(collection)?.get(id),
    async search(collection, query, signal) {
      signal?.throwIfAborted();
      return collections.get(collection)?.search(query) ?? [];
    },
    versions: async (collection, prefix = "") => collections.get(collection)?.versions(prefix) ?? new Map(),
    stats: async (collection) => collections.get(collection)?.stats() ?? { documents: 0, characters: 0 },
    async clear(collection) {
      collections.delete(collection);
    },
    async close() {},
  };
}

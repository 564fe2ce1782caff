import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MemoryStore, NewMemory } from "../../src/store/index.ts";

/** Conformance suite of memory stores. `open` returns an empty one. */
export function memoryStoreConformance(name: string, open: () => Promise<MemoryStore>): void {
  describe(`${name} memory store`, () => {
    let store: MemoryStore;

    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const memory = (id: string, text: string, more: Partial<NewMemory> = {}): NewMemory => ({
      id,
      namespace: "default",
      title: text.slice(0, 20),
      text,
      tags: [],
      metadata: {},
      ...more,
    });
    const find = async (text: string, namespace = "default"): Promise<string[]> =>
      (await store.search({ text, namespace })).map(({ memory: { id } }) => id);

    test("a memory can be read as soon as it is stored, unchanged", async () => {
      const input = memory("m1", '{"fibre":"hemp"}', { content: { fibre: "hemp" }, type: "fact", tags: ["Rope"] });
      const { memory: stored, created } = await store.store(input, 1000);
      expect(created).toBe(true);
      expect(stored).toEqual({ ...input, createdAt: 1000, updatedAt: 1000 });
      expect(await store.get("m1")).toEqual(stored);
      expect(await store.get("m2")).toBeUndefined();
    });

    test("storing again adds tags and metadata, keeps the content, and reports it", async () => {
      await store.store(memory("m1", "rope", { tags: ["a"], metadata: { x: 1, y: 1 }, type: "fact" }), 1000);
      const again = await store.store(memory("m1", "ROPE", { tags: ["A", "b"], metadata: { y: 2, z: 3 } }), 2000);
      expect(again.created).toBe(false);
      expect(again.memory).toMatchObject({
        text: "rope",
        type: "fact",
        tags: ["a", "b"],
        metadata: { x: 1, y: 2, z: 3 },
        createdAt: 1000,
        updatedAt: 2000,
      });
      expect(await store.stats()).toEqual({ memories: 1, namespaces: { default: 1 } });
    });

    test("storing the same text concurrently makes one memory with all tags and metadata", async () => {
      const input = Array.from({ length: 20 }, (_, key) => memory("m1", "rope", { metadata: { [`k${key}`]: key } }));
      const stored = await Promise.all(input.map((one, at) => store.store(one, at)));
      expect(stored.filter(({ created }) => created)).toHaveLength(1);
      expect(Object.keys((await store.get("m1"))?.metadata ?? {})).toHaveLength(20);
    });

    test("namespaces do not see each other", async () => {
      await store.store(memory("m1", "rope"), 1);
      await store.store(memory("m2", "rope", { namespace: "ann" }), 1);
      expect(await find("rope")).toEqual(["m1"]);
      expect(await find("rope", "ann")).toEqual(["m2"]);
      expect(await find("rope", "bob")).toEqual([]);
      expect((await store.get("m2"))?.namespace).toBe("ann");
      expect((await store.stats()).namespaces).toEqual({ ann: 1, default: 1 });
    });

    test("memories are found by their words and tags, with a snippet", async () => {
      await store.store(memory("m1", "湿绳子会缩短", { tags: ["rope"] }), 1);
      await store.store(memory("m2", "绳子", { tags: [] }), 1);
      const hits = await store.search({ text: "绳子", namespace: "default", tags: ["Rope"] });
      expect(hits).toMatchObject([{ memory: { id: "m1" }, snippet: "湿绳子会缩短", highlights: [[1, 3]] }]);
    });

    test("a forgotten memory is removed, once", async () => {
      await store.store(memory("m1", "rope"), 1);
      await store.store(memory("m2", "rope"), 2);
      expect(await store.forget(["m1", "m1", "unknown"])).toBe(1);
      expect(await store.get("m1")).toBeUndefined();
      expect(await find("rope")).toEqual(["m2"]);
      expect((await store.store(memory("m1", "rope"), 3)).created).toBe(true);
    });

    test("the latest come first", async () => {
      for (const [index, id] of ["a", "b", "c"].entries()) await store.store(memory(id, `rope ${id}`), index);
      await store.store(memory("a", "rope a"), 9);
      expect((await store.latest("default", 2)).map(({ id }) => id)).toEqual(["a", "c"]);
      expect(await store.latest("other", 2)).toEqual([]);
    });
  });
}

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInMemoryResultCache } from "./result-cache.ts";

describe("memory cache", () => {
  test("returns a text until it expires", () => {
    const cache = createInMemoryResultCache();
    cache.set("k", "[1]", 2000, 1000);
    expect(cache.get("k", 1999)).toBe("[1]");
    expect(cache.get("k", 2000)).toBeUndefined();
    expect(cache.get("k", 1000)).toBeUndefined();
    expect(cache.get("other", 1000)).toBeUndefined();
  });

  test("the least recently used entry is evicted", () => {
    const cache = createInMemoryResultCache({ maxEntries: 2 });
    cache.set("a", "1", 10, 0);
    cache.set("b", "2", 10, 0);
    cache.get("a", 1);
    cache.set("c", "3", 10, 0);
    expect([cache.get("a", 1), cache.get("b", 1), cache.get("c", 1)]).toEqual(["1", undefined, "3"]);
  });

  test("setting a key again replaces its text and frees the space of the old one", () => {
    const cache = createInMemoryResultCache({ maxBytes: 100 });
    for (let i = 0; i < 50; i++) cache.set("k", `"${"x".repeat(30)}"`, 10, 0);
    cache.set("l", "1", 10, 0);
    expect(cache.get("k", 1)).toBeDefined();
    expect(cache.get("l", 1)).toBe("1");
  });

  test("an entry larger than the whole cache, or already expired, is not stored, and the entry that it replaces is removed", () => {
    const cache = createInMemoryResultCache({ maxBytes: 20 });
    cache.set("k", "1", 10, 0);
    cache.set("k", "x".repeat(100), 10, 0);
    expect(cache.get("k", 1)).toBeUndefined();
    cache.set("k", "1", 10, 0);
    cache.set("k", "2", 5, 5);
    expect(cache.get("k", 1)).toBeUndefined();
  });

  test("clearing forgets everything", () => {
    const cache = createInMemoryResultCache({ maxBytes: 20 });
    cache.set("k", "12345", 10, 0);
    cache.clear();
    expect(cache.get("k", 1)).toBeUndefined();
    cache.set("l", "12345", 10, 0);
    expect(cache.get("l", 1)).toBe("12345");
  });

  test("never exceeds its limits, and returns only the latest value", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e"), size: fc.integer({ min: 0, max: 12 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const maxBytes = 40;
        const cache = createInMemoryResultCache({ maxBytes, maxEntries: 3 });
        const last = new Map<string, string>();
        for (const { key, size } of steps) {
          last.set(key, "x".repeat(size));
          cache.set(key, "x".repeat(size), 10, 0);
          const held = [...last].filter(([name]) => cache.get(name, 1) !== undefined);
          expect(held.length).toBeLessThanOrEqual(3);
          expect(held.reduce((sum, [name, text]) => sum + 2 * (name.length + text.length), 0)).toBeLessThanOrEqual(
            maxBytes,
          );
          for (const [name, text] of held) expect(cache.get(name, 1)).toBe(text);
        }
      }),
      { seed: 1 },
    );
  });
});

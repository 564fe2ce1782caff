import { expect, test } from "vitest";
import { createInMemoryPageCache } from "./page-cache.ts";
import type { StoredPage } from "./page-cache.ts";

function page(bytes: number): StoredPage {
  const body = new Uint8Array(bytes);
  return { finalUrl: "http://a.test/", contentType: "text/html", body, checkedAt: 1, freshUntil: 2 };
}

test("a page is returned as it was stored, and removed when deleted", async () => {
  const cache = createInMemoryPageCache();
  const stored = { ...page(3), etag: '"1"' };
  await cache.set("http://a.test/", stored);
  expect(await cache.get("http://a.test/")).toEqual(stored);
  await cache.delete("http://a.test/");
  expect(await cache.get("http://a.test/")).toBeUndefined();
});

test("the least recently used page is evicted", async () => {
  const cache = createInMemoryPageCache({ maxBytes: 4000 });
  await cache.set("a", page(1000));
  await cache.set("b", page(1000));
  await cache.get("a");
  await cache.set("c", page(1000));
  expect([await cache.get("a"), await cache.get("b"), await cache.get("c")].map(Boolean)).toEqual([true, false, true]);
});

test("replacing a page repeatedly takes no more space", async () => {
  const cache = createInMemoryPageCache({ maxBytes: 5000 });
  await cache.set("kept", page(500));
  for (let turn = 0; turn < 50; turn++) await cache.set("a", page(1000));
  expect(await cache.get("kept")).toBeDefined();
});

test("a page larger than the whole cache is not stored, and the page that it replaces is removed", async () => {
  const cache = createInMemoryPageCache({ maxBytes: 2000 });
  await cache.set("a", page(10));
  await cache.set("a", page(5000));
  expect(await cache.get("a")).toBeUndefined();
});

test("the maximum number of pages is not exceeded", async () => {
  const cache = createInMemoryPageCache({ maxPages: 2 });
  for (const url of ["a", "b", "c"]) await cache.set(url, page(1));
  expect([await cache.get("a"), await cache.get("b"), await cache.get("c")].map(Boolean)).toEqual([false, true, true]);
  await cache.clear();
  expect(await cache.get("c")).toBeUndefined();
});

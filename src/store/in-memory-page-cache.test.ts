import { expect, test } from "vitest";
import { createMemoryPages } from "./memory-pages.ts";
import type { StoredPage } from "./page-cache.ts";

function page(bytes: number): StoredPage {
  const body = new Uint8Array(bytes);
  return { finalUrl: "http://a.test/", contentType: "text/html", body, checkedAt: 1, freshUntil: 2 };
}

test("a page is given back as it was put, and forgotten when deleted", async () => {
  const cache = createMemoryPages();
  const stored = { ...page(3), etag: '"1"' };
  await cache.set("http://a.test/", stored);
  expect(await cache.get("http://a.test/")).toEqual(stored);
  await cache.delete("http://a.test/");
  expect(await cache.get("http://a.test/")).toBeUndefined();
});

test("the page that was not asked for longest makes room", async () => {
  const cache = createMemoryPages({ maxBytes: 4000 });
  await cache.set("a", page(1000));
  await cache.set("b", page(1000));
  await cache.get("a");
  await cache.set("c", page(1000));
  expect([await cache.get("a"), await cache.get("b"), await cache.get("c")].map(Boolean)).toEqual([true, false, true]);
});

test("replacing a page over and over takes no more room", async () => {
  const cache = createMemoryPages({ maxBytes: 5000 });
  await cache.set("kept", page(500));
  for (let turn = 0; turn < 50; turn++) await cache.set("a", page(1000));
  expect(await cache.get("kept")).toBeDefined();
});

test("a page larger than the whole cache is not kept, nor is the old one in its place", async () => {
  const cache = createMemoryPages({ maxBytes: 2000 });
  await cache.set("a", page(10));
  await cache.set("a", page(5000));
  expect(await cache.get("a")).toBeUndefined();
});

test("no more pages than allowed are kept", async () => {
  const cache = createMemoryPages({ maxPages: 2 });
  for (const url of ["a", "b", "c"]) await cache.set(url, page(1));
  expect([await cache.get("a"), await cache.get("b"), await cache.get("c")].map(Boolean)).toEqual([false, true, true]);
  await cache.clear();
  expect(await cache.get("c")).toBeUndefined();
});

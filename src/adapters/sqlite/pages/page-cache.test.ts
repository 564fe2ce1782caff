import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { folderWith } from "../../../../test/support/workspace.ts";
import type { FailureError } from "../../../base/index.ts";
import type { StoredPage } from "../../../store/index.ts";
import { type OpenedPageCache, type PageCacheOptions, openPageCache } from "./page-cache.ts";

const closing: OpenedPageCache[] = [];
afterEach(async () => {
  for (const cache of closing.splice(0)) await cache.close();
});

function open(file: string, options: Partial<PageCacheOptions> = {}): OpenedPageCache {
  const cache = openPageCache({ file, ...options });
  closing.push(cache);
  return cache;
}

async function newFile(): Promise<string> {
  return join(await folderWith({}), "deep/pages.db");
}

function page(bytes: number, checkedAt = Date.now()): StoredPage {
  const body = new Uint8Array(bytes).fill(7);
  return { finalUrl: "http://a.test/", contentType: "text/html", body, checkedAt, freshUntil: checkedAt + 1 };
}

const there = async (cache: OpenedPageCache, ...urls: string[]): Promise<boolean[]> => {
  const found: boolean[] = [];
  for (const url of urls) found.push((await cache.get(url)) !== undefined);
  return found;
};

test("a page outlives the process that fetched it, and only this user may read it", async () => {
  const file = await newFile();
  const stored = { ...page(3), etag: '"1"', lastModified: "Sun, 01 Mar 2026 10:00:00 GMT" };
  const first = open(file);
  await first.set("http://a.test/", stored);
  expect(await first.get("http://a.test/")).toEqual(stored);
  await first.close();
  const second = open(file);
  expect(await second.get("http://a.test/")).toEqual(stored);
  expect(await second.get("http://a.test/other")).toBeUndefined();
  await second.delete("http://a.test/");
  expect(await second.get("http://a.test/")).toBeUndefined();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("nothing is opened before the first lookup of a page", async () => {
  const file = await newFile();
  const cache = open(file);
  await cache.close();
  expect(existsSync(file)).toBe(false);
});

test("the pages that were not used for longest make room", async () => {
  const clock = new FakeClock();
  const cache = open(await newFile(), { maxBytes: 5000, clock });
  const step = async (work: Promise<unknown>): Promise<void> => {
    await work;
    clock.advance(100_000);
  };
  for (const url of ["a", "b", "c"]) await step(cache.set(url, page(1000, clock.now())));
  await step(cache.get("a"));
  await step(cache.set("d", page(1000, clock.now())));
  expect(await there(cache, "a", "b", "c", "d")).toEqual([true, false, true, true]);
  for (let turn = 0; turn < 20; turn++) await cache.set("d", page(1000, clock.now()));
  expect(await there(cache, "a", "c", "d")).toEqual([true, true, true]);
});

test("a page larger than the whole cache is not stored, and its old version is removed", async () => {
  const cache = open(await newFile(), { maxBytes: 2000 });
  await cache.set("a", page(10));
  await cache.set("a", page(5000));
  expect(await there(cache, "a")).toEqual([false]);
});

test("a page that no server confirmed for too long is forgotten", async () => {
  const clock = new FakeClock();
  const file = await newFile();
  const cache = open(file, { maxAgeMs: 1000, clock });
  await cache.set("a", page(10, clock.now()));
  clock.advance(1001);
  expect(await there(cache, "a")).toEqual([false]);
  await cache.set("b", page(10, clock.now()));
  await cache.close();
  const db = new DatabaseSync(file);
  expect(db.prepare("SELECT count(*) AS pages FROM pages").get()).toEqual({ pages: 1 });
  db.close();
});

test("what may be fetched under one policy is not found under another", async () => {
  const file = await newFile();
  const one = open(file, { scope: "all" });
  await one.set("http://127.0.0.1:8888/", page(10));
  expect(await there(one, "http://127.0.0.1:8888/")).toEqual([true]);
  expect(await there(open(file, { scope: "public" }), "http://127.0.0.1:8888/")).toEqual([false]);
});

test("addresses are not written down", async () => {
  const file = await newFile();
  const cache = open(file);
  await cache.set("http://a.test/?token=xylophone", page(10));
  await cache.close();
  expect(readFileSync(file, "latin1")).not.toContain("xylophone");
});

test.each<[string, (file: string) => void]>([
  ["is no database", (file) => writeFileSync(file, "nothing of the kind\n".repeat(500))],
  [
    "is damaged",
    (file) => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xa5, 100));
    },
  ],
  [
    "is of another program",
    (file) => {
      writeFileSync(file, "");
      const db = new DatabaseSync(file);
      db.exec("CREATE TABLE theirs (a); PRAGMA application_id = 7");
      db.close();
    },
  ],
])("a file that %s is not used as a cache, reported once", async (_what, spoil) => {
  const file = await newFile();
  const first = open(file);
  await first.set("a", page(20_000));
  await first.close();
  spoil(file);
  const reported: FailureError[] = [];
  const cache = open(file, { onError: (failure) => reported.push(failure) });
  await Promise.all([cache.get("a"), cache.get("b"), cache.set("c", page(10)), cache.delete("a")]);
  expect(await there(cache, "a", "b", "c")).toEqual([false, false, false]);
  await cache.clear();
  expect(reported).toMatchObject([{ code: "store_failed" }]);
});

test("two open caches share their pages", async () => {
  const file = await newFile();
  const [one, other] = [open(file), open(file)];
  const numbers = Array.from({ length: 40 }, (_unused, number) => number);
  await Promise.all(numbers.map((number) => (number % 2 === 0 ? one : other).set(`${number}`, page(1000))));
  // After this answer, both have written everything.
  await Promise.all([one.get("0"), other.get("1")]);
  expect((await there(one, ...numbers.map(String))).every(Boolean)).toBe(true);
});

test("after closing nothing is found, nothing fails and no handle stays open", async () => {
  const file = await newFile();
  const cache = open(file);
  void cache.set("a", page(10));
  await cache.close();
  await cache.set("b", page(10));
  expect(await cache.get("a")).toBeUndefined();
  expect(readdirSync(join(file, ".."))).toEqual(["pages.db"]);
});

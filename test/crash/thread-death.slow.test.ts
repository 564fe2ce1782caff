import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { SqliteStore } from "../../src/adapters/index.ts";
import { type Clock, systemClock } from "../../src/base/index.ts";
import { sampleRecord } from "../conformance/sample-record.ts";
import { openFaulty } from "./open-faulty.ts";
import { readDatabase } from "./read-database.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-death-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

const newFile = (): string => join(folder, `${++count}.db`);

function addMany(store: SqliteStore, many: number): string[] {
  const records = Array.from({ length: many }, () => sampleRecord());
  for (const record of records) store.records.add(record);
  return records.map(({ id }) => id);
}

test.each(["dies-once-before-commit", "dies-once-after-commit"] as const)(
  "a writer thread that %s is replaced, and its batch is written exactly once",
  async (fault) => {
    const file = newFile();
    const { store, errors } = await openFaulty(fault, { file });
    const ids = addMany(store, 5000);
    await store.records.flush();
    expect(errors).toMatchObject([{ code: "store_failed", reason: "thread_died" }]);
    const more = addMany(store, 10);
    await store.close();
    const found = readDatabase(file);
    expect(found.ids).toEqual([...ids, ...more]);
  },
);

test("a writer thread that keeps dying fails the flush, and the store closes", async () => {
  const { store, errors } = await openFaulty("dies", { file: newFile() });
  addMany(store, 3);
  await expect(store.records.flush()).rejects.toMatchObject({ code: "store_failed", reason: "thread_died" });
  await expect(store.records.flush()).rejects.toMatchObject({ code: "store_failed" });
  await expect(store.approvals.consume("k", 0)).rejects.toMatchObject({ code: "store_failed" });
  expect((await store.records.query({})).records).toEqual([]);
  await expect(store.close()).rejects.toMatchObject({ code: "store_failed" });
  expect(errors.at(-1)).toMatchObject({
    reason: "records_lost",
    message: "3 records were lost: the store was closed before writing succeeded",
  });
});

test("a slow disk slows down fast writers: memory stays bounded and nothing is lost", async () => {
  const { store, errors } = await openFaulty("slow", { file: newFile(), buffer: { maxRecords: 2000 } });
  // No turn of the event loop in between: only the store itself can slow this down.
  addMany(store, 20_000);
  await store.records.flush();
  const stats = await store.stats();
  expect(stats).toMatchObject({ records: 20_000, waiting: 0, lost: 0 });
  expect(errors).toEqual([]);
  await store.close();
});

test("a disk that hangs costs one pause, then records that do not fit are lost and counted; the store still closes", async () => {
  const hurried: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / 50, task) };
  const { store, errors } = await openFaulty("hangs", {
    file: newFile(),
    buffer: { maxRecords: 1000 },
    clock: hurried,
  });
  const begin = performance.now();
  addMany(store, 6000);
  expect(performance.now() - begin).toBeLessThan(8000);
  await expect(store.close()).rejects.toMatchObject({ code: "store_failed", reason: "thread_died" });
  expect(errors.at(-1)).toMatchObject({
    reason: "records_lost",
    message: expect.stringMatching(/^6000 records were lost: the buffer was full .+; the store was closed/) as string,
  });
});

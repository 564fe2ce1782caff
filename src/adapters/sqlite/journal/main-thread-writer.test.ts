import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../base/index.ts";
import type { RunLease } from "../../../store/index.ts";
import { createRedactor } from "../../../secrets/index.ts";
import { openSqlite } from "./open-sqlite.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-early-"));
const owner = "me";
let file: string;
let count = 0;
let threads = 0;
let other: DatabaseSync | undefined;

const countThread = (): number => threads++;
process.on("worker", countThread);
afterAll(() => {
  process.off("worker", countThread);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  file = join(folder, `${++count}.db`);
  threads = 0;
});
afterEach(() => {
  other?.close();
  other = undefined;
});

function open(clock: Clock = systemClock): Promise<SqliteStore> {
  return openSqlite({ file, redactor: createRedactor([]), retention: { maxAgeMs: 1000 }, clock });
}

/** A clock on which every operation takes this long. */
function clockWith(stepMs: number): Clock {
  let elapsed = 0;
  return { ...systemClock, elapsed: () => (elapsed += stepMs) };
}

async function make(store: SqliteStore): Promise<RunLease> {
  const texts = { definition: "{}", input: "{}", context: "{}", fingerprints: "{}" };
  const made = await store.runs.create(
    { id: "r1", kind: "chain", name: "c", format: 1, startedAt: Date.now(), ...texts },
    owner,
  );
  if ("existing" in made) throw new Error("exists");
  return made.lease;
}

async function append(store: SqliteStore, lease: RunLease, seq: number): Promise<void> {
  await store.runs.append(lease, { seq, kind: "started", key: `s#${seq}`, at: seq, data: {} });
}

/** The first column of a query's result. */
function query(sql: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    db.close();
  }
}

const written = (): unknown[] => query("SELECT seq FROM run_events ORDER BY number");
const left = (): unknown[] => query("SELECT id FROM lease_holders UNION ALL SELECT id FROM writers");

test("a few writes need no thread", async () => {
  const store = await open(clockWith(0.1));
  const lease = await make(store);
  for (let seq = 1; seq <= 5; seq++) await append(store, lease, seq);
  expect(written()).toEqual([1, 2, 3, 4, 5]);
  await store.runs.finish(lease, { status: "success", at: 9 });
  await store.close();
  expect(threads).toBe(0);
  expect(left()).toEqual([]);
});

test("a thread continues in order when writing has taken a while, and removes its traces", async () => {
  const store = await open(clockWith(2));
  const lease = await make(store);
  const all = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const seq of all) await append(store, lease, seq);
  expect(threads).toBe(1);
  expect(written()).toEqual(all);
  await store.runs.finish(lease, { status: "success", at: 9 });
  await store.close();
  expect(left()).toEqual([]);
});

test("many writes at once are delegated to a thread", async () => {
  const store = await open(clockWith(0));
  const lease = await make(store);
  const all = Array.from({ length: 200 }, (_, index) => index + 1);
  await Promise.all(all.map((seq) => append(store, lease, seq)));
  expect(threads).toBe(1);
  expect(written()).toEqual(all);
  await store.close();
});

test("the lock of another process does not block this thread", async () => {
  const store = await open();
  const lease = await make(store);
  other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  let isWritten = false;
  const write = append(store, lease, 1).then(() => (isWritten = true));
  const requestedAt = performance.now();
  // The event loop runs while the write waits.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(performance.now() - requestedAt).toBeLessThan(2000);
  expect(isWritten).toBe(false);
  other.exec("COMMIT");
  await write;
  expect(written()).toEqual([1]);
  await store.close();
});

test("a database that is locked is opened by a thread, which can wait", async () => {
  await (await open(clockWith(0.1))).close();
  other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const opening = open(clockWith(0.1));
  await new Promise((resolve) => setTimeout(resolve, 50));
  other.exec("COMMIT");
  const store = await opening;
  expect(threads).toBe(1);
  await append(store, await make(store), 1);
  await store.close();
});

test("after closing nothing is written, with or without a thread", async () => {
  for (const stepMs of [0.1, 20]) {
    file = join(folder, `${++count}.db`);
    const store = await open(clockWith(stepMs));
    const lease = await make(store);
    await store.close();
    await expect(append(store, lease, 1)).rejects.toMatchObject({ reason: "closed" });
    await expect(store.approvals.list(0)).rejects.toMatchObject({ reason: "closed" });
  }
});

// Measures whether indexing delays the journal. Prints how long a durable append takes alone, while another thread
// indexes 50,000 rows into index.db, and, for comparison, while the same rows are written to the journal's own file.
// `node bench/journal-and-index.ts [rows]`
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker, isMainThread, workerData } from "node:worker_threads";
import { type SqliteStore, openSqlite } from "../src/adapters/index.ts";
import type { RunLease } from "../src/store/index.ts";
import { createRedactor } from "../src/secrets/index.ts";

interface Indexing {
  readonly file: string;
  readonly rows: number;
}

const runsAtOnce = 50;
const rowsPerTransaction = 2000;

if (isMainThread) await measureAll(Number(process.argv[2] ?? 50_000));
// Passed by `indexing` below.
else fill(workerData as Indexing);

async function measureAll(rows: number): Promise<void> {
  console.log(`${runsAtOnce} concurrent runs append one event after the other, synchronous = FULL\n`);
  console.log("concurrent work".padEnd(44), "appends/s".padStart(10), "p50 ms".padStart(8), "p99 ms".padStart(8));
  await measure("warming up", () => sleep(500));
  await measure("nothing", () => sleep(3000));
  await measure(`${rows} rows into index.db`, (folder) => indexing({ file: join(folder, "index.db"), rows }));
  await measure(`${rows} rows into journal.db (not done)`, (folder) =>
    indexing({ file: join(folder, "journal.db"), rows }),
  );
}

/** Appends while `other` is running, and prints the latencies of the appends. */
async function measure(name: string, other: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]), onError: () => {} });
  try {
    const leases = await Promise.all(Array.from({ length: runsAtOnce }, (_, index) => start(store, `r${index}`)));
    const latencies: number[] = [];
    const state = { busy: true };
    const begin = performance.now();
    const done = other(folder).finally(() => (state.busy = false));
    await Promise.all(leases.map((lease) => appendWhile(store, lease, { state, latencies })));
    const seconds = (performance.now() - begin) / 1000;
    await done;
    print(name, latencies, seconds);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function start(store: SqliteStore, id: string): Promise<RunLease> {
  const texts = { definition: "{}", input: "{}", context: "{}", fingerprints: "{}" };
  const made = await store.runs.create(
    { id, kind: "chain", name: "c", format: 1, startedAt: 0, ...texts },
    store.runs.join().owner,
  );
  if ("existing" in made) throw new Error("the folder is not empty");
  return made.lease;
}

async function appendWhile(
  store: SqliteStore,
  lease: RunLease,
  { state, latencies }: { readonly state: { readonly busy: boolean }; readonly latencies: number[] },
): Promise<void> {
  for (let seq = 1; state.busy; seq++) {
    const begin = performance.now();
    const data = { kind: "call", result: { success: true, output: { answer: seq, text: "some words" } } };
    await store.runs.append(lease, { seq, kind: "settled", key: `s#${seq}`, at: seq, data });
    latencies.push(performance.now() - begin);
  }
}

function print(name: string, latencies: number[], seconds: number): void {
  const sorted = latencies.toSorted((a, b) => a - b);
  const rank = (share: number): string => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(2).padStart(8);
  console.log(name.padEnd(44), (sorted.length / seconds).toFixed(0).padStart(10), rank(0.5), rank(0.99));
}

function indexing(work: Indexing): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: work });
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

/** Fills a full-text index as fast as possible. */
function fill({ file, rows }: Indexing): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE VIRTUAL TABLE notes USING fts5 (text)`);
  const insert = db.prepare("INSERT INTO notes (text) VALUES (?)");
  for (let row = 0; row < rows; row += rowsPerTransaction) {
    db.exec("BEGIN IMMEDIATE");
    for (let index = row; index < Math.min(rows, row + rowsPerTransaction); index++) insert.run(note(index));
    db.exec("COMMIT");
  }
  db.close();
}

function note(index: number): string {
  return Array.from({ length: 60 }, (_, word) => `word${(index * 31 + word * 7919) % 20_011}`).join(" ");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

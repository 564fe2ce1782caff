import { DatabaseSync } from "node:sqlite";
import {
  type Memory,
  type MemoryHit,
  type MemoryQuery,
  type MemoryStats,
  type NewMemory,
  type StoreMemoryResult,
  documentMemory,
  memoryDocument,
  memoryHit,
  mergeMemory,
} from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { serveFile, setUp } from "../database/set-up.ts";
import type { Served } from "../thread/serve-ops.ts";
import { retryWhileBusy, databaseFailure } from "../database/store-failure.ts";
import { readDocument, searchDocuments } from "../index/search.ts";
import { collectionNumber, putDocuments, rangeOf, removeDocuments } from "../index/writes.ts";
import { pragma } from "../journal/migrate.ts";
import { createPrivateFile } from "../database/private-file.ts";
import { prepareTextTables } from "../index/schema.ts";

/** Operations of the memory thread, executed one after another. */
export interface MemoryOps {
  open(at: { readonly file: string }): void;
  store(which: { readonly memory: NewMemory; readonly now: number }): StoreMemoryResult;
  get(which: { readonly id: string }): Memory | undefined;
  search(query: MemoryQuery): readonly MemoryHit[];
  latest(which: { readonly namespace: string; readonly limit: number }): readonly Memory[];
  forget(which: { readonly ids: readonly string[] }): number;
  stats(which: null): MemoryStats;
  close(which: null): void;
}

/** Above this number of memories, forgetting one does not rewrite all terms; they disappear as the index merges. */
const fewMemories = 20_000;

/** The operations on a file that `open` sets; it is opened on first use. */
export function createMemoryOps(): Served<MemoryOps> {
  return serveFile<MemoryOps>(openMemoryDatabase, (database) => ({
    store: ({ memory, now }) => inTransaction(database(), () => storeMemory(database(), memory, now)),
    get: ({ id }) => readMemory(database(), id),
    search: (query) => searchMemories(database(), query),
    latest: ({ namespace, limit }) => latestMemories(database(), namespace, limit),
    forget: ({ ids }) => inTransaction(database(), () => forgetMemories(database(), ids)),
    stats: () => readStats(database()),
  }));
}

function storeMemory(db: DatabaseSync, input: NewMemory, now: number): StoreMemoryResult {
  const before = readMemory(db, input.id);
  const memory = mergeMemory(before, input, now);
  const collection = collectionNumber(db, memory.namespace, true) ?? -1;
  putDocuments(db, collection, [memoryDocument(memory)]);
  return { memory, created: before === undefined };
}

function readMemory(db: DatabaseSync, id: string): Memory | undefined {
  const number = db.prepare("SELECT number FROM text_documents WHERE id = ?").get(id)?.["number"];
  const document = number === undefined ? undefined : readDocument(db, Number(number));
  return document && documentMemory(document);
}

function searchMemories(db: DatabaseSync, { namespace, ...query }: MemoryQuery): MemoryHit[] {
  const collection = collectionNumber(db, namespace);
  if (collection === undefined) return [];
  return searchDocuments(db, collection, query).flatMap((hit) => {
    const memory = readMemory(db, hit.id);
    return memory === undefined ? [] : [memoryHit(hit, memory.text)];
  });
}

function latestMemories(db: DatabaseSync, namespace: string, limit: number): Memory[] {
  const collection = collectionNumber(db, namespace);
  if (collection === undefined) return [];
  const rows = db
    .prepare("SELECT number FROM text_documents WHERE number BETWEEN ? AND ? ORDER BY at DESC, id LIMIT ?")
    .all(...rangeOf(collection), Math.min(200, limit));
  return rows.flatMap((row) => {
    const document = readDocument(db, Number(row["number"]));
    return document === undefined ? [] : [documentMemory(document)];
  });
}

function forgetMemories(db: DatabaseSync, ids: readonly string[]): number {
  const find = db.prepare("SELECT collection FROM text_documents WHERE id = ?");
  let forgotten = 0;
  for (const id of ids) {
    const collection = find.get(id)?.["collection"];
    if (collection !== undefined) forgotten += removeDocuments(db, Number(collection), [id]);
  }
  // The terms of a removed document stay in the index until it is optimized: forgotten text must not remain there.
  if (forgotten > 0 && countOf(db) <= fewMemories) db.exec("INSERT INTO text_terms (text_terms) VALUES ('optimize')");
  return forgotten;
}

function countOf(db: DatabaseSync): number {
  return Number(db.prepare("SELECT count(*) AS count FROM text_documents").get()?.["count"]);
}

function readStats(db: DatabaseSync): MemoryStats {
  const rows = db
    .prepare(
      `SELECT c.name, count(*) AS count FROM text_documents d JOIN text_collections c ON c.number = d.collection
       GROUP BY c.number ORDER BY c.name`,
    )
    .all();
  const namespaces = Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row["count"])]));
  return { memories: Object.values(namespaces).reduce((sum, count) => sum + count, 0), namespaces };
}

/** `WNDM`: marks the file as our memory. */
const applicationId = 0x574e444d;
/** Counts the changes of its tables. */
const version = 1;
const busyTimeoutMs = 10_000;

/**
 * Opens or creates the database of memories. They cannot be rebuilt: a commit is on the disk, and the file is never
 * recreated, regardless of its writer.
 */
function openMemoryDatabase(file: string): DatabaseSync {
  createPrivateFile(file);
  return setUp(new DatabaseSync(file, { timeout: busyTimeoutMs }), (db) => {
    checkMark(db, file);
    retryWhileBusy(() => db.exec("PRAGMA journal_mode = WAL"), 2000);
    // Deleted content is overwritten.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = ${4 * 1024 * 1024}`);
    prepareTextTables(db);
    if (pragma(db, "user_version") !== version) {
      inTransaction(db, () => db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`));
    }
  });
}

function checkMark(db: DatabaseSync, file: string): void {
  const mark = pragma(db, "application_id");
  const written = pragma(db, "user_version");
  const isNew = mark === 0 && written === 0 && !hasForeignTables(db);
  if (!isNew && mark !== applicationId) {
    throw databaseFailure(
      `${file} is the database of another program. Move it away, or choose another file for memories`,
      {
        reason: "foreign_database",
      },
    );
  }
  if (written > version) {
    const message = `${file} was written by a newer Windlass (memory version ${written}, this one knows ${version})`;
    throw databaseFailure(`${message}. Upgrade Windlass`, { code: "store_newer", reason: "newer_version" });
  }
}

/** Our own tables may exist without a mark if a process ended between the two steps. */
function hasForeignTables(db: DatabaseSync): boolean {
  const row = db.prepare("SELECT 1 FROM sqlite_schema WHERE name NOT LIKE 'text%' AND name NOT LIKE 'sqlite%'").get();
  return row !== undefined;
}

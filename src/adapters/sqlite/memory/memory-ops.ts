import type { DatabaseSync } from "node:sqlite";
import {
  type Memory,
  type MemoryHit,
  type MemoryQuery,
  type MemoryStats,
  type NewMemory,
  type StoredMemory,
  documentMemory,
  memoryDocument,
  memoryHit,
  mergeMemory,
} from "../../store/index.ts";
import { inTransaction } from "./in-transaction.ts";
import { openMemoryDatabase } from "./memory-database.ts";
import type { Served } from "./serve-ops.ts";
import { storeFailure } from "./store-failure.ts";
import { readDocument, searchDocuments } from "./text-index-search.ts";
import { collectionNumber, putDocuments, rangeOf, removeDocuments } from "./text-index-writes.ts";

/** What the thread of the memories does, one after another. */
export interface MemoryOps {
  open(at: { readonly file: string }): void;
  store(which: { readonly memory: NewMemory; readonly now: number }): StoredMemory;
  get(which: { readonly id: string }): Memory | undefined;
  search(query: MemoryQuery): readonly MemoryHit[];
  latest(which: { readonly namespace: string; readonly limit: number }): readonly Memory[];
  forget(which: { readonly ids: readonly string[] }): number;
  stats(which: null): MemoryStats;
  close(which: null): void;
}

/** Above this many memories, forgetting one does not rewrite all terms; they go as the index tidies itself. */
const fewMemories = 20_000;

/** The operations on a file that `open` names; it is opened when first used. */
export function createMemoryOps(): Served<MemoryOps> {
  let file = "";
  let opened: DatabaseSync | undefined;
  const database = (): DatabaseSync => (opened ??= openMemoryDatabase(file));
  const ops: MemoryOps = {
    open(at) {
      file = at.file;
    },
    store: ({ memory, now }) => inTransaction(database(), () => storeMemory(database(), memory, now)),
    get: ({ id }) => readMemory(database(), id),
    search: (query) => searchMemories(database(), query),
    latest: ({ namespace, limit }) => latestMemories(database(), namespace, limit),
    forget: ({ ids }) => inTransaction(database(), () => forgetMemories(database(), ids)),
    stats: () => readStats(database()),
    close() {
      opened?.close();
    },
  };
  return { ops, explain: (error) => storeFailure(error, file) };
}

function storeMemory(db: DatabaseSync, given: NewMemory, now: number): StoredMemory {
  const before = readMemory(db, given.id);
  const memory = mergeMemory(before, given, now);
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
  // A removed document's terms stay in the index until it is tidied: what is forgotten must not be left lying there.
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

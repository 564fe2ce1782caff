import type { DatabaseSync } from "node:sqlite";
import type { TextDocument, TextHit, TextQuery, TextStats } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { setUp } from "../database/set-up.ts";
import { RebuildableDatabase } from "./rebuildable-database.ts";
import type { Served } from "../thread/serve-ops.ts";
import { storeFailure, retryWhileBusy } from "../database/store-failure.ts";
import { readDocument, searchDocuments } from "./search.ts";
import { clearCollection, collectionNumber, putDocuments, rangeOf, removeDocuments } from "./writes.ts";
import { openIndexDatabase } from "./index-database.ts";
import { prepareTextTables } from "./schema.ts";

interface InCollection {
  readonly collection: string;
}

/** Operations of a text index thread, executed one after another. */
export interface TextIndexOps {
  open(at: { readonly file: string }): void;
  put(which: InCollection & { readonly documents: readonly TextDocument[] }): void;
  remove(which: InCollection & { readonly ids: readonly string[] }): number;
  get(which: InCollection & { readonly id: string }): TextDocument | undefined;
  search(which: InCollection & { readonly query: TextQuery }): readonly TextHit[];
  versions(which: InCollection & { readonly prefix: string }): {
    readonly ids: readonly string[];
    readonly versions: readonly string[];
  };
  stats(which: InCollection): TextStats;
  clear(which: InCollection): void;
  close(which: null): void;
}

/** The operations on a file that `open` sets; it is opened on first use. */
export function createTextIndexOps(): Served<TextIndexOps> {
  const database = new RebuildableDatabase(openTextDatabase);
  const numberOf = (db: DatabaseSync, name: string): number => collectionNumber(db, name) ?? -1;
  const read = <T>(name: string, work: (db: DatabaseSync, collection: number) => T): T =>
    database.use((db) => work(db, numberOf(db, name)));
  const write = <T>(name: string, work: (db: DatabaseSync, collection: number) => T): T =>
    database.use((db) => inTransaction(db, () => work(db, numberOf(db, name))));
  const ops: TextIndexOps = {
    open: ({ file }) => database.openAt(file),
    put: ({ collection, documents }) =>
      database.use((db) =>
        inTransaction(db, () => putDocuments(db, collectionNumber(db, collection, true) ?? -1, documents)),
      ),
    remove: ({ collection, ids }) => write(collection, (db, number) => removeDocuments(db, number, ids)),
    get: ({ collection, id }) => read(collection, (db, number) => getDocument(db, number, id)),
    search: ({ collection, query }) =>
      read(collection, (db, number) => (number === -1 ? [] : searchDocuments(db, number, query))),
    versions: ({ collection, prefix }) => read(collection, (db, number) => readVersions(db, number, prefix)),
    stats: ({ collection }) => read(collection, readStats),
    clear: ({ collection }) => write(collection, clearCollection),
    close: () => database.close(),
  };
  return { ops, explain: (error) => storeFailure(error, database.file) };
}

function getDocument(db: DatabaseSync, collection: number, id: string): TextDocument | undefined {
  const row = db.prepare("SELECT number FROM text_documents WHERE id = ? AND collection = ?").get(id, collection);
  return row === undefined ? undefined : readDocument(db, Number(row["number"]));
}

function readVersions(db: DatabaseSync, collection: number, prefix: string): ReturnType<TextIndexOps["versions"]> {
  const ids: string[] = [];
  const versions: string[] = [];
  const rows =
    prefix === ""
      ? db
          .prepare("SELECT id, version FROM text_documents WHERE number BETWEEN ? AND ?")
          .iterate(...rangeOf(collection))
      : db
          .prepare("SELECT id, version FROM text_documents WHERE collection = ? AND id >= ? AND id < ?")
          // Texts are ordered by their bytes, so this is above every text with the prefix.
          .iterate(collection, prefix, `${prefix}\u{10ffff}`);
  for (const row of rows) {
    ids.push(String(row["id"]));
    versions.push(String(row["version"]));
  }
  return { ids, versions };
}

function readStats(db: DatabaseSync, collection: number): TextStats {
  const row = db
    .prepare(
      `SELECT count(*) AS documents, ifnull(sum(length(d.title) + length(b.body)), 0) AS characters
       FROM text_documents d JOIN text_bodies b USING (number) WHERE d.number BETWEEN ? AND ?`,
    )
    .get(...rangeOf(collection));
  return { documents: Number(row?.["documents"]), characters: Number(row?.["characters"]) };
}

/** Time that an index thread waits for the lock of another process; the main thread never waits. */
const busyTimeoutMs = 30_000;

/** Opens the database of indexes with its tables for texts. */
function openTextDatabase(file: string): DatabaseSync {
  return setUp(
    retryWhileBusy(() => openIndexDatabase(file)),
    (db) => {
      db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA cache_size = -32000`);
      prepareTextTables(db);
    },
  );
}

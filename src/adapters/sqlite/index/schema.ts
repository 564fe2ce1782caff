import type { DatabaseSync } from "node:sqlite";
import { tokenFormat } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { createTermTables, termWriter } from "./terms.ts";

/**
 * Documents of a collection are numbered in their own range, so that a search in one collection needs no other table.
 * With up to 2 to the 21 collections of 2 to the 32 documents, every number is exact.
 */
export const rangeSize: number = 2 ** 32;

/** Tables in which documents are found by their words. */
const textTables = `
  CREATE TABLE text_collections (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE text_documents (
    number INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL, -- a JSON list
    at REAL NOT NULL,
    path TEXT,
    meta TEXT,
    version TEXT NOT NULL,
    hash TEXT NOT NULL -- of what can be searched
  ) STRICT;
  CREATE UNIQUE INDEX text_documents_id ON text_documents (id, collection);
  -- Separate: scanning documents does not read their bodies.
  CREATE TABLE text_bodies (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE text_tags (tag TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (tag, number)) STRICT, WITHOUT ROWID;
  CREATE INDEX text_tags_number ON text_tags (number);
  CREATE TABLE text_format (format INTEGER NOT NULL) STRICT;`;

/** Creates missing tables, and reindexes all documents if the tokenizer has changed. */
export function prepareTextTables(db: DatabaseSync): void {
  if (formatOf(db) === tokenFormat) return;
  inTransaction(db, () => {
    // Another process may have been faster.
    if (formatOf(db) === tokenFormat) return;
    if (!hasTable(db, "text_documents")) db.exec(textTables);
    createTermTables(db);
    indexAnew(db);
    db.exec(`DELETE FROM text_format; INSERT INTO text_format (format) VALUES (${tokenFormat})`);
  });
}

function formatOf(db: DatabaseSync): number | undefined {
  if (!hasTable(db, "text_format")) return undefined;
  const format = db.prepare("SELECT format FROM text_format").get()?.["format"];
  return format === undefined ? undefined : Number(format);
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}

function indexAnew(db: DatabaseSync): void {
  const write = termWriter(db);
  const rows = db.prepare(
    "SELECT d.number, d.collection, d.title, d.tags, d.path, b.body FROM text_documents d JOIN text_bodies b USING (number)",
  );
  for (const row of rows.iterate()) {
    const at = { number: Number(row["number"]), collection: Number(row["collection"]) };
    write(at, {
      title: String(row["title"]),
      body: String(row["body"]),
      // Written by `putDocuments`, as a list of texts.
      tags: JSON.parse(String(row["tags"])) as string[],
      ...(row["path"] !== null && { path: String(row["path"]) }),
    });
  }
}

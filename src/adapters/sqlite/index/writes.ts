import type { DatabaseSync } from "node:sqlite";
import { nodeCrypto } from "../../../base/index.ts";
import { type TextDocument, normalizeTag } from "../../../store/index.ts";
import { rangeSize } from "./schema.ts";
import { termWriter } from "./terms.ts";

/** The number of a collection; `make` creates it if it is missing. */
export function collectionNumber(db: DatabaseSync, name: string, make = false): number | undefined {
  const known = db.prepare("SELECT number FROM text_collections WHERE name = ?").get(name)?.["number"];
  if (known !== undefined || !make) return known === undefined ? undefined : Number(known);
  return Number(db.prepare("INSERT INTO text_collections (name) VALUES (?)").run(name).lastInsertRowid);
}

/** Adds documents, each replacing the one with its id. Only changed ones are indexed again. */
export function putDocuments(db: DatabaseSync, collection: number, documents: readonly TextDocument[]): void {
  const known = db.prepare("SELECT number, hash FROM text_documents WHERE id = ? AND collection = ?");
  const touch = db.prepare("UPDATE text_documents SET at = ?, meta = ?, version = ? WHERE number = ?");
  const write = writer(db, collection);
  let next = nextNumber(db, collection);
  for (const document of documents) {
    const hash = hashOf(document);
    const row = known.get(document.id, collection);
    if (row?.["hash"] === hash) {
      touch.run(document.at, metaText(document), document.version ?? "", Number(row["number"]));
      continue;
    }
    if (row !== undefined) removeNumber(db, Number(row["number"]));
    write(row === undefined ? next++ : Number(row["number"]), document, hash);
  }
}

/** Removes documents and returns their number. */
export function removeDocuments(db: DatabaseSync, collection: number, ids: readonly string[]): number {
  const find = db.prepare("SELECT number FROM text_documents WHERE id = ? AND collection = ?");
  let removed = 0;
  for (const id of ids) {
    const number = find.get(id, collection)?.["number"];
    if (number === undefined) continue;
    removeNumber(db, Number(number));
    removed++;
  }
  return removed;
}

/** Removes a collection and everything in it. */
export function clearCollection(db: DatabaseSync, collection: number): void {
  const ids = db.prepare("SELECT number FROM text_documents WHERE number BETWEEN ? AND ?");
  for (const row of ids.all(...rangeOf(collection))) removeNumber(db, Number(row["number"]));
  db.prepare("DELETE FROM text_collections WHERE number = ?").run(collection);
}

/** The range of document numbers of this collection. */
export function rangeOf(collection: number): [first: number, last: number] {
  return [collection * rangeSize, (collection + 1) * rangeSize - 1];
}

function nextNumber(db: DatabaseSync, collection: number): number {
  const [first, last] = rangeOf(collection);
  const row = db.prepare("SELECT max(number) AS top FROM text_documents WHERE number BETWEEN ? AND ?").get(first, last);
  return row?.["top"] == null ? first : Number(row["top"]) + 1;
}

type WriteDocument = (number: number, document: TextDocument, hash: string) => void;

function writer(db: DatabaseSync, collection: number): WriteDocument {
  const row = db.prepare(
    `INSERT INTO text_documents (number, collection, id, title, tags, at, path, meta, version, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const keep = db.prepare("INSERT INTO text_bodies (number, body) VALUES (?, ?)");
  const tagged = db.prepare("INSERT OR IGNORE INTO text_tags (tag, number) VALUES (?, ?)");
  const index = termWriter(db);
  return (number, document, hash) => {
    const { id, title, body, tags, at, path = null, version = "" } = document;
    row.run(number, collection, id, title, JSON.stringify(tags), at, path, metaText(document), version, hash);
    keep.run(number, body);
    for (const tag of tags) tagged.run(normalizeTag(tag), number);
    index({ number, collection }, document);
  };
}

function removeNumber(db: DatabaseSync, number: number): void {
  for (const [table, column] of removals) db.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(number);
}

const removals = [
  ["text_terms", "rowid"],
  ["text_lengths", "number"],
  ["text_tags", "number"],
  ["text_bodies", "number"],
  ["text_documents", "number"],
] as const;

function metaText({ meta }: TextDocument): string | null {
  return meta === undefined ? null : JSON.stringify(meta);
}

function hashOf({ title, body, tags, path }: TextDocument): string {
  return nodeCrypto().hash("sha256", JSON.stringify([title, body, tags, path ?? null]), "base64url");
}

import type { DatabaseSync } from "node:sqlite";
import { type TextDocument, type TextTotals, termColumns, titleKey } from "../../../store/index.ts";

/**
 * Terms are tokenized in advance. This tokenizer only has to split at spaces and keep non-ASCII characters unchanged.
 *
 * FTS5 counts every row that was ever in such a table, and all collections as one; ranking needs the current totals of
 * one collection. So lengths are stored separately, and totals are maintained by triggers.
 */
const termTables = `
  DROP TABLE IF EXISTS text_terms;
  DROP TABLE IF EXISTS text_lengths;
  DROP TABLE IF EXISTS text_totals;
  CREATE VIRTUAL TABLE text_terms USING fts5 (
    title, body, tags, extra, content = '', contentless_delete = 1, tokenize = 'ascii');
  CREATE TABLE text_lengths (
    number INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    length INTEGER NOT NULL, -- in terms
    title TEXT NOT NULL -- normalised, as compared with the query
  ) STRICT;
  CREATE INDEX text_lengths_title ON text_lengths (title, collection);
  CREATE TABLE text_totals (
    collection INTEGER PRIMARY KEY, documents INTEGER NOT NULL, terms INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER text_lengths_added AFTER INSERT ON text_lengths BEGIN
    INSERT INTO text_totals VALUES (NEW.collection, 1, NEW.length)
    ON CONFLICT (collection) DO UPDATE SET documents = documents + 1, terms = terms + NEW.length;
  END;
  CREATE TRIGGER text_lengths_removed AFTER DELETE ON text_lengths BEGIN
    UPDATE text_totals SET documents = documents - 1, terms = terms - OLD.length WHERE collection = OLD.collection;
    DELETE FROM text_totals WHERE collection = OLD.collection AND documents = 0;
  END;
  -- Larger pieces at a time: filling takes a third less.
  INSERT INTO text_terms (text_terms, rank) VALUES ('hashsize', 8388608);`;

/**
 * The row number, outside all collections, of a document with one artificial term, which reveals how FTS5 counts
 * lengths.
 */
export const gaugeNumber = 0;
/** A private-use character: never part of a word. */
export const gaugeTerm = "\u{e000}";

/** Creates the empty tables of terms. */
export function createTermTables(db: DatabaseSync): void {
  db.exec(termTables);
  db.prepare("INSERT INTO text_terms (rowid, body) VALUES (?, ?)").run(gaugeNumber, gaugeTerm);
}

type Searchable = Pick<TextDocument, "title" | "body" | "tags" | "path">;

/** Writes the terms of documents that have none yet. */
export function termWriter(
  db: DatabaseSync,
): (at: { readonly number: number; readonly collection: number }, document: Searchable) => void {
  const insert = db.prepare("INSERT INTO text_terms (rowid, title, body, tags, extra) VALUES (?, ?, ?, ?, ?)");
  const measure = db.prepare("INSERT INTO text_lengths (number, collection, length, title) VALUES (?, ?, ?, ?)");
  return ({ number, collection }, document) => {
    const { title, body, tags, extra } = termColumns(document);
    insert.run(number, title, body, tags, extra);
    const length = countTerms(title) + countTerms(body) + countTerms(tags) + countTerms(extra);
    measure.run(number, collection, length, titleKey(title));
  };
}

/** Returns the totals of a collection. */
export function readTotals(db: DatabaseSync, collection: number): TextTotals {
  const row = db.prepare("SELECT documents, terms FROM text_totals WHERE collection = ?").get(collection);
  return { documents: Number(row?.["documents"] ?? 0), terms: Number(row?.["terms"] ?? 0) };
}

/** Terms are separated by single spaces. */
function countTerms(column: string): number {
  if (column === "") return 0;
  let count = 1;
  for (let at = column.indexOf(" "); at !== -1; at = column.indexOf(" ", at + 1)) count++;
  return count;
}

import type { DatabaseSync } from "node:sqlite";
import { type TextDocument, type TextTotals, termColumns, titleKey } from "../../store/index.ts";

/**
 * Terms come ready made. Of this tokenizer it is only wanted that it cuts at spaces and leaves what is not ASCII alone:
 * it has no opinion on any script.
 *
 * FTS5 counts every row that ever was in such a table, and all collections as one; ranking needs how much there is now in
 * one of them. So lengths are kept beside, and totals follow them.
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
    title TEXT NOT NULL -- as it is compared with what is asked
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

/** The number, of no collection, under which one term stands that no text has: it tells how FTS5 counts lengths. */
export const gaugeNumber = 0;
/** Of private use: never part of a word. */
export const gaugeTerm = "\u{e000}";

/** Makes the tables of terms, empty. */
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

/** How much there is in a collection. */
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

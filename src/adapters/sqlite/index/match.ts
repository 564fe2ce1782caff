import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  type Needle,
  type TextPlan,
  type TextQuery,
  candidateLimit,
  columnWeights,
  normalizeTag,
  hitLimit,
} from "../../../store/index.ts";
import { rangeOf } from "./writes.ts";

/** A query of one collection. */
export interface CollectionQuery {
  readonly collection: number;
  readonly query: TextQuery;
  readonly plan: TextPlan;
  /** Only documents that also match this expression. */
  readonly within?: string;
}

/**
 * A word in more documents than this is common: it hardly distinguishes documents, and ranking by it takes too long.
 */
export const manyDocuments = 10_000;

/** Counts the matching documents of the collection, regardless of time and tags, up to `manyDocuments` + 1. */
export function countUpTo(db: DatabaseSync, expression: string, collection: number): number {
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM
       (SELECT 1 FROM text_terms WHERE text_terms MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)`,
    )
    .get(expression, ...rangeOf(collection), manyDocuments + 1);
  return Number(row?.["count"]);
}

/** Some of the matching documents, newest first. */
export function newestMatches(db: DatabaseSync, expression: string, filter: CollectionQuery): number[] {
  const { from, values } = source(expression, filter);
  const rows = db
    .prepare(`SELECT text_terms.rowid AS number ${from} ORDER BY text_terms.rowid DESC LIMIT ?`)
    .all(...values, candidateLimit(hitLimit(filter.query.limit)));
  return rows.map((row) => Number(row["number"]));
}

/** All documents that match the filters, last changed first. */
export function latestMatches(db: DatabaseSync, { collection, query }: CollectionQuery): number[] {
  const [conditions, values] = filtersOf(query);
  const rows = db
    .prepare(
      `SELECT d.number FROM text_documents d WHERE d.number BETWEEN ? AND ? ${conditions.join(" ")}
       ORDER BY d.at DESC, d.id LIMIT ?`,
    )
    .all(...rangeOf(collection), ...values, hitLimit(query.limit));
  return rows.map((row) => Number(row["number"]));
}

/**
 * The documents likely to be the best, by the rank of FTS5: it is accurate enough to exclude most of many documents.
 */
export function likeliestMatches(db: DatabaseSync, expression: string, filter: CollectionQuery): number[] {
  const { query } = filter;
  const { from, values } = source(expression, filter);
  const rows = db
    .prepare(`SELECT text_terms.rowid AS number ${from} AND rank MATCH ? ORDER BY rank LIMIT ?`)
    .all(...values, `bm25(${columnWeights(query.titleWeight).join(", ")})`, candidateLimit(hitLimit(query.limit)));
  return rows.map((row) => Number(row["number"]));
}

/** Documents whose title has this key. */
export function titleMatches(db: DatabaseSync, key: string, { collection, query }: CollectionQuery): number[] {
  const [conditions, values] = filtersOf(query);
  const rows = db
    .prepare(
      `SELECT d.number FROM text_lengths l CROSS JOIN text_documents d ON d.number = l.number
       WHERE l.title = ? AND l.collection = ? ${conditions.join(" ")} ORDER BY d.at DESC LIMIT ?`,
    )
    .all(key, collection, ...values, candidateLimit(hitLimit(query.limit)));
  return rows.map((row) => Number(row["number"]));
}

/** Documents of the collection that match the expression and the filters. */
function source(
  expression: string,
  { collection, query, within }: CollectionQuery,
): { readonly from: string; readonly values: readonly SQLInputValue[] } {
  const [conditions, values] = filtersOf(query);
  const range = rangeOf(collection);
  const joined = conditions.length > 0 ? "CROSS JOIN text_documents d ON d.number = text_terms.rowid" : "";
  if (within !== undefined) {
    // The plus prevents SQLite from looking each of these up individually.
    conditions.push(`AND +text_terms.rowid IN (SELECT rowid FROM text_terms
      WHERE text_terms MATCH ? AND rowid BETWEEN ? AND ?)`);
    values.push(within, ...range);
  }
  const from = `FROM text_terms ${joined}
    WHERE text_terms MATCH ? AND text_terms.rowid BETWEEN ? AND ? ${conditions.join(" ")}`;
  return { from, values: [expression, ...range, ...values] };
}

function filtersOf({ from, to, tags = [] }: TextQuery): [conditions: string[], values: SQLInputValue[]] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...input: SQLInputValue[]): void => {
    conditions.push(`AND ${condition}`);
    values.push(...input);
  };
  if (from !== undefined) add("d.at >= ?", from);
  if (to !== undefined) add("d.at < ?", to);
  for (const tag of tags.map(normalizeTag)) {
    // `0` is the character after `/`: everything below the tag.
    add(
      "d.number IN (SELECT number FROM text_tags WHERE tag = ? OR (tag >= ? AND tag < ?))",
      tag,
      `${tag}/`,
      `${tag}0`,
    );
  }
  return [conditions, values];
}

/** The adjacent words count in addition: a document with the phrase also has the first word. */
export function allOf(groups: TextPlan["all"], phrase?: Needle): string {
  const requested = groups.map((needles, index) =>
    index === 0 && phrase !== undefined ? [phrase, ...needles] : needles,
  );
  return requested.map((needles) => `(${anyOf(needles)})`).join(" AND ");
}

export function anyOf(needles: readonly Needle[]): string {
  return needles.map(quoted).join(" OR ");
}

/**
 * Terms consist of letters, digits and non-ASCII characters; should one ever contain a quote, it is doubled and stays
 * text.
 */
export function quoted({ terms, prefix }: Needle): string {
  return `"${terms.join(" ").replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

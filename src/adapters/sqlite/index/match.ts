import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  type Needle,
  type TextPlan,
  type TextQuery,
  candidateLimit,
  columnWeights,
  foldTag,
  hitLimit,
} from "../../store/index.ts";
import { rangeOf } from "./text-index-writes.ts";

/** What is asked of one collection. */
export interface Asked {
  readonly collection: number;
  readonly query: TextQuery;
  readonly plan: TextPlan;
  /** Only documents that fit this expression too. */
  readonly within?: string;
}

/**
 * What more documents have than this is common: it tells little about a document, and weighing it takes longer than
 * anybody waits for.
 */
export const manyDocuments = 10_000;

/** How many documents of the collection fit, whatever their time and tags; one more than many where it is more than that. */
export function countUpTo(db: DatabaseSync, expression: string, collection: number): number {
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM
       (SELECT 1 FROM text_terms WHERE text_terms MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)`,
    )
    .get(expression, ...rangeOf(collection), manyDocuments + 1);
  return Number(row?.["count"]);
}

/** Some of the documents that fit, those first that came last. */
export function newest(db: DatabaseSync, expression: string, asked: Asked): number[] {
  const { from, values } = source(expression, asked);
  const rows = db
    .prepare(`SELECT text_terms.rowid AS number ${from} ORDER BY text_terms.rowid DESC LIMIT ?`)
    .all(...values, candidateLimit(hitLimit(asked.query.limit)));
  return rows.map((row) => Number(row["number"]));
}

/** All that fits the filters, what was changed last first. */
export function latest(db: DatabaseSync, { collection, query }: Asked): number[] {
  const [conditions, values] = filtersOf(query);
  const rows = db
    .prepare(
      `SELECT d.number FROM text_documents d WHERE d.number BETWEEN ? AND ? ${conditions.join(" ")}
       ORDER BY d.at DESC, d.id LIMIT ?`,
    )
    .all(...rangeOf(collection), ...values, hitLimit(query.limit));
  return rows.map((row) => Number(row["number"]));
}

/** The documents among which the best are, by the measure of FTS5: it is near enough to leave out most of many. */
export function likeliest(db: DatabaseSync, expression: string, asked: Asked): number[] {
  const { query } = asked;
  const { from, values } = source(expression, asked);
  const rows = db
    .prepare(`SELECT text_terms.rowid AS number ${from} AND rank MATCH ? ORDER BY rank LIMIT ?`)
    .all(...values, `bm25(${columnWeights(query.titleWeight).join(", ")})`, candidateLimit(hitLimit(query.limit)));
  return rows.map((row) => Number(row["number"]));
}

/** Documents whose title has this key. */
export function titled(db: DatabaseSync, key: string, { collection, query }: Asked): number[] {
  const [conditions, values] = filtersOf(query);
  const rows = db
    .prepare(
      `SELECT d.number FROM text_lengths l CROSS JOIN text_documents d ON d.number = l.number
       WHERE l.title = ? AND l.collection = ? ${conditions.join(" ")} ORDER BY d.at DESC LIMIT ?`,
    )
    .all(key, collection, ...values, candidateLimit(hitLimit(query.limit)));
  return rows.map((row) => Number(row["number"]));
}

interface Source {
  readonly from: string;
  readonly values: readonly SQLInputValue[];
}

/** Documents of the collection that fit the expression and the filters. */
function source(expression: string, { collection, query, within }: Asked): Source {
  const [conditions, values] = filtersOf(query);
  const range = rangeOf(collection);
  const joined = conditions.length > 0 ? "CROSS JOIN text_documents d ON d.number = text_terms.rowid" : "";
  if (within !== undefined) {
    // The plus keeps SQLite from looking each of these up on its own.
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
  const add = (condition: string, ...given: SQLInputValue[]): void => {
    conditions.push(`AND ${condition}`);
    values.push(...given);
  };
  if (from !== undefined) add("d.at >= ?", from);
  if (to !== undefined) add("d.at < ?", to);
  for (const tag of tags.map(foldTag)) {
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

/** The words side by side count besides: who has them so has the first of them too. */
export function allOf(groups: TextPlan["all"], phrase?: Needle): string {
  const wanted = groups.map((needles, index) => (index === 0 && phrase !== undefined ? [phrase, ...needles] : needles));
  return wanted.map((needles) => `(${anyOf(needles)})`).join(" AND ");
}

export function anyOf(needles: readonly Needle[]): string {
  return needles.map(quoted).join(" OR ");
}

/** Terms are letters, digits and what is not ASCII; should one ever hold a quote, it is doubled and stays text. */
export function quoted({ terms, prefix }: Needle): string {
  return `"${terms.join(" ").replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

import type { DatabaseSync } from "node:sqlite";
import {
  Ranking,
  type TextDocument,
  type TextHit,
  type TextPlan,
  type TextQuery,
  hitLimit,
  planQuery,
  snippetOf,
  titleFitOf,
} from "../../store/index.ts";
import { type Candidates, findCandidates } from "./text-index-candidates.ts";
import { readTotals } from "./text-index-terms.ts";
import { type Measured, countTimes } from "./text-index-times.ts";

/** The documents of a collection that fit, best first. */
export function searchDocuments(db: DatabaseSync, collection: number, query: TextQuery): TextHit[] {
  // One moment for all that is read: what is found, counted and shown belongs together.
  db.exec("BEGIN");
  try {
    return search(db, collection, query);
  } finally {
    // On some failures SQLite has done so by itself.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

function search(db: DatabaseSync, collection: number, query: TextQuery): TextHit[] {
  const plan = planQuery(query.text ?? "", query.terms);
  const candidates = findCandidates(db, { collection, query, plan });
  const { asked, more } = candidates;
  const ranking = new Ranking({ query, totals: readTotals(db, collection), asked, more });
  const ranked = rank(db, candidates, { query, plan, ranking });
  return ranked.slice(0, hitLimit(query.limit)).flatMap(({ number, score }) => {
    const document = readDocument(db, number);
    if (document === undefined) return [];
    const { body, version: _, ...shown } = document;
    return [{ ...shown, score, ...snippetOf(body, plan) }];
  });
}

interface Rules {
  readonly query: TextQuery;
  readonly plan: TextPlan;
  readonly ranking: Ranking;
}

interface Ranked {
  readonly number: number;
  readonly score: number;
}

function rank(db: DatabaseSync, candidates: Candidates, { query, plan, ranking }: Rules): Ranked[] {
  const { whole, some, shares, asked, more } = candidates;
  const documents = measure(db, new Set([...whole, ...some]));
  const times = countTimes(db, { documents, groups: [...asked, ...more], titleWeight: query.titleWeight });
  const ranked = documents.map(({ number, length, title, at, id }) => {
    const score = ranking.score({
      times: (needle) => times(needle, number),
      length,
      whole: whole.has(number),
      titleFit: titleFitOf(title, plan),
      at,
      share: shares.get(number) ?? 0,
    });
    return { number, at, id, score };
  });
  return ranked.toSorted((a, b) => b.score - a.score || b.at - a.at || (a.id < b.id ? -1 : 1));
}

interface Document extends Measured {
  readonly id: string;
  readonly at: number;
  /** As it is compared. */
  readonly title: string;
}

function measure(db: DatabaseSync, numbers: ReadonlySet<number>): Document[] {
  const find = db.prepare(
    "SELECT d.id, d.at, l.length, l.title FROM text_documents d JOIN text_lengths l USING (number) WHERE d.number = ?",
  );
  return [...numbers].flatMap((number) => {
    const row = find.get(number);
    if (row === undefined) return [];
    const { id, at, length, title } = row;
    return [{ number, id: String(id), at: Number(at), length: Number(length), title: String(title) }];
  });
}

/** A document by its number. */
export function readDocument(db: DatabaseSync, number: number): TextDocument | undefined {
  const row = db
    .prepare(
      `SELECT d.id, d.title, d.tags, d.at, d.path, d.meta, d.version, b.body
       FROM text_documents d JOIN text_bodies b USING (number) WHERE d.number = ?`,
    )
    .get(number);
  if (row === undefined) return undefined;
  return {
    id: String(row["id"]),
    title: String(row["title"]),
    body: String(row["body"]),
    // Written by `putDocuments`, as a list of texts.
    tags: JSON.parse(String(row["tags"])) as string[],
    at: Number(row["at"]),
    ...(row["path"] !== null && { path: String(row["path"]) }),
    ...(row["meta"] !== null && { meta: JSON.parse(String(row["meta"])) as unknown }),
    ...(row["version"] !== "" && { version: String(row["version"]) }),
  };
}

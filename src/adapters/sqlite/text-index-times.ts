import type { DatabaseSync } from "node:sqlite";
import { type CountedGroup, type Needle, columnWeights, lengthFactor, roundTimes } from "../../store/index.ts";
import { rarest } from "./text-index-candidates.ts";
import { manyDocuments, quoted } from "./text-index-match.ts";
import { gaugeNumber, gaugeTerm } from "./text-index-terms.ts";

/** A document and its length in terms. */
export interface Measured {
  readonly number: number;
  readonly length: number;
}

/** What is counted, and where. */
export interface Counting {
  readonly documents: readonly Measured[];
  readonly groups: readonly CountedGroup[];
  readonly titleWeight: number | undefined;
}

/** So much heavier than any length that a document is as full of a needle as can be. */
const full = Array<number>(4).fill(1e30).join(", ");

/**
 * Counts how often needles stand in documents, each time by the weight of its column. FTS5 does not tell, but its score
 * of a single needle does: divided by the score at boundless weights, in which only the needle's rarity is left, it is
 * `times / (times + lengthFactor)`. So what FTS5 takes for the number of documents plays no part.
 */
export function countTimes(db: DatabaseSync, counting: Counting): (needle: Needle, number: number) => number {
  const { documents, groups, titleWeight } = counting;
  const lengths = new Map(documents.map(({ number, length }) => [number, length]));
  const weights = columnWeights(titleWeight).join(", ");
  const find = db.prepare(
    `SELECT rowid AS number, bm25(text_terms, ${weights}) / bm25(text_terms, ${full}) AS part FROM text_terms
     WHERE text_terms MATCH ? AND rowid BETWEEN ? AND ?
     AND +rowid IN (SELECT value FROM json_each(?)) -- the plus keeps SQLite from looking each of these up on its own`,
  );
  const numbers = [...lengths.keys()];
  const wanted = [numbers.reduce((a, b) => Math.min(a, b), Infinity), numbers.reduce((a, b) => Math.max(a, b), 0)];
  const average = averageLength(db);
  const found = new Map<Needle, Map<number, number>>();
  const needles = documents.length === 0 ? [] : rarest(groups, 2 * manyDocuments).flatMap((group) => group.needles);
  for (const needle of needles) {
    const times = new Map<number, number>();
    for (const row of find.iterate(quoted(needle), ...wanted, JSON.stringify(numbers))) {
      const number = Number(row["number"]);
      const part = Number(row["part"]);
      const factor = lengthFactor(lengths.get(number) ?? 0, average);
      times.set(number, roundTimes((factor * part) / (1 - part)));
    }
    found.set(needle, times);
  }
  return (needle, number) => found.get(needle)?.get(number) ?? 0;
}

/** What FTS5 takes for the average length: it can be told from a document of one term. */
function averageLength(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT bm25(text_terms, 1, 1, 1, 1) / bm25(text_terms, ${full}) AS part FROM text_terms
       WHERE text_terms MATCH ? AND rowid = ?`,
    )
    .get(quoted({ terms: [gaugeTerm], prefix: false }), gaugeNumber);
  const part = Number(row?.["part"]);
  const unit = lengthFactor(1, 1) - lengthFactor(0, 1);
  return unit / ((1 - part) / part - lengthFactor(0, 1));
}

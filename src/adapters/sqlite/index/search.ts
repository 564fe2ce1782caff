import type { DatabaseSync } from "node:sqlite";
import {
  Ranking,
  type TextDocument,
  type TextHit,
  type TextPlan,
  type TextQuery,
  hitLimit,
  planQuery,
  extractSnippet,
  titleFitOf,
  type CountedNeedles,
  type Needle,
  columnWeights,
  lengthFactor,
  roundTimes,
  queryTitleKey,
  candidateLimit,
  isListing,
} from "../../../store/index.ts";
import { readTotals, gaugeNumber, gaugeTerm } from "./terms.ts";
import {
  manyDocuments,
  quoted,
  type CollectionQuery,
  allOf,
  anyOf,
  countUpTo,
  latestMatches,
  likeliestMatches,
  newestMatches,
  titleMatches,
} from "./match.ts";

/** The matching documents of a collection, best first. */
export function searchDocuments(db: DatabaseSync, collection: number, query: TextQuery): TextHit[] {
  // One snapshot for all reads: matches, counts and texts are consistent.
  db.exec("BEGIN");
  try {
    return search(db, collection, query);
  } finally {
    // On some failures SQLite has already rolled back.
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

function search(db: DatabaseSync, collection: number, query: TextQuery): TextHit[] {
  const plan = planQuery(query.text ?? "", query.terms);
  const candidates = findCandidates(db, { collection, query, plan });
  const { requested, more } = candidates;
  const ranking = new Ranking({ query, totals: readTotals(db, collection), queryGroups: requested, more });
  const ranked = rank(db, candidates, { query, plan, ranking });
  return ranked.slice(0, hitLimit(query.limit)).flatMap(({ number, score }) => {
    const document = readDocument(db, number);
    if (document === undefined) return [];
    const { body, version: _, ...shown } = document;
    return [{ ...shown, score, ...extractSnippet(body, plan) }];
  });
}

function rank(
  db: DatabaseSync,
  { whole, some, shares, requested, more }: Candidates,
  { query, plan, ranking }: { readonly query: TextQuery; readonly plan: TextPlan; readonly ranking: Ranking },
): { readonly number: number; readonly score: number }[] {
  const documents = measure(db, new Set([...whole, ...some]));
  const times = countTimes(db, { documents, groups: [...requested, ...more], titleWeight: query.titleWeight });
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

interface Document extends MeasuredDocument {
  readonly id: string;
  readonly at: number;
  /** In the normalized form for comparison. */
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

/** A document and its length in terms. */
interface MeasuredDocument {
  readonly number: number;
  readonly length: number;
}

/** A weight so large that the length of a document has no influence. */
const full = Array<number>(4).fill(1e30).join(", ");

/**
 * Counts the occurrences of needles in documents, weighted by column. FTS5 does not expose the count, but its score of
 * a single needle does: divided by the score at unbounded weights, which depends only on the needle's rarity, it is
 * `times / (times + lengthFactor)`. So FTS5's count of documents has no influence.
 */
function countTimes(
  db: DatabaseSync,
  counting: {
    readonly documents: readonly MeasuredDocument[];
    readonly groups: readonly CountedNeedles[];
    readonly titleWeight: number | undefined;
  },
): (needle: Needle, number: number) => number {
  const { documents, groups, titleWeight } = counting;
  const lengths = new Map(documents.map(({ number, length }) => [number, length]));
  const weights = columnWeights(titleWeight).join(", ");
  const find = db.prepare(
    `SELECT rowid AS number, bm25(text_terms, ${weights}) / bm25(text_terms, ${full}) AS part FROM text_terms
     WHERE text_terms MATCH ? AND rowid BETWEEN ? AND ?
     AND +rowid IN (SELECT value FROM json_each(?)) -- the plus keeps SQLite from looking each of these up on its own`,
  );
  const numbers = [...lengths.keys()];
  const requested = [numbers.reduce((a, b) => Math.min(a, b), Infinity), numbers.reduce((a, b) => Math.max(a, b), 0)];
  const average = averageLength(db);
  const found = new Map<Needle, Map<number, number>>();
  const needles =
    documents.length === 0 ? [] : rarestGroups(groups, 2 * manyDocuments).flatMap((group) => group.needles);
  for (const needle of needles) {
    const times = new Map<number, number>();
    for (const row of find.iterate(quoted(needle), ...requested, JSON.stringify(numbers))) {
      const number = Number(row["number"]);
      const part = Number(row["part"]);
      const factor = lengthFactor(lengths.get(number) ?? 0, average);
      times.set(number, roundTimes((factor * part) / (1 - part)));
    }
    found.set(needle, times);
  }
  return (needle, number) => found.get(needle)?.get(number) ?? 0;
}

/** The average length that FTS5 uses, derived from the score of a document with one term. */
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

/** Documents that may be among the best, and the data to rank them by. */
interface Candidates {
  /** These have all the words. */
  readonly whole: ReadonlySet<number>;
  /** These may have some of them. */
  readonly some: ReadonlySet<number>;
  /** Scores of documents that were found by common words alone, as a share of the maximum. */
  readonly shares: ReadonlyMap<number, number>;
  readonly requested: readonly CountedNeedles[];
  readonly more: readonly CountedNeedles[];
}

/** Counts each group once. */
type Count = (groups: TextPlan["any"]) => CountedNeedles[];

/**
 * Finds documents with all the words; adds those with some of them if that is not enough or if further terms were
 * given.
 */
function findCandidates(db: DatabaseSync, requested: CollectionQuery): Candidates {
  const { query, plan } = requested;
  if (isListing(query)) {
    return {
      whole: new Set(),
      some: new Set(latestMatches(db, requested)),
      shares: new Map(),
      requested: [],
      more: [],
    };
  }
  const count = counter(db, requested.collection);
  const strict = findWhole(db, requested, count);
  const phrase = plan.phrase === undefined ? [] : [[plan.phrase]];
  const enough = strict.whole.size >= hitLimit(query.limit) && (query.terms ?? []).length === 0;
  if (enough || query.match === "all") {
    return { ...strict, some: new Set(), requested: count([...phrase, ...plan.all]), more: [] };
  }
  const groups = { requested: count([...phrase, ...plan.any]), more: count(plan.more) };
  const loose = findSome(db, requested, [...groups.requested, ...groups.more]);
  const shares = new Map([...loose.shares, ...strict.shares]);
  return { whole: strict.whole, some: loose.some, shares, ...groups };
}

function counter(db: DatabaseSync, collection: number): Count {
  const known = new Map<string, number>();
  return (groups) =>
    groups.map((needles) => {
      const expression = anyOf(needles);
      const having = known.get(expression) ?? countUpTo(db, expression, collection);
      known.set(expression, having);
      return { needles, having };
    });
}

/** Finds documents with all the words; common words need only occur. */
function findWhole(db: DatabaseSync, query: CollectionQuery, count: Count): Pick<Candidates, "whole" | "shares"> {
  const { all, phrase } = query.plan;
  const groups = count(all);
  if (groups.length === 0 || groups.some(({ having }) => having === 0)) return { whole: new Set(), shares: new Map() };
  const rare = groups.filter(({ having }) => having <= manyDocuments).map(({ needles }) => needles);
  if (rare.length === 0) return findCommon(db, query);
  const within = rare.length < all.length ? allOf(all) : undefined;
  const whole = likeliestMatches(db, allOf(rare, phrase), { ...query, ...(within !== undefined && { within }) });
  // The limit is reached, so documents with the words in their title are added explicitly.
  if (whole.length === candidateLimit(hitLimit(query.query.limit))) {
    whole.push(
      ...titleMatches(db, queryTitleKey(query.plan), query),
      ...likeliestMatches(db, inTitle(allOf(all)), query),
    );
  }
  return { whole: new Set(whole), shares: new Map() };
}

function inTitle(expression: string): string {
  return `{title} : (${expression})`;
}

/**
 * Among very many documents, finds those with the adjacent words, then those with them in the title, then the newest.
 */
function findCommon(db: DatabaseSync, query: CollectionQuery): Pick<Candidates, "whole" | "shares"> {
  const { all, phrase } = query.plan;
  const words = allOf(all);
  const tiers = [words, `{tags} : (${words})`, inTitle(words), ...(phrase === undefined ? [] : [quoted(phrase)])];
  const shares = new Map<number, number>();
  for (const number of titleMatches(db, queryTitleKey(query.plan), query)) shares.set(number, 1 / 5);
  for (const [index, expression] of tiers.entries()) {
    for (const number of newestMatches(db, expression, query)) shares.set(number, (index + 1) / 5);
  }
  return { whole: new Set(shares.keys()), shares };
}

/** Finds documents with some of the words, by the rarest ones; if all are common, the newest. */
function findSome(
  db: DatabaseSync,
  query: CollectionQuery,
  groups: readonly CountedNeedles[],
): Pick<Candidates, "some" | "shares"> {
  const found = groups.filter(({ having }) => having > 0);
  if (found.length === 0) return { some: new Set(), shares: new Map() };
  const rare = rarestGroups(found);
  if (rare.length > 0) {
    const expression = anyOf(rare.flatMap(({ needles }) => needles));
    return { some: new Set(likeliestMatches(db, expression, query)), shares: new Map() };
  }
  const numbers = newestMatches(db, anyOf(found.flatMap(({ needles }) => needles)), query);
  return { some: new Set(numbers), shares: new Map(numbers.map((number) => [number, 1 / 10])) };
}

/**
 * The rarest groups, as long as the number of documents to check stays within the maximum; common groups are excluded.
 */
function rarestGroups(groups: readonly CountedNeedles[], max: number = manyDocuments): CountedNeedles[] {
  let sum = 0;
  return groups
    .toSorted((a, b) => a.having - b.having)
    .filter(({ having }) => having <= manyDocuments && (sum += having) <= max);
}

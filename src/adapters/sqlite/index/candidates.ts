import type { DatabaseSync } from "node:sqlite";
import {
  type CountedNeedles,
  type TextPlan,
  queryTitleKey,
  candidateLimit,
  hitLimit,
  isListing,
} from "../../../store/index.ts";
import {
  type CollectionQuery,
  allOf,
  anyOf,
  countUpTo,
  latestMatches,
  likeliestMatches,
  manyDocuments,
  newestMatches,
  quoted,
  titleMatches,
} from "./match.ts";

/** Documents that may be among the best, and the data to rank them by. */
export interface Candidates {
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
export function findCandidates(db: DatabaseSync, requested: CollectionQuery): Candidates {
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
export function rarestGroups(groups: readonly CountedNeedles[], max: number = manyDocuments): CountedNeedles[] {
  let sum = 0;
  return groups
    .toSorted((a, b) => a.having - b.having)
    .filter(({ having }) => having <= manyDocuments && (sum += having) <= max);
}

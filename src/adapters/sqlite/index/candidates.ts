import type { DatabaseSync } from "node:sqlite";
import { type CountedGroup, type TextPlan, askedKey, candidateLimit, hitLimit, isListing } from "../../store/index.ts";
import {
  type Asked,
  allOf,
  anyOf,
  countUpTo,
  latest,
  likeliest,
  manyDocuments,
  newest,
  quoted,
  titled,
} from "./text-index-match.ts";

/** Documents that may be among the best, and what they are to be ranked by. */
export interface Candidates {
  /** These have all the words. */
  readonly whole: ReadonlySet<number>;
  /** These may have some of them. */
  readonly some: ReadonlySet<number>;
  /** What is known of documents that were found by common words alone: a share of the most there could be. */
  readonly shares: ReadonlyMap<number, number>;
  readonly asked: readonly CountedGroup[];
  readonly more: readonly CountedGroup[];
}

/** Counts each group once. */
type Count = (groups: TextPlan["any"]) => CountedGroup[];

/** What has all the words; what has some of them follows when that is not enough, or when further terms were given. */
export function findCandidates(db: DatabaseSync, asked: Asked): Candidates {
  const { query, plan } = asked;
  if (isListing(query)) {
    return { whole: new Set(), some: new Set(latest(db, asked)), shares: new Map(), asked: [], more: [] };
  }
  const count = counter(db, asked.collection);
  const strict = findWhole(db, asked, count);
  const phrase = plan.phrase === undefined ? [] : [[plan.phrase]];
  const enough = strict.whole.size >= hitLimit(query.limit) && (query.terms ?? []).length === 0;
  if (enough || query.match === "all") {
    return { ...strict, some: new Set(), asked: count([...phrase, ...plan.all]), more: [] };
  }
  const groups = { asked: count([...phrase, ...plan.any]), more: count(plan.more) };
  const loose = findSome(db, asked, [...groups.asked, ...groups.more]);
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

/** What has all the words; common ones must only be there. */
function findWhole(db: DatabaseSync, asked: Asked, count: Count): Pick<Candidates, "whole" | "shares"> {
  const { all, phrase } = asked.plan;
  const groups = count(all);
  if (groups.length === 0 || groups.some(({ having }) => having === 0)) return { whole: new Set(), shares: new Map() };
  const rare = groups.filter(({ having }) => having <= manyDocuments).map(({ needles }) => needles);
  if (rare.length === 0) return findCommon(db, asked);
  const within = rare.length < all.length ? allOf(all) : undefined;
  const whole = likeliest(db, allOf(rare, phrase), { ...asked, ...(within !== undefined && { within }) });
  // Of more than these some have the words in their title, whatever else they have.
  if (whole.length === candidateLimit(hitLimit(asked.query.limit))) {
    whole.push(...titled(db, askedKey(asked.plan), asked), ...likeliest(db, inTitle(allOf(all)), asked));
  }
  return { whole: new Set(whole), shares: new Map() };
}

function inTitle(expression: string): string {
  return `{title} : (${expression})`;
}

/** Of very many documents those with the words side by side, then those with them in the title, then the newest. */
function findCommon(db: DatabaseSync, asked: Asked): Pick<Candidates, "whole" | "shares"> {
  const { all, phrase } = asked.plan;
  const words = allOf(all);
  const tiers = [words, `{tags} : (${words})`, inTitle(words), ...(phrase === undefined ? [] : [quoted(phrase)])];
  const shares = new Map<number, number>();
  for (const number of titled(db, askedKey(asked.plan), asked)) shares.set(number, 1 / 5);
  for (const [index, expression] of tiers.entries()) {
    for (const number of newest(db, expression, asked)) shares.set(number, (index + 1) / 5);
  }
  return { whole: new Set(shares.keys()), shares };
}

/** What has some of the words, by those that are rarest; where all are common, the newest. */
function findSome(
  db: DatabaseSync,
  asked: Asked,
  groups: readonly CountedGroup[],
): Pick<Candidates, "some" | "shares"> {
  const found = groups.filter(({ having }) => having > 0);
  if (found.length === 0) return { some: new Set(), shares: new Map() };
  const rare = rarest(found);
  if (rare.length > 0) {
    const expression = anyOf(rare.flatMap(({ needles }) => needles));
    return { some: new Set(likeliest(db, expression, asked)), shares: new Map() };
  }
  const numbers = newest(db, anyOf(found.flatMap(({ needles }) => needles)), asked);
  return { some: new Set(numbers), shares: new Map(numbers.map((number) => [number, 1 / 10])) };
}

/** The rarest groups, as long as no more documents than these are to be looked at; common ones are not among them. */
export function rarest(groups: readonly CountedGroup[], most: number = manyDocuments): CountedGroup[] {
  let sum = 0;
  return groups
    .toSorted((a, b) => a.having - b.having)
    .filter(({ having }) => having <= manyDocuments && (sum += having) <= most);
}

import { canonicalJson } from "../../../base/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { type ValuePath, getAt } from "./value-path.ts";

/** The items of a list that have the same value at a path. */
export interface Group {
  /** The value that they share; null if they have none. */
  readonly key: unknown;
  readonly count: number;
  readonly items: readonly unknown[];
}

/** Returns the data as a list, or throws a failure that explains what is needed. */
export function requireList(data: unknown, operation: string): readonly unknown[] {
  if (Array.isArray(data)) return data;
  throw dataFailure(
    "wrong_type",
    `${operation} needs a list as \`data\`; take it out of the data with get or query first`,
    {
      parameter: "data",
    },
  );
}

/** Sorts items by their values at a path: numbers, then texts, then others; items without one come last. */
export function sortItems(list: readonly unknown[], key: ValuePath, order: "asc" | "desc"): unknown[] {
  const sign = order === "desc" ? -1 : 1;
  const keyed = list.map((item) => ({ item, key: getAt(item, key)?.value }));
  return keyed.toSorted((a, b) => missingLast(a.key, b.key) || sign * compare(a.key, b.key)).map(({ item }) => item);
}

function missingLast(a: unknown, b: unknown): number {
  return Number(a == null) - Number(b == null);
}

const ranks = ["number", "string", "boolean"];

function compare(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  if (typeof a === "object") return 0;
  // Both have the same type, and neither is a list or an object.
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

function rankOf(value: unknown): number {
  const rank = ranks.indexOf(typeof value);
  return rank === -1 ? ranks.length : rank;
}

/** Groups items by their values at a path, in the order in which those first occur. */
export function groupItems(list: readonly unknown[], key: ValuePath): Group[] {
  const groups = new Map<string, { readonly key: unknown; readonly items: unknown[] }>();
  for (const item of list) {
    const value = getAt(item, key)?.value ?? null;
    const name = canonicalJson(value);
    const group = groups.get(name) ?? { key: value, items: [] };
    group.items.push(item);
    groups.set(name, group);
  }
  return [...groups.values()].map(({ key, items }) => ({ key, count: items.length, items }));
}

/** Returns the first of all items that are equal, or equal at a path. */
export function uniqueItems(list: readonly unknown[], key: ValuePath): unknown[] {
  return groupItems(list, key).map(({ items }) => items[0]);
}

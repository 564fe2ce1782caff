import { OutputBudget } from "../data-limits.ts";
import { isObject } from "./change-value.ts";

/** One change of a JSON Patch (RFC 6902), of the kinds that {@link diffValues} returns. */
type ValueChange =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * Returns the changes that convert one value to another, as a JSON Patch. Correct, though not always the shortest: in
 * lists, equal items at both ends stay, and those in between are compared item by item.
 *
 * @example
 * ```ts
 * diffValues({ a: 1 }, { a: 2, b: 3 });
 * // [{ op: "replace", path: "/a", value: 2 }, { op: "add", path: "/b", value: 3 }]
 * ```
 */
export function diffValues(before: unknown, after: unknown): ValueChange[] {
  const changes: ValueChange[] = [];
  const budget = new OutputBudget();
  const add = (change: ValueChange): void => {
    // A long key above many changes is repeated in each of their paths.
    budget.spend(change.path.length + 20);
    changes.push(change);
  };
  compare({ before, after, path: "" }, add);
  return changes;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

type Add = (change: ValueChange) => void;

function compare({ before, after, path }: Pair, add: Add): void {
  if (Array.isArray(before) && Array.isArray(after)) compareLists({ before, after, path }, add);
  else if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) {
      const location = `${path}/${escapeKey(key)}`;
      if (Object.hasOwn(after, key)) compare({ before: before[key], after: after[key], path: location }, add);
      else add({ op: "remove", path: location });
    }
    for (const key of Object.keys(after)) {
      if (!Object.hasOwn(before, key)) add({ op: "add", path: `${path}/${escapeKey(key)}`, value: after[key] });
    }
  } else if (before !== after) add({ op: "replace", path, value: after });
}

function compareLists(
  { before, after, path }: Pair & { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
  add: Add,
): void {
  const max = Math.min(before.length, after.length);
  let head = 0;
  while (head < max && isSame(before[head], after[head])) head++;
  let tail = 0;
  while (tail < max - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const shared = max - tail;
  for (let at = head; at < shared; at++) compare({ before: before[at], after: after[at], path: `${path}/${at}` }, add);
  for (let at = before.length - tail - 1; at >= shared; at--) add({ op: "remove", path: `${path}/${at}` });
  for (let at = shared; at < after.length - tail; at++) add({ op: "add", path: `${path}/${at}`, value: after[at] });
}

function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** True if two values are equal. The order of keys does not matter; levels beyond `maxDepth` count as different. */
export function isSame(a: unknown, b: unknown, maxDepth: number = 1_000): boolean {
  if (a === b) return true;
  if (maxDepth === 0) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSame(item, b[at], maxDepth - 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key], maxDepth - 1))
  );
}

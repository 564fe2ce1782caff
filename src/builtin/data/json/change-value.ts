import { quoteText } from "../../../text/index.ts";
import { put } from "../../../schema/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { type ValuePath, indexIn } from "./value-path.ts";

/** A plain object that may be changed. */
export type Mutable = Record<string, unknown>;

/** A deep copy that may be changed. */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isObject(value)) return value;
  const copy: Mutable = {};
  for (const key of Object.keys(value)) put(copy, key, copyValue(value[key]));
  return copy;
}

/** An object of JSON: neither a list nor null. */
export function isObject(value: unknown): value is Mutable {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy with another value at a place; objects and lists on the way there are made where they are missing. */
export function setAt(value: unknown, path: ValuePath, to: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return to;
  if (Array.isArray(value)) return setItem(value, path, to);
  if (value == null) return typeof part === "number" ? setItem([], path, to) : { [part]: setAt(undefined, rest, to) };
  if (!isObject(value)) throw noPlace(part, `a ${typeof value}`);
  const key = String(part);
  return { ...value, [key]: setAt(Object.hasOwn(value, key) ? value[key] : undefined, rest, to) };
}

function setItem(list: readonly unknown[], [part = "-", ...rest]: ValuePath, to: unknown): unknown[] {
  const index = part === "-" ? list.length : (indexIn(list, part) ?? -1);
  if (index < 0 || index > list.length) throw noPlace(part, `a list of ${list.length} items`);
  const changed = [...list];
  changed[index] = setAt(list[index], rest, to);
  return changed;
}

function noPlace(part: string | number, inside: string): Error {
  return dataFailure("bad_path", `there is no place ${quoteText(String(part))} in ${inside}`, { parameter: "path" });
}

/** The keys that a list of paths names, as a tree; a leaf stands for everything below. */
export type PathTree = ReadonlyMap<string, PathTree | true>;

/** Reads many paths into one tree. */
export function pathTree(paths: readonly ValuePath[]): PathTree {
  const root = new Map<string, PathTree | true>();
  for (const path of paths) {
    let node = root;
    for (const [at, part] of path.entries()) {
      const known = node.get(String(part));
      if (known === true) break;
      // The maps are this function's own.
      const next = (known ?? new Map()) as Map<string, PathTree | true>;
      node.set(String(part), at === path.length - 1 ? true : next);
      node = next;
    }
  }
  return root;
}

/** Only what the tree names. A list is passed through: the tree counts for each of its items. */
export function pick(value: unknown, tree: PathTree): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  if (!isObject(value)) return value;
  const kept: Mutable = {};
  for (const [key, inner] of tree) {
    if (Object.hasOwn(value, key)) put(kept, key, inner === true ? value[key] : pick(value[key], inner));
  }
  return kept;
}

/** Everything except what the tree names; lists are passed through. */
export function omit(value: unknown, tree: PathTree): unknown {
  if (Array.isArray(value)) return value.map((item) => omit(item, tree));
  if (!isObject(value)) return value;
  const kept: Mutable = {};
  for (const key of Object.keys(value)) {
    const inner = tree.get(key);
    if (inner !== true) put(kept, key, inner === undefined ? value[key] : omit(value[key], inner));
  }
  return kept;
}

/** What happens to two lists at the same place. */
export type MergeLists = "replace" | "concat";

/** Two values as one: objects are merged key by key, anything else of the second wins. */
export function mergeValues(first: unknown, second: unknown, lists: MergeLists = "replace"): unknown {
  if (Array.isArray(first) && Array.isArray(second) && lists === "concat") return [...first, ...second];
  if (!isObject(first) || !isObject(second)) return second;
  const merged: Mutable = { ...first };
  for (const key of Object.keys(second)) {
    put(merged, key, Object.hasOwn(first, key) ? mergeValues(first[key], second[key], lists) : second[key]);
  }
  return merged;
}

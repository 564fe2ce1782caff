import { quoteText } from "../../../text/index.ts";
import { setOwn } from "../../../schema/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { type ValuePath, indexIn } from "./value-path.ts";

/** A mutable plain object. */
export type Mutable = Record<string, unknown>;

/** Returns a mutable deep copy. */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isObject(value)) return value;
  const copy: Mutable = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyValue(value[key]));
  return copy;
}

/** True for a JSON object: neither a list nor null. */
export function isObject(value: unknown): value is Mutable {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a copy with another value at a path; missing objects and lists on the way are created. */
export function setAt(value: unknown, path: ValuePath, to: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return to;
  if (Array.isArray(value)) return setItem(value, path, to);
  if (value == null) return typeof part === "number" ? setItem([], path, to) : { [part]: setAt(undefined, rest, to) };
  if (!isObject(value)) throw pathNotFoundFailure(part, `a ${typeof value}`);
  const key = String(part);
  return { ...value, [key]: setAt(Object.hasOwn(value, key) ? value[key] : undefined, rest, to) };
}

function setItem(list: readonly unknown[], [part = "-", ...rest]: ValuePath, to: unknown): unknown[] {
  const index = part === "-" ? list.length : (indexIn(list, part) ?? -1);
  if (index < 0 || index > list.length) throw pathNotFoundFailure(part, `a list of ${list.length} items`);
  const changed = [...list];
  changed[index] = setAt(list[index], rest, to);
  return changed;
}

function pathNotFoundFailure(part: string | number, inside: string): Error {
  return dataFailure("bad_path", `there is no location ${quoteText(String(part))} in ${inside}`, { parameter: "path" });
}

/** The keys that a list of paths names, as a tree; a leaf stands for everything below. */
export type PathTree = ReadonlyMap<string, PathTree | true>;

/** Parses many paths into one tree. */
export function pathTree(paths: readonly ValuePath[]): PathTree {
  const root = new Map<string, PathTree | true>();
  for (const path of paths) {
    let node = root;
    for (const [at, part] of path.entries()) {
      const known = node.get(String(part));
      if (known === true) break;
      // The maps were created by this function.
      const next = (known ?? new Map()) as Map<string, PathTree | true>;
      node.set(String(part), at === path.length - 1 ? true : next);
      node = next;
    }
  }
  return root;
}

/** Returns only what the tree names. Lists are traversed: the tree applies to each of their items. */
export function pick(value: unknown, tree: PathTree): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  if (!isObject(value)) return value;
  const retained: Mutable = {};
  for (const [key, inner] of tree) {
    if (Object.hasOwn(value, key)) setOwn(retained, key, inner === true ? value[key] : pick(value[key], inner));
  }
  return retained;
}

/** Returns everything except what the tree names; lists are traversed. */
export function omit(value: unknown, tree: PathTree): unknown {
  if (Array.isArray(value)) return value.map((item) => omit(item, tree));
  if (!isObject(value)) return value;
  const retained: Mutable = {};
  for (const key of Object.keys(value)) {
    const inner = tree.get(key);
    if (inner !== true) setOwn(retained, key, inner === undefined ? value[key] : omit(value[key], inner));
  }
  return retained;
}

/** Merging of two lists at the same path. */
export type MergeLists = "replace" | "concat";

/** Merges two values: objects are merged key by key, for anything else the second wins. */
export function mergeValues(first: unknown, second: unknown, lists: MergeLists = "replace"): unknown {
  if (Array.isArray(first) && Array.isArray(second) && lists === "concat") return [...first, ...second];
  if (!isObject(first) || !isObject(second)) return second;
  const merged: Mutable = { ...first };
  for (const key of Object.keys(second)) {
    setOwn(merged, key, Object.hasOwn(first, key) ? mergeValues(first[key], second[key], lists) : second[key]);
  }
  return merged;
}

import { formatPath } from "../../../base/index.ts";
import { quoteText } from "../../../text/index.ts";
import { setOwn } from "../../../schema/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { OutputBudget } from "../data-limits.ts";
import { type Mutable, isObject } from "./change-value.ts";
import { type ValuePath, parseValuePath } from "./value-path.ts";

/** Returns every innermost value by its path: `{ "a.b[0]": 1 }`. Empty lists and objects count as values. */
export function flattenValue(value: unknown): Mutable {
  const flat: Mutable = {};
  const budget = new OutputBudget();
  const walk = (item: unknown, path: ValuePath): void => {
    const inner = typeof item === "object" && item !== null ? entriesOf(item) : [];
    for (const [key, one] of inner) walk(one, [...path, key]);
    if (inner.length > 0) return;
    const name = formatPath(path);
    // A long key above many values is repeated in each of their paths.
    budget.spend(name.length + 10);
    setOwn(flat, name, item);
  };
  walk(value, []);
  return flat;
}

function entriesOf(item: object): [string | number, unknown][] {
  if (Array.isArray(item)) return item.map((one: unknown, at) => [at, one]);
  return Object.entries(item);
}

/** A part of the value under construction; lists and objects of the input are leaves. */
type Part = Map<string | number, Part> | { readonly leaf: unknown };

/** The inverse of {@link flattenValue}. */
export function unflattenValue(flat: unknown): unknown {
  if (!isObject(flat))
    throw dataFailure("wrong_type", "unflatten needs an object with paths as keys", { parameter: "data" });
  const root: Part = new Map();
  for (const [name, leaf] of Object.entries(flat)) {
    const path = parseValuePath(name, "data");
    if (path.length === 0 && Object.keys(flat).length === 1) return leaf;
    setLeaf(root, path, leaf);
  }
  return build(root, "");
}

function setLeaf(root: Map<string | number, Part>, path: ValuePath, leaf: unknown): void {
  let node = root;
  for (const part of path.slice(0, -1)) {
    const next = node.get(part) ?? new Map<string | number, Part>();
    if (!(next instanceof Map)) throw conflict(path);
    node.set(part, next);
    node = next;
  }
  const last = path.at(-1);
  if (last === undefined || node.has(last)) throw conflict(path);
  node.set(last, { leaf });
}

function build(part: Part, name: string): unknown {
  if (!(part instanceof Map)) return part.leaf;
  const numbers = [...part.keys()].filter((key) => typeof key === "number");
  if (numbers.length === 0) {
    const object: Mutable = {};
    for (const [key, inner] of part) setOwn(object, String(key), build(inner, String(key)));
    return object;
  }
  if (numbers.length !== part.size || numbers.some((index) => index < 0 || index >= part.size)) {
    const message = `the items of ${name === "" ? "the list" : quoteText(name)} are not [0], [1], … without a gap`;
    throw dataFailure("bad_path", message, { parameter: "data" });
  }
  return Array.from({ length: part.size }, (_, index) => build(part.get(index) ?? { leaf: null }, `${name}[${index}]`));
}

function conflict(path: ValuePath): Error {
  const message = `${quoteText(formatPath(path))} is inside of another value, or there twice`;
  return dataFailure("bad_path", message, { parameter: "data" });
}

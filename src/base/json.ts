import { fail, errorMessage } from "./failure.ts";
import { type Issue, formatPath } from "./issue.ts";

/** Deeper than this is a cycle or an attack. */
const maxDepth = 128;

/** Remaining budget if the value was not plain JSON. */
const notPlain = -Infinity;

/** Free in a loop over the keys, unlike `Object.hasOwn`: the optimizer knows its result there. */
// oxlint-disable-next-line typescript/unbound-method -- it is called with an object
const { hasOwnProperty: hasOwn } = Object.prototype;

/**
 * Approximate number of characters of a value as JSON: `Infinity` if more than `maxChars`, -1 if it is not plain JSON
 * (dates, class instances, `undefined`, cycles, …). Copies nothing and allocates nothing, since every output of every
 * tool passes here, and stops as soon as the result is clear.
 */
export function plainJsonSize(value: unknown, maxChars: number): number {
  try {
    const left = spend(value, maxChars, 0);
    if (left >= 0) return maxChars - left;
    return left === notPlain ? -1 : Infinity;
  } catch {
    // A getter or a proxy threw.
    return -1;
  }
}

/** A text as it is, any other value as JSON; empty for a value that JSON does not have. */
export function textOrJson(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The remaining budget after this value; negative if it is exceeded. */
function spend(value: unknown, budget: number, depth: number): number {
  switch (typeof value) {
    case "string":
      return budget - value.length - 2;
    case "number":
      return Number.isFinite(value) ? budget - 4 : notPlain;
    case "boolean":
      return budget - 5;
    case "object":
      if (value === null) return budget - 4;
      if (depth === maxDepth) return notPlain;
      return Array.isArray(value) ? spendList(value, budget, depth) : spendObject(value, budget, depth);
    default:
      return notPlain;
  }
}

function spendList(list: readonly unknown[], budget: number, depth: number): number {
  let left = budget - 2;
  for (let at = 0; at < list.length && left >= 0; at++) left = spend(list[at], left - 1, depth + 1);
  return left;
}

function spendObject(value: object, budget: number, depth: number): number {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return notPlain;
  let left = budget - 2;
  for (const key in value) {
    // Plain objects inherit no enumerable properties, unless the prototype was polluted.
    if (!hasOwn.call(value, key)) continue;
    const item = (value as Record<string, unknown>)[key];
    left -= key.length + 4;
    // The most common type of member, handled without a function call.
    if (typeof item === "string") left -= item.length + 2;
    else left = spend(item, left, depth + 1);
    if (left < 0) return left;
  }
  return left;
}

/** A value as JSON text, or the reason why it has none. Never throws for any value, and loses nothing silently. */
export function jsonText(value: unknown): { readonly text: string } | { readonly problem: string } {
  try {
    const text = JSON.stringify(value, (_key, item: unknown) => {
      const kind = unwritable(item);
      if (kind !== undefined) throw new TypeError(`it holds ${kind}`);
      return item;
    });
    return text === undefined ? { problem: "JSON cannot represent it" } : { text };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/**
 * Throws `validation_error` with the path of the first member that JSON cannot represent, or would silently change: what
 * is stored must be what was given. An undefined member of an object counts as absent.
 */
export function checkJson(value: unknown, what: string): void {
  // The usual case, without a path.
  if (plainJsonSize(value, Number.MAX_SAFE_INTEGER) >= 0) return;
  const issue = jsonIssue(value);
  if (issue === undefined) return;
  throw fail(`${what} cannot be stored as JSON: ${issue.message}`, { code: "validation_error", issues: [issue] });
}

function jsonIssue(value: unknown): Issue | undefined {
  const path: (string | number)[] = [];
  try {
    const problem = notJson(value, path, []);
    if (problem === undefined) return undefined;
    return { path, code: "type", message: `${path.length === 0 ? "it" : formatPath(path)} ${problem}` };
  } catch {
    return { path: [], code: "type", message: "reading it threw an error" };
  }
}

/** Deeper values are not copied when a call is made. */
const maxStoredDepth = 1000;

/** The problem of the first member that is not JSON; its path is added to `path`. */
function notJson(value: unknown, path: (string | number)[], around: readonly object[]): string | undefined {
  if (typeof value === "bigint") return "is a BigInt";
  const kind = unwritable(value);
  if (kind !== undefined) return `is ${kind}`;
  if (value === undefined) return "is undefined";
  if (typeof value !== "object" || value === null) return undefined;
  if (around.includes(value)) return "contains itself";
  if (around.length === maxStoredDepth) {
    path.length = 0;
    return "is nested too deeply";
  }
  if (Array.isArray(value)) return notJsonIn(value.entries(), path, [...around, value]);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `is an object of class ${value.constructor.name}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return notJsonIn(members, path, [...around, value]);
}

function notJsonIn(
  members: Iterable<readonly [string | number, unknown]>,
  path: (string | number)[],
  around: readonly object[],
): string | undefined {
  for (const [key, member] of members) {
    path.push(key);
    const problem = notJson(member, path, around);
    if (problem !== undefined) return problem;
    path.pop();
  }
  return undefined;
}

/** Values that `JSON.stringify` would silently omit, or write as `null` or an empty object. */
function unwritable(item: unknown): string | undefined {
  switch (typeof item) {
    case "number":
      return Number.isFinite(item) ? undefined : String(item);
    case "function":
    case "symbol":
      return `a ${typeof item}`;
    case "object": {
      const kind = emptied.find((kind) => item instanceof kind)?.name;
      return kind === undefined ? undefined : `an object of class ${kind}`;
    }
    default:
      return undefined;
  }
}

const emptied = [Map, Set, WeakMap, WeakSet, Promise, RegExp, Error, ArrayBuffer] as const;

function problemOf(error: unknown): string {
  try {
    if (error instanceof RangeError)
      return /length/.test(error.message) ? "it is too large to be written" : "it is nested too deeply";
    // Engines print the path of a cycle over many lines.
    return errorMessage(error).split("\n", 1).join("");
  } catch {
    return "reading it threw an error";
  }
}

/** JSON with sorted keys: equal values give equal text, in any order of their keys. */
export function canonicalJson(value: unknown): string {
  // Plain data is sorted first: a replacer function called for every key costs more than everything else.
  if (plainJsonSize(value, Number.MAX_SAFE_INTEGER) >= 0)
    return JSON.stringify(isSorted(value) ? value : sorted(value));
  const text = JSON.stringify(value, (_key, item: unknown) =>
    typeof item !== "object" || item === null || Array.isArray(item) ? item : withSortedKeys(item),
  );
  return text ?? "null";
}

/** True if the keys of all objects in plain JSON are sorted. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let before = "";
  for (const key in value) {
    if (key < before || !isSorted((value as Record<string, unknown>)[key])) return false;
    before = key;
  }
  return true;
}

/** Plain JSON with the keys of all its objects sorted. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(sorted) : withSortedKeys(value, sorted);
}

function withSortedKeys(value: object, read: (item: unknown) => unknown = (item) => item): object {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const item = read((value as Record<string, unknown>)[key]);
    // Assignment would set the prototype instead of a key.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: item, enumerable: true });
    else copy[key] = item;
  }
  return copy;
}

/** True for an object as JSON has them: not an instance of a class. */
export function isPlainObject(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value of a JSON text, or `otherwise` if the text is not valid JSON. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** A list or an object with its members changed: a copy, or the same reference if no member changes. */
export function mapMembers(value: object, change: (item: unknown, key: string | number) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(change);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const changed = entries.map(([key, item]) => [key, change(item, key)] as const);
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return changed.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(changed) : value;
}

/** An object without the properties that are undefined: optional properties are absent rather than undefined. */
export function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Every remaining value is defined.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

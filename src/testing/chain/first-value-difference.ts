import { jsonText } from "../../base/index.ts";

/** The first difference between two values. */
export interface ValueDifference {
  readonly path: readonly (string | number)[];
  /** Undefined if there is nothing at that path. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Values nested deeper are compared as text. */
const maxDepth = 200;

/** The first difference of two JSON values, in the order of the first one; undefined if they are equal. */
export function firstValueDifference(
  expected: unknown,
  actual: unknown,
  path: readonly (string | number)[] = [],
): ValueDifference | undefined {
  if (expected === actual) return undefined;
  const differ = { path, expected, actual };
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return differ;
  if (path.length >= maxDepth) return jsonOf(expected) === jsonOf(actual) ? undefined : differ;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const step = Array.isArray(expected) ? Number(key) : key;
    const found = firstValueDifference(ownValueAt(expected, key), ownValueAt(actual, key), [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both sides of a difference on one line each, cut around the first difference. */
export function formatDifference(expected: unknown, actual: unknown): readonly [string, string] {
  const [one, two] = [jsonOf(expected), jsonOf(actual)];
  let same = 0;
  while (same < one.length && one[same] === two[same]) same++;
  const from = same > 40 ? same - 20 : 0;
  return [excerpt(one, from), excerpt(two, from)];
}

function excerpt(text: string, from: number): string {
  const end = from + 100;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${text.length > end ? "…" : ""}`.toWellFormed();
}

function jsonOf(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = jsonText(value);
  return "text" in json ? json.text : `a value that cannot be shown: ${json.problem}`;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function ownValueAt(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

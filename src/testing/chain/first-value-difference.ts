import { jsonText } from "../../base/index.ts";

/** The first place where two values differ. */
export interface ValueDifference {
  readonly path: readonly (string | number)[];
  /** Undefined where there is nothing at that place. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Values nested deeper are compared as texts. */
const maxDepth = 200;

/** The first difference of two JSON values, in the order of the first one; undefined when they are equal. */
export function firstDifference(
  expected: unknown,
  actual: unknown,
  path: readonly (string | number)[] = [],
): ValueDifference | undefined {
  if (expected === actual) return undefined;
  const differ = { path, expected, actual };
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return differ;
  if (path.length >= maxDepth) return textOf(expected) === textOf(actual) ? undefined : differ;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const step = Array.isArray(expected) ? Number(key) : key;
    const found = firstDifference(own(expected, key), own(actual, key), [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both sides of a difference on one line each, cut to where they begin to differ. */
export function contrast(expected: unknown, actual: unknown): readonly [string, string] {
  const [one, two] = [textOf(expected), textOf(actual)];
  let same = 0;
  while (same < one.length && one[same] === two[same]) same++;
  const from = same > 40 ? same - 20 : 0;
  return [excerpt(one, from), excerpt(two, from)];
}

function excerpt(text: string, from: number): string {
  const end = from + 100;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${text.length > end ? "…" : ""}`.toWellFormed();
}

function textOf(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = jsonText(value);
  return "text" in json ? json.text : `a value that cannot be shown: ${json.problem}`;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

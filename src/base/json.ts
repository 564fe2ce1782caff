/** Deeper than this is a cycle or an attack. */
const deepest = 128;

/** Left of a budget when the value was not plain JSON. */
const notPlain = -Infinity;

/**
 * About how many characters a value prints as JSON: `Infinity` when more than `maxChars`, -1 when it is not plain
 * JSON (dates, class instances, `undefined`, cycles, …). Copies nothing and allocates nothing, since every output of
 * every tool passes here, and stops as soon as the answer is clear.
 */
export function plainJsonSize(value: unknown, maxChars: number): number {
  const left = spend(value, maxChars, 0);
  if (left >= 0) return maxChars - left;
  return left === notPlain ? -1 : Infinity;
}

/** What is left of the budget after this value; negative when it is overspent. */
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
      if (depth === deepest) return notPlain;
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
    // Plain objects inherit nothing that can be enumerated, unless someone polluted the prototype.
    if (!Object.hasOwn(value, key)) continue;
    left = spend((value as Record<string, unknown>)[key], left - key.length - 4, depth + 1);
    if (left < 0) return left;
  }
  return left;
}

/** What a value is that is not plain JSON, in words; undefined when `JSON.stringify` makes plain JSON of it. */
export function notJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value, (_key, item: unknown) => {
      if (typeof item === "number" && !Number.isFinite(item)) throw new TypeError(`it holds ${item}`);
      if (typeof item === "function" || typeof item === "symbol") throw new TypeError(`it holds a ${typeof item}`);
      return item;
    });
    return text === undefined ? "it is nothing that JSON can write" : undefined;
  } catch (error) {
    return error instanceof RangeError ? "it is nested too deeply" : messageOf(error);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Engines spread the path of a cycle over many lines.
  return message.split("\n")[0] ?? message;
}

/** JSON with sorted keys: equal values give equal text, whatever order their keys were written in. */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    // fromEntries defines own keys, so a key named __proto__ stays a key.
    return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  return text ?? "null";
}

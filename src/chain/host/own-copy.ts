/** Nothing that comes from a file or a tool nests deeper. */
const deepest = 1000;

/**
 * The same JSON data in objects of its own: whoever gets arguments may change them, and must not change the output of
 * another step, or the plan, with them.
 */
export function ownCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => ownCopy(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // A spread defines own keys, so that a key named __proto__ stays a key.
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = ownCopy(item, depth + 1);
  }
  return copy;
}

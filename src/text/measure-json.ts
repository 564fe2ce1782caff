/** How many characters a value takes as JSON text; `Infinity` for more than the limit, or for one that holds itself. */
export type JsonMeasure = (value: unknown) => number;

/** Values nest no deeper than this; what does has no measure. */
export const deepestJson = 200;

/**
 * Measures values, each only once, and stops at the limit. What JSON cannot write counts as `null`.
 *
 * @example
 * ```ts
 * measureJson(100)({ a: [1, "\n"] }); // 14
 * ```
 */
export function measureJson(limit: number): JsonMeasure {
  const known = new Map<object, number>();
  const sizeOf = (value: unknown, depth: number): number => {
    if (typeof value !== "object" || value === null) return scalarSize(value, limit);
    const found = known.get(value);
    if (found !== undefined) return found;
    if (depth > deepestJson) return Infinity;
    // Seen again before it is measured, it holds itself.
    known.set(value, Infinity);
    const size = Array.isArray(value)
      ? sumOf(value, (item) => sizeOf(item, depth + 1))
      : sumOf(Object.keys(value), (key) => textSize(key, limit) + 1 + sizeOf(Reflect.get(value, key), depth + 1));
    known.set(value, size);
    return size;
  };
  const sumOf = <T>(items: readonly T[], measure: (item: T) => number): number => {
    // Brackets, and a comma less than there are items.
    let size = items.length === 0 ? 2 : 1;
    for (const item of items) {
      size += 1 + measure(item);
      if (size > limit) return Infinity;
    }
    return size;
  };
  return (value) => sizeOf(value, 0);
}

function scalarSize(value: unknown, limit: number): number {
  if (typeof value === "string") return textSize(value, limit);
  return scalarJson(value).length;
}

function textSize(text: string, limit: number): number {
  const size = text.length > limit ? Infinity : JSON.stringify(text).length;
  return size > limit ? Infinity : size;
}

/** A number, a boolean or null as JSON; anything else is null. */
export function scalarJson(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : "null";
}

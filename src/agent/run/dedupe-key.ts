import { canonicalJson } from "../../base/index.ts";

/** Deeper than the arguments of any model; deeper values are serialized as JSON, or fail if they are not JSON. */
const maxDepth = 64;

/** Up to this number of keys, insertion sort is faster. */
const fewKeys = 8;

/**
 * A key that is the same for the same tool and arguments, in any order of their keys, and different for all others. It
 * is not JSON: every call of every response needs a key, the key is never parsed, and length prefixes need no escapes.
 */
export function dedupeKey(tool: string, args: unknown): string {
  return `${tool.length} ${tool}${canonicalText(args, 0) ?? canonicalJson(args)}`;
}

/** Undefined for a value that is not plain JSON. */
function canonicalText(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return `"${value.length} ${value}`;
    case "number":
      return Number.isFinite(value) ? `${value}` : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === maxDepth) return undefined;
      return Array.isArray(value) ? textOfList(value, depth) : textOfObject(value, depth);
    default:
      return undefined;
  }
}

function textOfList(list: readonly unknown[], depth: number): string | undefined {
  let text = "[";
  for (const item of list) {
    const written = canonicalText(item, depth + 1);
    if (written === undefined) return undefined;
    text += `${written},`;
  }
  return `${text}]`;
}

function textOfObject(value: object, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  let text = "{";
  for (const key of inOrder(Object.keys(value))) {
    const item = (value as Record<string, unknown>)[key];
    // JSON omits it as well.
    if (item === undefined) continue;
    const written = canonicalText(item, depth + 1);
    if (written === undefined) return undefined;
    text += `${key.length} ${key}${written},`;
  }
  return `${text}}`;
}

function inOrder(keys: string[]): string[] {
  if (keys.length > fewKeys) return keys.sort();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end] as string;
    let at = end;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

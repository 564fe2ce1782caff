import { canonicalJson } from "../../base/index.ts";

/** Deeper than any arguments of a model; what is deeper is written as JSON, or is no JSON at all. */
const deepest = 64;

/** So few keys are put in order faster by hand. */
const fewKeys = 8;

/**
 * The same for the same tool and arguments, in whatever order these have their keys, and another for all others. It is
 * not JSON: every call of every answer needs one, nobody reads it, and lengths in front of texts need no escapes.
 */
export function callKey(tool: string, args: unknown): string {
  return `${tool.length} ${tool}${textOf(args, 0) ?? canonicalJson(args)}`;
}

/** Undefined for what is not plain JSON. */
function textOf(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return `"${value.length} ${value}`;
    case "number":
      return Number.isFinite(value) ? `${value}` : undefined;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === deepest) return undefined;
      return Array.isArray(value) ? textOfList(value, depth) : textOfObject(value, depth);
    default:
      return undefined;
  }
}

function textOfList(list: readonly unknown[], depth: number): string | undefined {
  let text = "[";
  for (const item of list) {
    const written = textOf(item, depth + 1);
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
    // JSON does not write it either.
    if (item === undefined) continue;
    const written = textOf(item, depth + 1);
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

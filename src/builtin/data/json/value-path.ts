import { parseJson } from "../../../base/index.ts";
import { quoteText } from "../../../text/index.ts";
import { dataFailure } from "../data-reasons.ts";
import { dataLimits } from "../data-limits.ts";
import { forbiddenKey } from "./read-data.ts";

/** A path inside a value: keys of objects and indexes of lists. */
export type ValuePath = readonly (string | number)[];

/** A path as callers write it: `items[0].url`, `/items/0/url`, or its parts as a list. */
export type WrittenPath = string | ValuePath;

/** One part of a written path: `.key`, `[0]` or `["any key"]`. */
const part = /\.?([^.[\]"']+)|\[(-?\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\[('(?:[^'\\]|\\.)*')\]/y;

/** Parses a path; the empty one is the whole value. */
export function parseValuePath(path: WrittenPath, parameter: string): ValuePath {
  const parts = typeof path === "string" ? partsOf(path, parameter) : path;
  if (parts.length > dataLimits.pathParts) {
    throw dataFailure("bad_path", `a path may have at most ${dataLimits.pathParts} parts`, { parameter });
  }
  if (parts.includes("__proto__")) throw forbiddenKey(parameter);
  return parts;
}

function partsOf(path: string, parameter: string): (string | number)[] {
  if (path.startsWith("/")) return pointerParts(path);
  const parts: (string | number)[] = [];
  let at = path.startsWith("$") ? 1 : 0;
  while (at < path.length && parts.length <= dataLimits.pathParts) {
    part.lastIndex = at;
    const found = part.exec(path);
    if (found === null || (at > 0 && found[1] !== undefined && !found[0].startsWith("."))) {
      // Syntax that only the operation query understands.
      const hint = /[*?]|\.\.|:/.test(path) ? ", or use the operation query for a JSONPath" : "";
      const message = `the path cannot be read from ${quoteText(path.slice(at), 40)} on; write items[0].url or /items/0/url${hint}`;
      throw dataFailure("bad_path", message, { parameter });
    }
    parts.push(readPart(found));
    at = part.lastIndex;
  }
  return parts;
}

function readPart([, key, index, quoted, single]: RegExpExecArray): string | number {
  if (key !== undefined) return key;
  if (index !== undefined) return Number(index);
  if (single !== undefined) return single.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
  return String(parseJson(quoted ?? '""', quoted?.slice(1, -1)));
}

/** Returns the parts of a JSON Pointer (RFC 6901). */
export function pointerParts(pointer: string): string[] {
  return pointer
    .split("/", dataLimits.pathParts + 2)
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns a box with the value at a path, or `undefined` if there is nothing. Own properties only. */
export function getAt(value: unknown, path: ValuePath): { readonly value: unknown } | undefined {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null) return undefined;
    const key = Array.isArray(at) ? indexIn(at, part) : String(part);
    if (key === undefined || !Object.hasOwn(at, key)) return undefined;
    // A list or an object with this own key.
    at = (at as Record<string | number, unknown>)[key];
  }
  return { value: at };
}

/** Returns the index that a part of a path means: -1 is the last item. */
export function indexIn(list: readonly unknown[], part: string | number): number | undefined {
  if (typeof part === "string" && !/^(?:0|[1-9]\d{0,8})$/.test(part)) return undefined;
  const index = Number(part);
  return index < 0 ? list.length + index : index;
}

import { isRecord } from "../../schema/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";

const deepest = 3;
const mostKeys = 12;
const longestKey = 40;

/**
 * What a JSON value is made of, in a few words: `{ results: 250 × { title: text, url: text }, provider: text }`. Lists are
 * told by their first item.
 */
export function describeShape(value: unknown, longest: number = 300): string {
  return cutText(shapeOf(value, 0), longest, { at: "word" }).text;
}

function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value))
    return value.length === 0 ? "empty list" : `${value.length} × ${shapeOf(value[0], depth + 1)}`;
  if (isRecord(value)) return objectShape(value, depth);
  if (value === null) return "null";
  return typeof value === "string"
    ? value.length > 1000
      ? `text of ${value.length} characters`
      : "text"
    : typeof value;
}

function objectShape(value: Readonly<Record<string, unknown>>, depth: number): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return "{}";
  if (depth >= deepest) return `{ ${keys.length} key${keys.length === 1 ? "" : "s"} }`;
  const shown = keys.slice(0, mostKeys).map((key) => `${shortKey(key)}: ${shapeOf(value[key], depth + 1)}`);
  const more = keys.length - shown.length;
  return `{ ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ")} }`;
}

function shortKey(key: string): string {
  const short = key.length > longestKey ? `${key.slice(0, longestKey).toWellFormed()}…` : key;
  return /^[\p{L}\p{N}_-]+$/u.test(short) ? short : JSON.stringify(short);
}

/** A path that a reader may try first: into the first list, else to the first key. */
export function samplePath(value: unknown): string {
  if (Array.isArray(value)) return "$[0:10]";
  if (!isRecord(value)) return "$";
  const keys = Object.keys(value);
  const list = keys.find((key) => Array.isArray(value[key]));
  const key = list ?? keys[0];
  if (key === undefined) return "$";
  // What is kept has clean keys.
  return `$${stepTo(stripUnsafe(key))}${list === undefined ? "" : "[0:10]"}`;
}

/** One step of a JSONPath to the member of this name. */
export function stepTo(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

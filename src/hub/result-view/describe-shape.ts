import { isRecord } from "../../schema/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";

const deepest = 3;
const mostKeys = 12;
const longestKey = 40;
const longestShape = 300;

/** What a reader is told of a JSON value that is too large to be seen whole. */
export interface ValueDescription {
  /**
   * What it is made of, in a few words: `{ results: 250 × { title: text, url: text }, provider: text }`. Lists are told
   * by their first item.
   */
  readonly shape: string;
  /** A path to try first: into the first list, else to the first key. */
  readonly path: string;
}

/** Describes a JSON value; a stranger's names in it are of bounded length and never hide anything. */
export function describeValue(value: unknown): ValueDescription {
  // Taken once: of very many keys that alone takes a while.
  const keys = isRecord(value) ? Object.keys(value) : [];
  const shape = isRecord(value) ? objectShape(value, keys, 0) : shapeOf(value, 0);
  return {
    shape: cutText(stripUnsafe(shape), longestShape, { at: "word" }).text,
    path: Array.isArray(value) ? "$[0:10]" : isRecord(value) ? pathInto(value, keys) : "$",
  };
}

function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value))
    return value.length === 0 ? "empty list" : `${value.length} × ${shapeOf(value[0], depth + 1)}`;
  if (isRecord(value)) return objectShape(value, Object.keys(value), depth);
  if (value === null) return "null";
  return typeof value === "string"
    ? value.length > 1000
      ? `text of ${value.length} characters`
      : "text"
    : typeof value;
}

function objectShape(value: Readonly<Record<string, unknown>>, keys: readonly string[], depth: number): string {
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

/** More keys are not looked at for a path to begin with. */
const mostTried = 200;

/** A key that is long, or that is kept otherwise since nobody would see all of it, is no part of a path to begin with. */
function pathInto(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  const plain = keys.slice(0, mostTried).filter(isPlainKey);
  const list = plain.find((key) => Array.isArray(value[key]));
  const key = list ?? plain[0];
  return key === undefined ? "$" : `$${stepTo(key)}${list === undefined ? "" : "[0:10]"}`;
}

function isPlainKey(key: string): boolean {
  return key.length <= longestKey && stripUnsafe(key) === key;
}

/** One step of a JSONPath to the member of this name. */
export function stepTo(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

import { isRecord } from "../../schema/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";

const maxDepth = 3;
const maxKeys = 12;
const maxKeyLength = 40;
const maxShapeLength = 300;

/** Description of a JSON value that is too large to show completely. */
export interface ValueDescription {
  /**
   * Short description of its structure: `{ results: 250 × { title: text, url: text }, provider: text }`. A list is
   * described by its first item.
   */
  readonly shape: string;
  /** A path to try first: into the first list, else to the first key. */
  readonly path: string;
}

/** Describes a JSON value; untrusted names in it are limited in length and stripped of invisible characters. */
export function describeValue(value: unknown): ValueDescription {
  // Taken once: of very many keys that alone takes a while.
  const keys = isRecord(value) ? Object.keys(value) : [];
  const shape = isRecord(value) ? objectShape(value, keys, 0) : shapeOf(value, 0);
  return {
    shape: cutText(stripUnsafe(shape), maxShapeLength, { at: "word" }).text,
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
  if (depth >= maxDepth) return `{ ${keys.length} key${keys.length === 1 ? "" : "s"} }`;
  const shown = keys.slice(0, maxKeys).map((key) => `${shortKey(key)}: ${shapeOf(value[key], depth + 1)}`);
  const more = keys.length - shown.length;
  return `{ ${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ")} }`;
}

function shortKey(key: string): string {
  const short = key.length > maxKeyLength ? `${key.slice(0, maxKeyLength).toWellFormed()}…` : key;
  return /^[\p{L}\p{N}_-]+$/u.test(short) ? short : JSON.stringify(short);
}

/** Maximum number of keys tried for the first path. */
const maxTried = 200;

/** A key that is long, or stored differently because of invisible characters, does not begin a suggested path. */
function pathInto(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  const plain = keys.slice(0, maxTried).filter((key) => key.length <= maxKeyLength && stripUnsafe(key) === key);
  const list = plain.find((key) => Array.isArray(value[key]));
  const key = list ?? plain[0];
  return key === undefined ? "$" : `$${jsonPathSegment(key)}${list === undefined ? "" : "[0:10]"}`;
}

/** One step of a JSONPath to the member of this name. */
export function jsonPathSegment(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

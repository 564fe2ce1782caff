import { plainJsonSize } from "../base/index.ts";
import { type CutText, findCutPoint } from "./cut-text.ts";

/** Replaces a value that does not fit; there is always room for this. */
const nothing = '"…"';

/**
 * Minimum number of characters for which an item of a list is worth including; less if that is a third of a small
 * limit, or all that the item needs.
 */
const minOfItem = 160;
/** The same for a member of an object; its key is informative already. */
const minOfMember = 24;

/**
 * A JSON value as JSON text of at most `maxChars` characters, three at least. A value that is too large is shortened
 * so that its shape stays visible: small values stay complete and large ones share the rest, long texts end with
 * `…`, and lists and objects end with the number of omitted items or keys. The text is always valid JSON; a value
 * that JSON cannot express becomes `null`, a circular one `"…"`. The time is linear in the size of the value.
 *
 * @example
 * ```ts
 * cutJson(["a", "b", "c", "d", "e", "f", "g"], 26); // { text: '["a","b","… 5 more items"]', cut: true }
 * ```
 */
export function cutJson(value: unknown, maxChars: number): CutText {
  if (!(maxChars >= nothing.length)) throw new RangeError(`no JSON fits into ${maxChars} characters`);
  const whole = smallJson(value, maxChars);
  if (whole !== undefined) return { text: whole, cut: false };
  const sizes = measureJson(maxChars);
  const text = write(value, Math.floor(maxChars), { sizes, open: new Set() });
  return { text, cut: sizes(value) > maxChars };
}

/** Most values are small and plain, and need no measuring. Returns their JSON if it is short enough. */
function smallJson(value: unknown, maxChars: number): string | undefined {
  const size = plainJsonSize(value, maxChars);
  if (size < 0 || size === Infinity) return undefined;
  const text = JSON.stringify(value);
  return text.length <= maxChars ? text : undefined;
}

interface Writing {
  readonly sizes: JsonMeasure;
  /** The lists and objects that the value is in. */
  readonly open: Set<object>;
}

/** Never longer than `room`, and complete if it fits. */
function write(value: unknown, room: number, writing: Writing): string {
  if (typeof value === "string") return writeText(value, room, writing);
  if (typeof value !== "object" || value === null) {
    const text = scalarJson(value);
    return text.length <= room ? text : nothing;
  }
  const { open } = writing;
  if (open.has(value) || open.size >= maxJsonDepth) return nothing;
  open.add(value);
  const text = Array.isArray(value) ? writeList(value, room, writing) : writeObject(value, room, writing);
  open.delete(value);
  return text;
}

/** The beginning of a text that is too long, with its total length if that fits. */
function writeText(text: string, room: number, { sizes }: Writing): string {
  if (sizes(text) <= room) return JSON.stringify(text);
  const reported = `… (${text.length} characters)`;
  const mark = room >= reported.length * 3 ? reported : "…";
  const end = findCutPoint(text, unitsIn(text, room - 2 - mark.length), { near: 80 });
  return JSON.stringify(text.slice(0, end).trimEnd() + mark);
}

/** Characters that JSON escapes: with six characters, unless there is a short form. */
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\b\t\n\f\r]|([\0-\x1f\p{Cs}])/gu;

/** Number of units at the start of a text that fit into this many characters when written as JSON. */
function unitsIn(text: string, room: number): number {
  const head = text.slice(0, Math.max(0, room));
  let left = room;
  let done = 0;
  for (const { 0: sign, 1: long, index } of head.matchAll(escaped)) {
    const cost = long === undefined ? 2 : 6;
    if (index - done + cost > left) return Math.min(index, done + left);
    left -= index - done + cost;
    done = index + sign.length;
  }
  return Math.min(head.length, done + left);
}

/** One item of a list, or one member of an object with its key. */
interface Part {
  readonly before: string;
  readonly value: unknown;
  readonly size: number;
}

/** A list or an object, as far as it may be included. */
interface Whole {
  readonly brackets: "[]" | "{}";
  readonly parts: readonly Part[];
  /** Total number of items. */
  readonly count: number;
  /** The minimum number of characters for a part that is worth including. */
  readonly min: number;
  /** The text that says how many are omitted. */
  readonly note: (left: number) => string;
}

/**
 * Minimum number of parts considered; more are considered only if they could fit: an item takes two characters, a
 * member five.
 */
const fewest = 200;

function writeList(list: readonly unknown[], room: number, writing: Writing): string {
  const parts = list
    .slice(0, Math.max(fewest, room / 2))
    .map((value): Part => ({ before: "", value, size: writing.sizes(value) }));
  const note = (left: number): string => `"… ${left} more item${left === 1 ? "" : "s"}"`;
  return writeWhole({ brackets: "[]", parts, count: list.length, min: minOfItem, note }, room, writing);
}

function writeObject(value: object, room: number, writing: Writing): string {
  const keys = Object.keys(value);
  const parts = keys.slice(0, Math.max(fewest, room / 5)).map((key): Part => {
    const item: unknown = Reflect.get(value, key);
    return { before: `${JSON.stringify(key)}:`, value: item, size: writing.sizes(item) };
  });
  let sign = "…";
  while (Object.hasOwn(value, sign)) sign += "…";
  const note = (left: number): string => `"${sign}":"${left} more key${left === 1 ? "" : "s"}"`;
  return writeWhole({ brackets: "{}", parts, count: keys.length, min: minOfMember, note }, room, writing);
}

function writeWhole(whole: Whole, room: number, writing: Writing): string {
  const { brackets, count, note } = whole;
  // Every part and the note need a comma; the first of them is counted as a bracket.
  const retained = partsFor(whole, room - 1);
  const last = retained.length === count ? [] : [note(count - retained.length)];
  const left =
    room - 1 - [...retained.map(({ before }) => before), ...last].reduce((sum, text) => sum + text.length + 1, 0);
  if (left < 0) return nothing;
  const rooms = shareRoom(retained, left);
  const texts = retained.map(({ before, value }, at) => before + write(value, rooms[at] ?? 0, writing));
  return brackets.slice(0, 1) + [...texts, ...last].join(",") + brackets.slice(1);
}

/** The parts that are included: all if they fit, else as many as get their minimum. */
function partsFor({ brackets, parts, count, min, note }: Whole, room: number): readonly Part[] {
  const worth = Math.max(nothing.length, Math.min(min, Math.floor(room / 3)));
  const needs = parts.map(({ before, size }) => before.length + Math.min(size, worth) + 1);
  if (parts.length === count && needs.reduce((sum, need) => sum + need, 0) <= room) return parts;
  const retained: Part[] = [];
  let left = room - note(count).length - 1;
  for (const [at, need] of needs.entries()) {
    const part = parts[at];
    // A list is included from its beginning; an object may omit a key that is too long.
    if (part === undefined || (need > left && brackets === "[]")) break;
    if (need > left) continue;
    left -= need;
    retained.push(part);
  }
  return retained;
}

/** The share of each part: the small ones get all that they need, the others equal shares of the rest. */
function shareRoom(parts: readonly Part[], room: number): number[] {
  const rooms: number[] = [];
  let left = room;
  const order = [...parts.entries()].toSorted(([, a], [, b]) => (a.size < b.size ? -1 : Number(a.size > b.size)));
  for (const [done, [at, { size }]] of order.entries()) {
    const share = Math.min(size, Math.floor(left / (order.length - done)));
    rooms[at] = share;
    left -= share;
  }
  return rooms;
}

/** Number of characters of a value as JSON text; `Infinity` above the limit, or for a circular value. */
type JsonMeasure = (value: unknown) => number;

/** Maximum depth; deeper values are not measured. */
const maxJsonDepth = 200;

/**
 * Measures values, each only once, and stops at the limit. A value that JSON cannot represent counts as `null`.
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
    if (depth > maxJsonDepth) return Infinity;
    // If it is seen again before it is measured, it is circular.
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
function scalarJson(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : "null";
}

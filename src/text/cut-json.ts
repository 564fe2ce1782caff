import { plainJsonSize } from "../base/index.ts";
import { type CutText, placeToCut } from "./cut-text.ts";
import { type JsonMeasure, deepestJson, measureJson, scalarJson } from "./measure-json.ts";

/** Stands for a value that has no room; there is always room for this. */
const nothing = '"…"';

/**
 * An item of a list is worth keeping where it gets so many characters, a third of the room where that is small, or all
 * that it needs.
 */
const leastOfItem = 160;
/** A member of an object likewise; its key says something already. */
const leastOfMember = 24;

/**
 * A JSON value as JSON text of at most `maxChars` characters, three at least. What is too large is shortened so that
 * its shape can still be seen: small values stay whole and large ones share the room, long texts end with `…`, and
 * lists and objects say at their end how many items or keys they leave out. The text is always valid JSON; what JSON
 * cannot write becomes `null`, what holds itself `"…"`. The time is linear in the size of the value.
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

/** Most values are small and plain, and need no measuring: their JSON, where it is that short. */
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

/** Never longer than the room, and whole where that is enough. */
function write(value: unknown, room: number, writing: Writing): string {
  if (typeof value === "string") return writeText(value, room, writing);
  if (typeof value !== "object" || value === null) {
    const text = scalarJson(value);
    return text.length <= room ? text : nothing;
  }
  const { open } = writing;
  if (open.has(value) || open.size >= deepestJson) return nothing;
  open.add(value);
  const text = Array.isArray(value) ? writeList(value, room, writing) : writeObject(value, room, writing);
  open.delete(value);
  return text;
}

/** The beginning of a text that is too long, and how long all of it is where there is room to say so. */
function writeText(text: string, room: number, { sizes }: Writing): string {
  if (sizes(text) <= room) return JSON.stringify(text);
  const told = `… (${text.length} characters)`;
  const mark = room >= told.length * 3 ? told : "…";
  const end = placeToCut(text, unitsIn(text, room - 2 - mark.length), { near: 80 });
  return JSON.stringify(text.slice(0, end).trimEnd() + mark);
}

/** What JSON writes as an escape: of six characters, unless there is a short one. */
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\b\t\n\f\r]|([\0-\x1f\p{Cs}])/gu;

/** How many units of a text, from its beginning, fit into so much room when they are written as JSON. */
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

/** A list or an object, as far as it can be of use. */
interface Whole {
  readonly brackets: "[]" | "{}";
  readonly parts: readonly Part[];
  /** How many there are in all. */
  readonly count: number;
  /** The least room for a part that is worth keeping. */
  readonly least: number;
  /** Says that so many are left out. */
  readonly note: (left: number) => string;
}

/** More are looked at only where there could be room for them: an item takes two characters, a member five. */
const fewest = 200;

function writeList(list: readonly unknown[], room: number, writing: Writing): string {
  const parts = list
    .slice(0, Math.max(fewest, room / 2))
    .map((value): Part => ({ before: "", value, size: writing.sizes(value) }));
  const note = (left: number): string => `"… ${left} more item${left === 1 ? "" : "s"}"`;
  return writeWhole({ brackets: "[]", parts, count: list.length, least: leastOfItem, note }, room, writing);
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
  return writeWhole({ brackets: "{}", parts, count: keys.length, least: leastOfMember, note }, room, writing);
}

function writeWhole(whole: Whole, room: number, writing: Writing): string {
  const { brackets, count, note } = whole;
  // Every part and the note take a comma; the first of them stands for a bracket.
  const kept = partsFor(whole, room - 1);
  const last = kept.length === count ? [] : [note(count - kept.length)];
  const left =
    room - 1 - [...kept.map(({ before }) => before), ...last].reduce((sum, text) => sum + text.length + 1, 0);
  if (left < 0) return nothing;
  const rooms = shareRoom(kept, left);
  const texts = kept.map(({ before, value }, at) => before + write(value, rooms[at] ?? 0, writing));
  return brackets.slice(0, 1) + [...texts, ...last].join(",") + brackets.slice(1);
}

/** Those that are kept: all where they fit, else as many as get the least that is worth it. */
function partsFor({ brackets, parts, count, least, note }: Whole, room: number): readonly Part[] {
  const worth = Math.max(nothing.length, Math.min(least, Math.floor(room / 3)));
  const needs = parts.map(({ before, size }) => before.length + Math.min(size, worth) + 1);
  if (parts.length === count && needs.reduce((sum, need) => sum + need, 0) <= room) return parts;
  const kept: Part[] = [];
  let left = room - note(count).length - 1;
  for (const [at, need] of needs.entries()) {
    const part = parts[at];
    // A list is kept from its beginning; of an object a key that is too long can be missing.
    if (part === undefined || (need > left && brackets === "[]")) break;
    if (need > left) continue;
    left -= need;
    kept.push(part);
  }
  return kept;
}

/** What each gets: the small ones all that they need, the others equal shares of the rest. */
function shareRoom(parts: readonly Part[], room: number): number[] {
  const rooms: number[] = [];
  let left = room;
  const order = [...parts.entries()].toSorted(([, a], [, b]) => (a.size < b.size ? -1 : Number(a.size > b.size)));
  for (const [done, [at, { size }]] of order.entries()) {
    const given = Math.min(size, Math.floor(left / (order.length - done)));
    rooms[at] = given;
    left -= given;
  }
  return rooms;
}

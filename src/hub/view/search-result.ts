import { isRecord } from "../../schema/index.ts";
import { cutText } from "../../text/index.ts";
import { stepTo } from "./describe-shape.ts";
import type { ResultPart } from "./read-part.ts";

/** Which matches are wanted. */
interface Room {
  /** So many are left out. */
  readonly offset?: number | undefined;
  /** Characters at most. */
  readonly limit: number;
}

/** Of the text around a match. */
const before = 60;
const around = 200;

/** The lines that hold all of these words, whatever their case, each with its number. */
export function searchLines(text: string, words: string, room: Room): ResultPart {
  const placeIn = matcher(words);
  const matches = new Matches(room);
  for (const [at, line] of text.split("\n").entries()) {
    const place = placeIn(line);
    if (place >= 0) matches.add(() => `${at + 1}: ${excerpt(line, place)}`);
  }
  return matches.part("text");
}

/** A value and how it was reached; its path is written only where it is told. */
interface Node {
  readonly value: unknown;
  readonly step: string | number;
  readonly parent: Node | undefined;
}

/** Where in a JSON value these words are: paths and the texts there. A key counts as a text too. */
export function searchJson(value: unknown, words: string, room: Room): ResultPart {
  const placeIn = matcher(words);
  const matches = new Matches(room);
  // A list of what is still to be looked at, rather than a function that calls itself: values nest as they like.
  const open: Node[] = [{ value, step: "$", parent: undefined }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const found = node;
    const text = scalarText(found.value);
    const place = text === undefined ? -1 : placeIn(text);
    const isNamed = typeof found.step === "string" && found.parent !== undefined && placeIn(found.step) >= 0;
    if (place >= 0 || isNamed) {
      matches.add(() => `${pathOf(found)}: ${text === undefined ? "…" : excerpt(text, Math.max(0, place))}`);
    }
    for (const child of childrenOf(found)) open.push(child);
  }
  return matches.part("json");
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "object" ? undefined : JSON.stringify(value);
}

/** Last first, since the last that is put on the list is looked at next. */
function childrenOf(parent: Node): Node[] {
  const { value } = parent;
  if (Array.isArray(value)) return value.map((item: unknown, step) => ({ value: item, step, parent })).toReversed();
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .map(([step, item]) => ({ value: item, step, parent }))
    .toReversed();
}

function pathOf(node: Node): string {
  const steps: string[] = [];
  for (let at: Node | undefined = node; at?.parent !== undefined; at = at.parent) {
    steps.unshift(typeof at.step === "number" ? `[${at.step}]` : stepTo(at.step));
  }
  return `$${steps.join("")}`;
}

/** Where the first of the words is, where all of them are; -1 where they are not. */
function matcher(words: string): (text: string) => number {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (text) => {
    const plain = text.toLowerCase();
    return wanted.length > 0 && wanted.every((word) => plain.includes(word)) ? plain.indexOf(wanted[0] ?? "") : -1;
  };
}

function excerpt(text: string, place: number): string {
  const start = Math.max(0, place - before);
  const part = text
    .slice(start, start + 2 * around)
    .toWellFormed()
    .replaceAll(/\s+/g, " ");
  return (start > 0 ? "…" : "") + cutText(part, around, { at: "word" }).text;
}

/** Counts all matches and writes those that are wanted and fit. */
class Matches {
  readonly #offset: number;
  readonly #shown: string[] = [];
  #left: number;
  #count = 0;
  #isFull = false;

  constructor({ offset = 0, limit }: Room) {
    this.#offset = offset;
    this.#left = limit;
  }

  add(write: () => string): void {
    if (this.#count++ < this.#offset || this.#isFull) return;
    const line = write();
    this.#isFull = this.#shown.length > 0 && line.length + 1 > this.#left;
    if (this.#isFull) return;
    this.#shown.push(line);
    this.#left -= line.length + 1;
  }

  part(kind: ResultPart["kind"]): ResultPart {
    const next = this.#offset + this.#shown.length;
    return {
      kind,
      content: this.#shown.join("\n"),
      total: this.#count,
      ...(next < this.#count && { next_offset: next }),
      ...(this.#count === 0 && { note: "nothing matches; fewer words find more" }),
    };
  }
}

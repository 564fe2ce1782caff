import { EventLoopYielder } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { cutText } from "../../text/index.ts";
import { jsonPathSegment } from "./describe-shape.ts";
import type { ResultPart } from "./read-part.ts";

/** Selects the matches to return. */
interface MatchLimits {
  /** Number of matches to skip. */
  readonly offset?: number | undefined;
  /** Characters at most. */
  readonly limit: number;
}

/**
 * Finds these words in a result, ignoring case: in a text by the lines that contain all of them, in JSON by paths, and
 * in long texts by an offset. Yields to the event loop, so that a large result does not block it.
 */
export async function searchResult(value: unknown, words: string, room: MatchLimits): Promise<ResultPart> {
  const matches = new Matches(room);
  const search = findExcerpts(words);
  const yielder = new EventLoopYielder();
  const found = typeof value === "string" ? linesOf(value) : nodesOf(value);
  for (const each of found) {
    each.match(search, matches);
    const turn = yielder.yieldIfDue();
    if (turn !== undefined) await turn;
  }
  return matches.part(typeof value === "string" ? "text" : "json");
}

/** A text to search, and the notation of its positions. */
interface Searched {
  match(search: (text: string) => Iterable<Excerpt>, matches: Matches): void;
}

function* linesOf(text: string): Generator<Searched, void, undefined> {
  let number = 0;
  for (let start = 0; start <= text.length;) {
    const end = text.indexOf("\n", start);
    const [from, line] = [start, text.slice(start, end === -1 ? undefined : end)];
    number++;
    const name = String(number);
    yield {
      match: (search, matches) => {
        for (const { excerpt, offset } of search(line)) {
          matches.add(() => `${name}${offset === undefined ? "" : `, offset ${from + offset}`}: ${excerpt()}`);
        }
      },
    };
    start = end === -1 ? text.length + 1 : end + 1;
  }
}

/** A value and how it was reached; its path is built only if it is reported. */
interface Node {
  readonly value: unknown;
  readonly step: string | number;
  readonly parent: Node | undefined;
}

/** A key counts as a text too. */
function* nodesOf(value: unknown): Generator<Searched, void, undefined> {
  // An explicit stack instead of recursion: values may be nested deeply.
  const open: Iterator<Node, void>[] = [[{ value, step: "$", parent: undefined }].values()];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const { done, value: node } = at.next();
    if (done === true) {
      open.pop();
      continue;
    }
    yield { match: (search, matches) => matchNode(node, search, matches) };
    if (typeof node.value === "object" && node.value !== null) open.push(childrenOf(node));
  }
}

function matchNode(node: Node, search: (text: string) => Iterable<Excerpt>, matches: Matches): void {
  const text = scalarText(node.value);
  let isFound = false;
  for (const { excerpt, offset } of text === undefined ? [] : search(text)) {
    isFound = true;
    matches.add(() => `${pathOf(node)}${offset === undefined ? "" : `, offset ${offset}`}: ${excerpt()}`);
  }
  if (isFound || typeof node.step !== "string" || node.parent === undefined) return;
  const [named] = search(node.step);
  if (named !== undefined) matches.add(() => `${pathOf(node)}: ${text === undefined ? "…" : beginningOf(text)}`);
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "object" ? undefined : JSON.stringify(value);
}

function beginningOf(text: string): string {
  return cutText(text.slice(0, 400).toWellFormed().replaceAll(/\s+/g, " "), 200, { at: "word" }).text;
}

function* childrenOf(parent: Node): Generator<Node, void, undefined> {
  const { value } = parent;
  if (Array.isArray(value)) {
    for (const [step, item] of value.entries()) yield { value: item as unknown, step, parent };
  } else if (isRecord(value)) {
    for (const step of Object.keys(value)) yield { value: value[step], step, parent };
  }
}

/** A longer path is of no use: it is cut, and ends with `…`. */
const maxPathLength = 300;

function pathOf(node: Node): string {
  const steps: string[] = [];
  for (let at: Node | undefined = node; at?.parent !== undefined; at = at.parent) {
    steps.push(typeof at.step === "number" ? `[${at.step}]` : jsonPathSegment(at.step));
  }
  let path = "$";
  for (const step of steps.toReversed()) {
    if (path.length + step.length > maxPathLength) return `${path}…`;
    path += step;
  }
  return path;
}

/** Counts all matches and writes the selected ones that fit. */
class Matches {
  readonly #offset: number;
  readonly #shown: string[] = [];
  readonly #limit: number;
  #left: number;
  #count = 0;
  #isFull = false;

  constructor({ offset = 0, limit }: MatchLimits) {
    this.#offset = offset;
    this.#limit = limit;
    this.#left = limit;
  }

  add(write: () => string): void {
    if (this.#count++ < this.#offset || this.#isFull) return;
    const line = cutText(write(), this.#limit, { at: "character" }).text;
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
      ...(this.#count === 0 && { note: "nothing matches; try fewer words" }),
    };
  }
}

/** A match of words in a text. */
interface Excerpt {
  /** The text around the match, on one line. */
  readonly excerpt: () => string;
  /** Offset of the match, in a text that is too long to be shown at once. */
  readonly offset: number | undefined;
}

/** Characters before a match, and of the whole excerpt. */
const before = 60;
const around = 200;

/**
 * Finds words in texts, ignoring case: a text that contains all of them is one match; a long one has a match for each
 * occurrence of the longest word, where those that one excerpt shows together count once.
 */
function findExcerpts(words: string): (text: string) => Generator<Excerpt, void, undefined> {
  const selector = foldCase(words)
    .split(/\s+/)
    .filter((word) => word !== "");
  const [first = ""] = selector;
  const maxLength = selector.reduce((limit, word) => (word.length > limit.length ? word : limit), "");
  return function* (text) {
    const plain = foldCase(text);
    if (selector.length === 0 || !selector.every((word) => plain.includes(word))) return;
    if (text.length <= 2 * around) {
      yield { excerpt: () => excerptOf(text, plain.indexOf(first)), offset: undefined };
      return;
    }
    for (let at = plain.indexOf(maxLength); at !== -1; at = plain.indexOf(maxLength, at + around - before)) {
      const offset = at;
      yield { excerpt: () => excerptOf(text, offset), offset };
    }
  };
}

/** Converts to lower case without moving any offset: a letter that would get longer stays unchanged. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const small = character.toLowerCase();
    return small.length === character.length ? small : character;
  }).join("");
}

function excerptOf(text: string, excerpt: number): string {
  const start = Math.max(0, excerpt - before);
  const part = text
    .slice(start, start + 2 * around)
    .toWellFormed()
    .replaceAll(/\s+/g, " ");
  return (start > 0 ? "…" : "") + cutText(part, around, { at: "word" }).text;
}

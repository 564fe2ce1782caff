import { isRecord } from "../../schema/index.ts";
import { cutText } from "../../text/index.ts";
import { breathing } from "./breathing.ts";
import { stepTo } from "./describe-shape.ts";
import { type Place, placesIn } from "./places-in.ts";
import type { ResultPart } from "./read-part.ts";

/** Which matches are wanted. */
interface Room {
  /** So many are left out. */
  readonly offset?: number | undefined;
  /** Characters at most. */
  readonly limit: number;
}

/**
 * Where in a result these words are, whatever their case: in a text by the lines that hold all of them, in JSON by paths,
 * and in what is too long to be seen at once by an offset. However large it is, others have their turn meanwhile.
 */
export async function searchResult(value: unknown, words: string, room: Room): Promise<ResultPart> {
  const matches = new Matches(room);
  const search = placesIn(words);
  const pause = breathing();
  const found = typeof value === "string" ? linesOf(value) : nodesOf(value);
  for (const each of found) {
    each.match(search, matches);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return matches.part(typeof value === "string" ? "text" : "json");
}

/** A text that words are looked for in, and how its places are told. */
interface Searched {
  match(search: (text: string) => Iterable<Place>, matches: Matches): void;
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

/** A value and how it was reached; its path is written only where it is told. */
interface Node {
  readonly value: unknown;
  readonly step: string | number;
  readonly parent: Node | undefined;
}

/** A key counts as a text too. */
function* nodesOf(value: unknown): Generator<Searched, void, undefined> {
  // A list of what is still to be looked at, rather than a function that calls itself: values nest as they like.
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

function matchNode(node: Node, search: (text: string) => Iterable<Place>, matches: Matches): void {
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

/** A longer path helps nobody: it is told as far as it goes, and `…` says that it goes on. */
const longestPath = 300;

function pathOf(node: Node): string {
  const steps: string[] = [];
  for (let at: Node | undefined = node; at?.parent !== undefined; at = at.parent) {
    steps.push(typeof at.step === "number" ? `[${at.step}]` : stepTo(at.step));
  }
  let path = "$";
  for (const step of steps.toReversed()) {
    if (path.length + step.length > longestPath) return `${path}…`;
    path += step;
  }
  return path;
}

/** Counts all matches and writes those that are wanted and fit. */
class Matches {
  readonly #offset: number;
  readonly #shown: string[] = [];
  readonly #limit: number;
  #left: number;
  #count = 0;
  #isFull = false;

  constructor({ offset = 0, limit }: Room) {
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
      ...(this.#count === 0 && { note: "nothing matches; fewer words find more" }),
    };
  }
}

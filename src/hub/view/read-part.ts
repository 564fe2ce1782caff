import { type Select, compileSelect, isExpressionError, missing } from "../../expr/index.ts";
import { cutJson, cutText, placeToCut, quoteText } from "../../text/index.ts";
import { searchJson, searchLines } from "./search-result.ts";
import { refuseResult } from "./shelf-reasons.ts";

/** Which part of a result is wanted. */
export interface WantedPart {
  /** A JSONPath into the output. */
  readonly path?: string | undefined;
  /** `10-20`: lines of a text, counted from 1. */
  readonly lines?: string | undefined;
  /** Words to look for, instead of reading. */
  readonly search?: string | undefined;
  /** The first character of a text, or the first item of a list. */
  readonly offset?: number | undefined;
  /** So many characters at most. */
  readonly limit: number;
}

/** A part of a result. */
export interface ResultPart {
  readonly kind: "text" | "json";
  /** Text as it is, or JSON as text. */
  readonly content: string;
  /** Characters of the text, items of the list, or matches, in all. */
  readonly total?: number;
  /** Where to go on. */
  readonly next_offset?: number;
  readonly note?: string;
}

/** Reads a part of an output. Throws where there is no such part. */
export function readPart(output: unknown, wanted: WantedPart): ResultPart {
  const value = wanted.path === undefined ? output : selected(output, wanted.path);
  if (wanted.search !== undefined) {
    return typeof value === "string"
      ? searchLines(value, wanted.search, wanted)
      : searchJson(value, wanted.search, wanted);
  }
  if (typeof value === "string") return wanted.lines === undefined ? readText(value, wanted) : readLines(value, wanted);
  if (wanted.lines !== undefined) {
    throw refuseResult("bad_lines", "this is JSON, not text: leave out lines and pass a path", { parameter: "lines" });
  }
  return Array.isArray(value) ? readItems(value, wanted) : readWhole(value, wanted);
}

/** Larger texts are not read as JSON on the way. */
const longestJson = 16 * 2 ** 20;

function selected(output: unknown, path: string): unknown {
  const { singular, select } = compiled(path);
  const document = typeof output === "string" ? parsed(output) : output;
  const found = explained(() => select(document));
  if (found === missing || (!singular && Array.isArray(found) && found.length === 0)) {
    const message = `nothing is at ${quoteText(path)}; read without a path to see what there is`;
    throw refuseResult("nothing_there", message, { parameter: "path" });
  }
  return found;
}

function compiled(path: string): Select {
  return explained(() => compileSelect(path));
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    throw refuseResult("bad_path", error.message, { parameter: "path", cause: error });
  }
}

/** Tools often give JSON as text. */
function parsed(text: string): unknown {
  try {
    if (text.length <= longestJson && /^\s*[[{]/.test(text)) return JSON.parse(text) as unknown;
  } catch {
    // No JSON after all.
  }
  throw refuseResult("not_json", "the result is text; use offset, lines or search instead of a path", {
    parameter: "path",
  });
}

function readText(text: string, { offset = 0, limit }: WantedPart): ResultPart {
  if (offset > text.length) throw beyond(`offset ${offset}`, `the text has ${text.length} characters`);
  // An offset that a reader made up may be inside of a character.
  const rest = text.slice(offset, offset + limit + 64).replace(/^[\udc00-\udfff]/, "\ufffd");
  const isLast = offset + limit >= text.length;
  const end = isLast ? rest.length : Math.max(1, placeToCut(rest, limit, { at: "line" }));
  const content = rest.slice(0, end);
  return { kind: "text", content, total: text.length, ...(!isLast && { next_offset: offset + end }) };
}

function readLines(text: string, { lines = "", limit }: WantedPart): ResultPart {
  const [, first = "", last = first] = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(lines) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === "" || from < 1 || to < from) {
    throw refuseResult("bad_lines", 'lines are written as "10-20", counted from 1', { parameter: "lines" });
  }
  const all = text.split("\n");
  if (from > all.length) throw beyond(`line ${from}`, `the text has ${all.length} lines`);
  const { text: content, cut } = cutText(all.slice(from - 1, to).join("\n"), limit, { at: "line", ending: "" });
  const read = content.split("\n").length;
  const note = cut ? `cut after line ${from + read - 1}; go on with lines "${from + read}-${to}"` : undefined;
  return { kind: "text", content, total: all.length, ...(note !== undefined && { note }) };
}

/** As many whole items as fit; one that is larger than all the room is shortened. */
function readItems(list: readonly unknown[], { offset = 0, limit }: WantedPart): ResultPart {
  if (offset > 0 && offset >= list.length) throw beyond(`offset ${offset}`, `the list has ${list.length} items`);
  const texts: string[] = [];
  let left = limit - 2;
  let shortened = false;
  for (let at = offset; at < list.length; at++) {
    const { text, cut } = cutJson(list[at], Math.max(3, limit - 2));
    if (texts.length > 0 && (cut || text.length + 1 > left)) break;
    texts.push(text);
    left -= text.length + 1;
    shortened ||= cut;
  }
  const next = offset + texts.length;
  return {
    kind: "json",
    content: `[${texts.join(",")}]`,
    total: list.length,
    ...(next < list.length && { next_offset: next }),
    ...(shortened && { note: `item ${offset} is larger than the limit and shortened; pass a path into it` }),
  };
}

function readWhole(value: unknown, { offset = 0, limit }: WantedPart): ResultPart {
  if (offset > 0) throw beyond(`offset ${offset}`, "this is no text and no list: pass a path into it");
  const { text, cut } = cutJson(value ?? null, Math.max(3, limit));
  return { kind: "json", content: text, ...(cut && { note: "shortened; pass a path into it to see all" }) };
}

function beyond(what: string, why: string) {
  return refuseResult("nothing_there", `there is no ${what}: ${why}`, { parameter: "offset" });
}

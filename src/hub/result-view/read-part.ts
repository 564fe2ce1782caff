import { parseJson } from "../../base/index.ts";
import { compileSelect, isExpressionError, missing } from "../../expr/index.ts";
import { cutJson, findCutPoint, quoteText } from "../../text/index.ts";
import { searchResult } from "./search-result.ts";
import { resultStoreFailure } from "../hub-reasons.ts";

/** Selects a part of a result. */
export interface PartSelector {
  /** A JSONPath into the output. */
  readonly path?: string | undefined;
  /** `10-20`: lines of a text, counted from 1. */
  readonly lines?: string | undefined;
  /** Words to search for, instead of reading. */
  readonly search?: string | undefined;
  /** The first character of a text, or the first item of a list. */
  readonly offset?: number | undefined;
  /** Maximum number of characters. */
  readonly limit: number;
}

/** A part of a result. */
export interface ResultPart {
  readonly kind: "text" | "json";
  /** Text as it is, or JSON as text. */
  readonly content: string;
  /** Characters of the text, items of the list, or matches, in all. */
  readonly total?: number;
  /** Offset to continue from. */
  readonly next_offset?: number;
  readonly note?: string;
}

/** Reads a part of an output. Throws if there is no such part. */
export async function readPart(output: unknown, selector: PartSelector): Promise<ResultPart> {
  const value = selector.path === undefined ? output : selected(output, selector.path);
  if (selector.search !== undefined) return toFoundPart(await searchResult(value, selector.search, selector), selector);
  if (typeof value === "string")
    return selector.lines === undefined ? readText(value, selector) : readLines(value, selector);
  if (selector.lines !== undefined) {
    throw resultStoreFailure("bad_lines", "this is JSON, not text: leave out lines and pass a path", {
      parameter: "lines",
    });
  }
  return Array.isArray(value) ? readItems(value, selector) : readWhole(value, selector);
}

function toFoundPart(part: ResultPart, { offset = 0 }: PartSelector): ResultPart {
  const { total = 0 } = part;
  if (offset === 0 || offset < total) return part;
  throw beyond(`match ${offset}`, `there are ${total}`);
}

/** Larger texts are not read as JSON on the way. */
const maxJsonLength = 16 * 2 ** 20;

function selected(output: unknown, path: string): unknown {
  const { singular, select } = explained(() => compileSelect(path));
  const document = typeof output === "string" ? parsed(output) : output;
  const there = explained(() => select(document));
  if (there === missing || (!singular && Array.isArray(there) && there.length === 0)) {
    const message = `there is nothing at ${quoteText(path)}; read without a path to see the structure`;
    throw resultStoreFailure("out_of_bounds", message, { parameter: "path" });
  }
  return there;
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    throw resultStoreFailure("bad_path", error.message, { parameter: "path", cause: error });
  }
}

/** Tools often return JSON as text. */
function parsed(text: string): unknown {
  const value = text.length <= maxJsonLength && /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (value !== undefined) return value;
  throw resultStoreFailure("not_json", "the result is text; use offset, lines or search instead of a path", {
    parameter: "path",
  });
}

function readText(text: string, { offset = 0, limit }: PartSelector): ResultPart {
  if (offset > text.length) throw beyond(`offset ${offset}`, `the text has ${text.length} characters`);
  const end = endOf(text, { from: wholeStart(text, offset), to: text.length, limit });
  const content = text.slice(wholeStart(text, offset), end);
  return { kind: "text", content, total: text.length, ...(end < text.length && { next_offset: end }) };
}

/** An offset chosen by the reader may be inside of a character. */
function wholeStart(text: string, offset: number): number {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(0, offset - 1), offset + 1));
  return isInside ? offset - 1 : offset;
}

/** End of a part of a text: the end of the text if it fits, else the best cut point before. */
function endOf(
  text: string,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
) {
  if (to - from <= limit) return to;
  return from + Math.max(1, findCutPoint(text.slice(from, Math.min(to, from + limit + 64)), limit, { at: "line" }));
}

function readLines(text: string, { lines = "", limit }: PartSelector): ResultPart {
  const [, first = "", last = first] = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(lines) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === "" || from < 1 || to < from) {
    throw resultStoreFailure("bad_lines", 'lines are written as "10-20", counted from 1', { parameter: "lines" });
  }
  const all = text.split("\n");
  if (from > all.length) throw beyond(`line ${from}`, `the text has ${all.length} lines`);
  const start = lengthOf(all.slice(0, from - 1));
  const whole = Math.min(text.length, start + lengthOf(all.slice(from - 1, to)) - 1);
  const end = endOf(text, { from: start, to: whole, limit });
  const content = text.slice(start, end);
  return { kind: "text", content, total: all.length, ...(end < whole && cutAt(text, { content, end, from, to })) };
}

/** Length of lines, including their line ends. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The position to continue from: the next line, or, if a line is longer than the limit, an offset within it. */
function cutAt(
  text: string,
  part: { readonly content: string; readonly end: number; readonly from: number; readonly to: number },
): Pick<ResultPart, "note" | "next_offset"> {
  const { content, end, from, to } = part;
  const line = from + content.split("\n").length - 1;
  if (text[end] === "\n") {
    return { next_offset: end + 1, note: `cut after line ${line}; continue with lines "${line + 1}-${to}"` };
  }
  return { next_offset: end, note: `cut within line ${line}; continue with offset ${end}, without lines` };
}

/** As many whole items as fit; a single item that is too large is shortened. */
function readItems(list: readonly unknown[], { offset = 0, limit }: PartSelector): ResultPart {
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

function readWhole(value: unknown, { offset = 0, limit }: PartSelector): ResultPart {
  if (offset > 0) throw beyond(`offset ${offset}`, "this is neither a text nor a list: pass a path into it");
  const { text, cut } = cutJson(value ?? null, Math.max(3, limit));
  return { kind: "json", content: text, ...(cut && { note: "shortened; pass a path into it to see all" }) };
}

function beyond(part: string, why: string) {
  return resultStoreFailure("out_of_bounds", `there is no ${part}: ${why}`, { parameter: "offset" });
}

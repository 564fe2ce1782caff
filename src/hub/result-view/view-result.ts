import { EventLoopYielder, plainJsonSize } from "../../base/index.ts";
import { cutJson, cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { cleanJson, cleanText, type ResultOwner, type ResultStore } from "./result-store.ts";
import { describeValue } from "./describe-shape.ts";
import { readResultName } from "./read-result-tool.ts";

/** The view of an output for a reader. */
export interface ResultView {
  readonly text: string;
  /** The text is not all of it. */
  readonly isCut: boolean;
  /** Handle of the stored result, if it is stored. */
  readonly handle?: string;
}

/** Options of {@link viewResult}. */
export interface ViewResultOptions {
  /** Maximum number of characters, at least a few hundred. */
  readonly maxChars: number;
  /** Stores results that are too large, and redacts secrets. Without it the rest is lost. */
  readonly resultStore?: ResultStore | undefined;
  /** Owner of the result: the caller. */
  readonly owner?: ResultOwner | undefined;
}

/**
 * Formats an output for a model or a client: completely if it fits, else its beginning, a description of its structure,
 * and how to read the rest, which goes to the result store. The view has no invisible characters, no JSON value is cut
 * in two, and secrets are redacted in both.
 *
 * @example
 * ```ts
 * const { text } = await viewResult(result, { maxChars: 4000, resultStore, owner: { conversationId: "c-1" } });
 * ```
 *
 * @see docs/guide/hub.md
 */
export async function viewResult(result: ToolSuccess, options: ViewResultOptions): Promise<ResultView> {
  const { maxChars, resultStore, owner = {} } = options;
  // Each step takes a while if there are very many keys, so the event loop gets its turn in between.
  const yielder = new EventLoopYielder();
  const safe = (await resultStore?.redact(result)) ?? result;
  await yielder.yieldIfDue();
  const whole = wholeText(safe.output, maxChars);
  if (whole !== undefined) return { text: whole, isCut: false };
  await yielder.yieldIfDue();
  const handle = await storeResult(safe, resultStore, owner);
  await yielder.yieldIfDue();
  return partView(safe, maxChars, handle);
}

/**
 * Formats a result whose handle, if any, is already known. It has to be the stored result, as {@link
 * ResultStore.redact} returns it.
 */
export function viewText(result: ToolSuccess, maxChars: number, handle: string | undefined): ResultView {
  const whole = wholeText(result.output, maxChars);
  return whole === undefined ? partView(result, maxChars, handle) : { text: whole, isCut: false };
}

/** Stores a result that is too large to be shown whole, and returns its handle; undefined if it need not be stored. */
export async function storeLargeResult(
  result: ToolSuccess,
  { maxChars, resultStore, owner = {} }: ViewResultOptions,
): Promise<string | undefined> {
  return wholeText(result.output, maxChars) === undefined ? storeResult(result, resultStore, owner) : undefined;
}

function partView({ output }: ToolSuccess, maxChars: number, handle: string | undefined): ResultView {
  const text =
    typeof output === "string" ? textView(stripUnsafe(output), handle, maxChars) : jsonView(output, handle, maxChars);
  return { text, isCut: true, ...(handle !== undefined && { handle }) };
}

function storeResult(
  result: ToolSuccess,
  resultStore: ResultStore | undefined,
  owner: ResultOwner,
): Promise<string | undefined> {
  // The output of `read_result` is a part of a result that is already stored.
  if (resultStore === undefined || result.tool === readResultName) return Promise.resolve(undefined);
  return resultStore.put(result, owner);
}

/** The whole output as text, if it is within the limit. */
function wholeText(output: unknown, limit: number): string | undefined {
  if (typeof output === "string") {
    const text = stripUnsafe(output);
    return text.length <= limit ? text : undefined;
  }
  // Most large outputs are detected before they are serialized; the estimate is at most 2.5 times too high.
  const size = plainJsonSize(output, 3 * limit);
  if (size === Infinity) return undefined;
  if (size < 0) return cutJson(output ?? null, Math.max(3, limit)).cut ? undefined : (cleanJson(output) ?? "null");
  const text = JSON.stringify(output);
  return text.length > Math.max(3, limit) ? undefined : cleanText(text, output);
}

function textView(text: string, handle: string | undefined, maxChars: number): string {
  const lines = text.split("\n").length;
  const size = `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
  const noteOf = (shown: number): string => {
    const rest = `${readOn({ handle, offset: shown })} lines ("1-50") and search ("words") read other parts`;
    return `[the first ${shown} of ${size}. ${handle === undefined ? lost : rest}]`;
  };
  // No note is longer than the one of the largest number.
  const room = Math.max(0, maxChars - noteOf(text.length).length - 1);
  const head = cutText(text, room, { at: "line", ending: "" }).text;
  return withNote(head, noteOf(head.length), maxChars);
}

/** Sizes above this are not measured exactly. */
const maxMeasured = 1_000_000;

function jsonView(value: unknown, handle: string | undefined, maxChars: number): string {
  const size = plainJsonSize(value, maxMeasured);
  const much = size < 0 ? "much JSON" : `${sizeText(size)} characters of JSON`;
  const { shape, path } = describeValue(value);
  const rest = `${readOn({ handle, path })} search ("words") finds where something is`;
  const note = `[a view of ${much}: ${shape}. ${handle === undefined ? lost : rest}]`;
  return withNote(cleanView(value, maxChars - note.length - 1), note, maxChars);
}

function sizeText(size: number): string {
  return size === Infinity ? `more than ${maxMeasured}` : `about ${size}`;
}

/** The beginning of a value, if there is room for any. The shortened value is small, and cleaned once more. */
function cleanView(value: unknown, limit: number): string {
  return limit < 3 ? "" : (cleanJson(JSON.parse(cutJson(value, limit).text)) ?? "null");
}

const lost = "The rest is not stored; request less from the tool, or a part";

function readOn({ handle, ...part }: { readonly handle: string | undefined; readonly [key: string]: unknown }): string {
  return `All of it is stored; read on with ${readResultName} ${JSON.stringify({ handle, ...part })};`;
}

/** Never exceeds the limit, even with untrusted content; if there is too little room, the note is cut. */
function withNote(head: string, note: string, limit: number): string {
  const text = head === "" ? note : `${head}\n${note}`;
  return text.length <= limit ? text : cutText(text, limit, { at: "word" }).text;
}

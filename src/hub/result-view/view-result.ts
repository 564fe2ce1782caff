import { plainJsonSize } from "../../base/index.ts";
import { cutJson, cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { breathing } from "./breathing.ts";
import { cleanJson, cleanText } from "./clean-json.ts";
import { describeValue } from "./describe-shape.ts";
import { readResultName } from "./read-result-tool.ts";
import type { ResultOwner, ResultShelf } from "./result-shelf.ts";

/** What of an output a reader gets. */
export interface ResultView {
  readonly text: string;
  /** The text is not all of it. */
  readonly isCut: boolean;
  /** Under which all of it is kept, where it is. */
  readonly handle?: string;
}

/** What {@link viewOf} takes besides the result. */
export interface ViewOptions {
  /** So many characters at most, a few hundred at least. */
  readonly maxChars: number;
  /** Keeps what is too large, and says what of it is secret. Without it the rest is lost. */
  readonly shelf?: ResultShelf | undefined;
  /** Whose result it is: whoever made the call. */
  readonly owner?: ResultOwner | undefined;
}

/**
 * An output as a model or a client reads it: all of it where that fits, else its beginning, what it is made of, and how to
 * read the rest, which is kept meanwhile. Nothing in it is hidden, no JSON value is cut in two, and what the shelf takes
 * for a secret is in neither.
 *
 * @example
 * ```ts
 * const { text } = await viewOf(result, { maxChars: 4000, shelf, owner: { conversationId: "c-1" } });
 * ```
 */
export async function viewOf(result: ToolSuccess, options: ViewOptions): Promise<ResultView> {
  const { maxChars, shelf, owner = {} } = options;
  // Each part of the work takes a while where there are very many keys: others have their turn in between.
  const pause = breathing();
  const safe = (await shelf?.redacted(result)) ?? result;
  await pause();
  const whole = wholeText(safe.output, maxChars);
  if (whole !== undefined) return { text: whole, isCut: false };
  await pause();
  const handle = await keepResult(safe, shelf, owner);
  await pause();
  return partView(safe, maxChars, handle);
}

/**
 * The same where it is known already under which handle the result is kept, if it is. Then it has to be the result that
 * was kept, as {@link ResultShelf.redacted} gives it.
 */
export function viewText(result: ToolSuccess, maxChars: number, handle: string | undefined): ResultView {
  const whole = wholeText(result.output, maxChars);
  return whole === undefined ? partView(result, maxChars, handle) : { text: whole, isCut: false };
}

/** Keeps a result that is too large to be shown whole, and gives its handle; undefined where it need not be kept. */
export async function keepLarge(
  result: ToolSuccess,
  { maxChars, shelf, owner = {} }: ViewOptions,
): Promise<string | undefined> {
  return wholeText(result.output, maxChars) === undefined ? keepResult(result, shelf, owner) : undefined;
}

function partView({ output }: ToolSuccess, maxChars: number, handle: string | undefined): ResultView {
  const text =
    typeof output === "string" ? textView(stripUnsafe(output), handle, maxChars) : jsonView(output, handle, maxChars);
  return { text, isCut: true, ...(handle !== undefined && { handle }) };
}

function keepResult(
  result: ToolSuccess,
  shelf: ResultShelf | undefined,
  owner: ResultOwner,
): Promise<string | undefined> {
  // What `read_result` gives is a part of something that is kept already.
  if (shelf === undefined || result.tool === readResultName) return Promise.resolve(undefined);
  return shelf.keep(result, owner);
}

/** All of an output as text, where it takes no more than so much. */
function wholeText(output: unknown, most: number): string | undefined {
  if (typeof output === "string") {
    const text = stripUnsafe(output);
    return text.length <= most ? text : undefined;
  }
  // Most of what is too large is known to be so before any of it is written; the measure is at most 2.5 times too high.
  const size = plainJsonSize(output, 3 * most);
  if (size === Infinity) return undefined;
  if (size < 0) return cutJson(output ?? null, Math.max(3, most)).cut ? undefined : (cleanJson(output) ?? "null");
  const text = JSON.stringify(output);
  return text.length > Math.max(3, most) ? undefined : cleanText(text, output);
}

function textView(text: string, handle: string | undefined, maxChars: number): string {
  const lines = text.split("\n").length;
  const size = `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
  const noteOf = (shown: number): string => {
    const rest = `${readOn({ handle, offset: shown })} lines ("1-50") and search ("words") lead to other parts`;
    return `[the first ${shown} of ${size}. ${handle === undefined ? lost : rest}]`;
  };
  // No note is longer than the one of the largest number.
  const room = Math.max(0, maxChars - noteOf(text.length).length - 1);
  const head = cutText(text, room, { at: "line", ending: "" }).text;
  return withNote(head, noteOf(head.length), maxChars);
}

/** What is larger is not measured. */
const mostMeasured = 1_000_000;

function jsonView(value: unknown, handle: string | undefined, maxChars: number): string {
  const size = plainJsonSize(value, mostMeasured);
  const much = size < 0 ? "much JSON" : `${sizeText(size)} characters of JSON`;
  const { shape, path } = describeValue(value);
  const rest = `${readOn({ handle, path })} search ("words") tells where something is`;
  const note = `[a view of ${much}: ${shape}. ${handle === undefined ? lost : rest}]`;
  return withNote(cleanView(value, maxChars - note.length - 1), note, maxChars);
}

function sizeText(size: number): string {
  return size === Infinity ? `more than ${mostMeasured}` : `about ${size}`;
}

/** The beginning of a value, where there is room for any. What is shortened is small, and cleaned once more as a value. */
function cleanView(value: unknown, most: number): string {
  return most < 3 ? "" : (cleanJson(JSON.parse(cutJson(value, most).text)) ?? "null");
}

const lost = "The rest is not kept; ask the tool for less, or for a part";

function readOn({ handle, ...part }: { readonly handle: string | undefined; readonly [key: string]: unknown }): string {
  return `All of it is kept; read on with ${readResultName} ${JSON.stringify({ handle, ...part })};`;
}

/** Never longer than asked for, whatever a stranger had a say in; where there is too little room, the note is cut. */
function withNote(head: string, note: string, most: number): string {
  const text = head === "" ? note : `${head}\n${note}`;
  return text.length <= most ? text : cutText(text, most, { at: "word" }).text;
}

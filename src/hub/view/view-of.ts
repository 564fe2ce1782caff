import { plainJsonSize } from "../../base/index.ts";
import { cutJson, cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolSuccess } from "../../tool/index.ts";
import { cleanJson } from "./clean-json.ts";
import { describeShape, samplePath } from "./describe-shape.ts";
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
  /** Keeps what is too large. Without it the rest is lost. */
  readonly shelf?: ResultShelf | undefined;
  /** Whose result it is: whoever made the call. */
  readonly owner?: ResultOwner | undefined;
}

/**
 * An output as a model or a client reads it: all of it where that fits, else its beginning, what it is made of, and how to
 * read the rest, which is kept meanwhile. Nothing in it is hidden, and no JSON value is cut in two.
 *
 * @example
 * ```ts
 * const { text } = await viewOf(result, { maxChars: 4000, shelf, owner: { conversationId: "c-1" } });
 * ```
 */
export async function viewOf(result: ToolSuccess, options: ViewOptions): Promise<ResultView> {
  const { maxChars, shelf, owner = {} } = options;
  const whole = wholeText(result.output, maxChars);
  if (whole !== undefined) return { text: whole, isCut: false };
  return viewText(result, maxChars, await keepResult(result, shelf, owner));
}

/** The same where it is known already under which handle the result is kept, if it is. */
export function viewText({ output }: ToolSuccess, maxChars: number, handle: string | undefined): ResultView {
  const whole = wholeText(output, maxChars);
  if (whole !== undefined) return { text: whole, isCut: false };
  const text =
    typeof output === "string"
      ? textView(stripUnsafe(output), handle, { maxChars })
      : jsonView(output, handle, { maxChars });
  return { text, isCut: true, ...(handle !== undefined && { handle }) };
}

/** Keeps a result that is too large to be shown whole, and gives its handle; undefined where it need not be kept. */
export async function keepLarge(
  result: ToolSuccess,
  { maxChars, shelf, owner = {} }: ViewOptions,
): Promise<string | undefined> {
  return wholeText(result.output, maxChars) === undefined ? keepResult(result, shelf, owner) : undefined;
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
  if (typeof output === "string") return output.length <= most ? stripUnsafe(output) : undefined;
  return cutJson(output ?? null, Math.max(3, most)).cut ? undefined : (cleanJson(output) ?? "null");
}

function textView(text: string, handle: string | undefined, { maxChars }: Pick<ViewOptions, "maxChars">): string {
  const lines = text.split("\n").length;
  const size = `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
  return withNote(maxChars, (room) => {
    const head = cutText(text, room, { at: "line", ending: "" }).text;
    const rest = `${readOn({ handle, offset: head.length })} lines ("1-50") and search ("words") lead to other parts`;
    const note = `[the first ${head.length} of ${size}. ${handle === undefined ? lost : rest}]`;
    return { head, note };
  });
}

function jsonView(value: unknown, handle: string | undefined, { maxChars }: Pick<ViewOptions, "maxChars">): string {
  const size = plainJsonSize(value, Number.MAX_SAFE_INTEGER);
  // What nests very deep is not measured.
  const much = size < 0 ? "much JSON" : `about ${size} characters of JSON`;
  const rest = `${readOn({ handle, path: samplePath(value) })} search ("words") tells where something is`;
  const shape = stripUnsafe(describeShape(value));
  const note = `[a view of ${much}: ${shape}. ${handle === undefined ? lost : rest}]`;
  return withNote(maxChars, (room) => ({ head: cleanView(value, Math.max(3, room)), note }));
}

/** The beginning of a value. What is shortened is small, and cleaned once more as a value. */
function cleanView(value: unknown, most: number): string {
  return cleanJson(JSON.parse(cutJson(value, most).text)) ?? "null";
}

const lost = "The rest is not kept; ask the tool for less, or for a part";

function readOn({ handle, ...part }: { readonly handle: string | undefined; readonly [key: string]: unknown }): string {
  return `All of it is kept; read on with ${readResultName} ${JSON.stringify({ handle, ...part })};`;
}

/** The beginning and the note, within the budget. How long a note is says only the note itself. */
function withNote(most: number, make: (room: number) => { readonly head: string; readonly note: string }): string {
  const first = make(most);
  // Numbers in the note may get longer, by a few digits.
  const { head, note } = make(Math.max(0, most - first.note.length - 8));
  return head === "" ? note : `${head}\n${note}`;
}

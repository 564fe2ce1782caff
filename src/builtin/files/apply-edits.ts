import { type EventLoopYielder } from "../../base/index.ts";
import { fileFailure } from "../../file/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";
import { countLineEnds, hasOnlyCrlf } from "./line-ends.ts";

/** One replacement of exact text. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  /** Replace all occurrences; otherwise there must be exactly one. */
  readonly all?: boolean;
}

/** A text after all its edits. */
export interface EditedText {
  readonly text: string;
  readonly replacements: number;
}

/** Longer than any file that may be written; otherwise a short text could be expanded to fill the memory. */
const maxLength = 2 ** 24;

/** Hints are only computed for shorter texts, and cost at most this many steps. */
const hintChars = 1_000_000;
const hintSteps = 5_000_000;

/** Further occurrences are not listed. */
const maxListedOccurrences = 5;

/**
 * Applies edits in order, all or none: the first that does not apply refuses them all. A text whose lines all end with
 * CRLF accepts edits written with plain line ends, and keeps its own.
 */
export async function applyEdits(text: string, edits: readonly Edit[], yielder: EventLoopYielder): Promise<EditedText> {
  const inLineEnds = await lineEndsOf(text, yielder);
  let result = text;
  let replacements = 0;
  for (const [at, input] of edits.entries()) {
    const edit = inLineEnds(input);
    const name = edits.length === 1 ? "the edit" : `edit ${at + 1} of ${edits.length}`;
    if (edit.old_text === edit.new_text) {
      throw fileToolFailure("no_change", `${name}: old_text and new_text are the same`);
    }
    const done = await replace(result, edit, yielder);
    if (done.count === 0) throw await noMatch(result, edit, { name, yielder });
    if (done.count > 1 && edit.all !== true) throw await manyMatches(result, done, { name, yielder });
    if (done.text === undefined) throw fileFailure("too_large", `${name} makes the file too long`);
    result = done.text;
    replacements += done.count;
  }
  return { text: result, replacements };
}

/** Returns the text from which these edits produced this one, if that is unambiguous. */
export async function undoEdits(
  text: string,
  edits: readonly Edit[],
  yielder: EventLoopYielder,
): Promise<string | undefined> {
  const inLineEnds = await lineEndsOf(text, yielder);
  let result: string | undefined = text;
  for (const edit of edits.toReversed()) {
    const { old_text, new_text, ...rest } = inLineEnds(edit);
    const undone = await replace(result, { ...rest, old_text: new_text, new_text: old_text }, yielder);
    if (undone.count === 0) return undefined;
    result = undone.text;
    if (result === undefined) return undefined;
  }
  return result;
}

async function lineEndsOf(text: string, yielder: EventLoopYielder): Promise<(edit: Edit) => Edit> {
  if (!(await hasOnlyCrlf(text, yielder))) return (edit) => edit;
  const crlf = (part: string): string => part.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
  return (edit) => ({ ...edit, old_text: crlf(edit.old_text), new_text: crlf(edit.new_text) });
}

interface Replaced {
  /** Undefined if it did not occur, occurred too often, or the result would be too long. */
  readonly text: string | undefined;
  readonly count: number;
  /** The first offsets where it occurred. */
  readonly positions: readonly number[];
}

async function replace(
  text: string,
  { old_text, new_text, all = false }: Edit,
  yielder: EventLoopYielder,
): Promise<Replaced> {
  const parts: string[] = [];
  const listed: number[] = [];
  let [count, done, length] = [0, 0, text.length];
  for await (const offsets of findOccurrences(text, old_text, yielder)) {
    count += offsets.length;
    length += offsets.length * (new_text.length - old_text.length);
    listed.push(...offsets.slice(0, maxListedOccurrences - listed.length));
    // Counts all occurrences, for the message.
    if (length > maxLength || (count > 1 && !all)) continue;
    const replaced: string[] = [];
    for (const offset of offsets) {
      replaced.push(text.slice(done, offset), new_text);
      done = offset + old_text.length;
    }
    parts.push(replaced.join(""));
  }
  const fits = count > 0 && length <= maxLength && (count === 1 || all);
  return { count, positions: listed, text: fits ? [...parts, text.slice(done)].join("") : undefined };
}

interface EditReport {
  /** Name of the edit in messages. */
  readonly name: string;
  readonly yielder: EventLoopYielder;
}

async function noMatch(text: string, { old_text }: Edit, { name, yielder }: EditReport): Promise<Error> {
  const line = await similarLine(text, old_text, yielder);
  const hint =
    line === undefined ? "read the file and copy the text as it is" : `line ${line} differs only in its white space`;
  return fileToolFailure("no_match", `${name}: old_text is not in the file; ${hint}. Nothing was changed.`);
}

async function manyMatches(
  text: string,
  { count, positions }: Replaced,
  { name, yielder }: EditReport,
): Promise<Error> {
  const lines: number[] = [];
  for (const offset of positions) lines.push((await countLineEnds(text, offset, yielder)) + 1);
  const where = `${count} times (lines ${lines.join(", ")}${count > positions.length ? ", …" : ""})`;
  const hint = "add text around it, or set all to true";
  return fileToolFailure("many_matches", `${name}: old_text is in the file ${where}; ${hint}. Nothing was changed.`);
}

/** Returns the first line where the text would match if white space were ignored. */
async function similarLine(text: string, part: string, yielder: EventLoopYielder): Promise<number | undefined> {
  if (text.length > hintChars || part.length > hintChars) return undefined;
  const requested = await squeezedLines(part, yielder);
  while (requested[0] === "") requested.shift();
  while (requested.at(-1) === "") requested.pop();
  if (requested.length === 0) return undefined;
  const lines = await squeezedLines(text, yielder);
  if (lines.length * requested.length > hintSteps) return undefined;
  for (const at of lines.keys()) {
    if (requested.every((line, below) => lines[at + below] === line)) return at + 1;
    if (at % 1024 === 0) await yielder.yieldIfDue();
  }
  return undefined;
}

async function squeezedLines(text: string, yielder: EventLoopYielder): Promise<string[]> {
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    lines[at] = line.trim().replace(/\s+/g, " ");
    if (at % 1024 === 0) await yielder.yieldIfDue();
  }
  return lines;
}

/** Number of characters that are searched before the event loop gets its turn. */
const windowChars = 65_536;

/** The built-in search may compare every character of a part with every one of a text. */
const longPart = 1_000;

/** Iterates over the offsets of a part in a text, in order and without overlaps, in batches. */
export function findOccurrences(
  text: string,
  part: string,
  yielder: EventLoopYielder,
): AsyncGenerator<readonly number[]> {
  return part.length > longPart ? findLong(text, part, yielder) : findShort(text, part, yielder);
}

async function* findShort(text: string, part: string, yielder: EventLoopYielder): AsyncGenerator<readonly number[]> {
  if (part === "") return;
  for (let start = 0; start + part.length <= text.length;) {
    const window = text.slice(start, start + windowChars + part.length - 1);
    const offsets: number[] = [];
    let next = start + windowChars;
    for (let at = window.indexOf(part); at !== -1; at = window.indexOf(part, at + part.length)) {
      offsets.push(start + at);
      next = Math.max(next, start + at + part.length);
    }
    if (offsets.length > 0) yield offsets;
    await yielder.yieldIfDue();
    start = next;
  }
}

/** In time linear in both, by Knuth, Morris and Pratt. */
async function* findLong(text: string, part: string, yielder: EventLoopYielder): AsyncGenerator<readonly number[]> {
  if (part.length > text.length) return;
  const borders = await bordersOf(part, yielder);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === part.charCodeAt(matched)) matched++;
    if (matched === part.length) {
      yield [at - matched + 1];
      matched = 0;
    }
    if (at % windowChars === 0) await yielder.yieldIfDue();
  }
}

/** Returns, for each prefix of a part, the length of its longest proper suffix that is also a prefix. */
async function bordersOf(part: string, yielder: EventLoopYielder): Promise<Uint32Array> {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++;
    borders[at] = length;
    if (at % windowChars === 0) await yielder.yieldIfDue();
  }
  return borders;
}

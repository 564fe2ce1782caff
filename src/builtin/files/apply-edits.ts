import { type Pace, refuseFile } from "../../file/index.ts";
import { refuseEdit } from "./file-tool-reasons.ts";
import { findPlaces } from "./find-places.ts";
import { countLineEnds, hasOnlyCrlf } from "./line-ends.ts";

/** One replacement of exact text. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  /** Replace it wherever it is; else it must be there exactly once. */
  readonly all?: boolean;
}

/** A text after all its edits. */
export interface EditedText {
  readonly text: string;
  readonly replacements: number;
}

/** Longer than any file that may be written; a short text can otherwise be made to fill the memory. */
const longest = 2 ** 24;

/** A hint is looked for in shorter texts only, and costs at most so many steps. */
const hintChars = 1_000_000;
const hintSteps = 5_000_000;

/** More places are not told. */
const toldPlaces = 5;

/**
 * Applies edits one after the other, all or none: the first that does not fit refuses them all. A text whose lines all
 * end with CRLF takes edits written with plain line ends, and keeps its own.
 */
export async function applyEdits(text: string, edits: readonly Edit[], pace: Pace): Promise<EditedText> {
  const inLineEnds = await lineEndsOf(text, pace);
  let result = text;
  let replacements = 0;
  for (const [at, given] of edits.entries()) {
    const edit = inLineEnds(given);
    const name = edits.length === 1 ? "the edit" : `edit ${at + 1} of ${edits.length}`;
    if (edit.old_text === edit.new_text) {
      throw refuseEdit("no_change", `${name}: old_text and new_text are the same`);
    }
    const done = await replace(result, edit, pace);
    if (done.count === 0) throw await noMatch(result, edit, { name, pace });
    if (done.count > 1 && edit.all !== true) throw await manyMatches(result, done, { name, pace });
    if (done.text === undefined) throw refuseFile("too_large", `${name} makes the file too long`);
    result = done.text;
    replacements += done.count;
  }
  return { text: result, replacements };
}

/** The text from which these edits made this one, where that is clear. */
export async function undoEdits(text: string, edits: readonly Edit[], pace: Pace): Promise<string | undefined> {
  const inLineEnds = await lineEndsOf(text, pace);
  let result: string | undefined = text;
  for (const edit of edits.toReversed()) {
    const { old_text, new_text, ...rest } = inLineEnds(edit);
    const undone = await replace(result, { ...rest, old_text: new_text, new_text: old_text }, pace);
    if (undone.count === 0) return undefined;
    result = undone.text;
    if (result === undefined) return undefined;
  }
  return result;
}

async function lineEndsOf(text: string, pace: Pace): Promise<(edit: Edit) => Edit> {
  if (!(await hasOnlyCrlf(text, pace))) return (edit) => edit;
  const crlf = (part: string): string => part.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
  return (edit) => ({ ...edit, old_text: crlf(edit.old_text), new_text: crlf(edit.new_text) });
}

interface Replaced {
  /** Undefined when it was not there, was there too often, or the result would be too long. */
  readonly text: string | undefined;
  readonly count: number;
  /** The first places where it was. */
  readonly places: readonly number[];
}

async function replace(text: string, { old_text, new_text, all = false }: Edit, pace: Pace): Promise<Replaced> {
  const parts: string[] = [];
  const told: number[] = [];
  let [count, done, length] = [0, 0, text.length];
  for await (const places of findPlaces(text, old_text, pace)) {
    count += places.length;
    length += places.length * (new_text.length - old_text.length);
    told.push(...places.slice(0, toldPlaces - told.length));
    // Counted to the end, for the message.
    if (length > longest || (count > 1 && !all)) continue;
    const replaced: string[] = [];
    for (const place of places) {
      replaced.push(text.slice(done, place), new_text);
      done = place + old_text.length;
    }
    parts.push(replaced.join(""));
  }
  const fits = count > 0 && length <= longest && (count === 1 || all);
  return { count, places: told, text: fits ? [...parts, text.slice(done)].join("") : undefined };
}

interface Telling {
  /** How the edit is called. */
  readonly name: string;
  readonly pace: Pace;
}

async function noMatch(text: string, { old_text }: Edit, { name, pace }: Telling): Promise<Error> {
  const line = await similarLine(text, old_text, pace);
  const hint =
    line === undefined ? "read the file and copy the text as it is" : `line ${line} differs only in its white space`;
  return refuseEdit("no_match", `${name}: old_text is not in the file; ${hint}. Nothing was changed.`);
}

async function manyMatches(text: string, { count, places }: Replaced, { name, pace }: Telling): Promise<Error> {
  const lines: number[] = [];
  for (const place of places) lines.push((await countLineEnds(text, place, pace)) + 1);
  const where = `${count} times (lines ${lines.join(", ")}${count > places.length ? ", …" : ""})`;
  const hint = "add text around it, or set all to true";
  return refuseEdit("many_matches", `${name}: old_text is in the file ${where}; ${hint}. Nothing was changed.`);
}

/** The first line where the text would match if white space did not matter. */
async function similarLine(text: string, part: string, pace: Pace): Promise<number | undefined> {
  if (text.length > hintChars || part.length > hintChars) return undefined;
  const wanted = await squeezedLines(part, pace);
  while (wanted[0] === "") wanted.shift();
  while (wanted.at(-1) === "") wanted.pop();
  if (wanted.length === 0) return undefined;
  const lines = await squeezedLines(text, pace);
  if (lines.length * wanted.length > hintSteps) return undefined;
  for (const at of lines.keys()) {
    if (wanted.every((line, below) => lines[at + below] === line)) return at + 1;
    if (at % 1024 === 0) await pace.rest();
  }
  return undefined;
}

async function squeezedLines(text: string, pace: Pace): Promise<string[]> {
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    lines[at] = line.trim().replace(/\s+/g, " ");
    if (at % 1024 === 0) await pace.rest();
  }
  return lines;
}

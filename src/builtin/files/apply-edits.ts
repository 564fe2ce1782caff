import { refuseFile } from "../../file/index.ts";
import { refuseEdit } from "./file-tool-reasons.ts";

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
const longest = 2 ** 26;

/** Comparing lines in search of a hint costs at most so many steps. */
const hintSteps = 5_000_000;

/** More places are not told. */
const toldPlaces = 5;

/**
 * Applies edits one after the other, all or none: the first that does not fit refuses them all. A text whose lines all
 * end with CRLF takes edits written with plain line ends, and keeps its own.
 */
export function applyEdits(text: string, edits: readonly Edit[]): EditedText {
  let result = text;
  let replacements = 0;
  for (const [at, edit] of inLineEndsOf(text, edits).entries()) {
    if (edit.old_text === edit.new_text) {
      throw refuseEdit("no_change", `${nameOf(at, edits)}: old_text and new_text are the same`);
    }
    const places = placesOf(result, edit.old_text);
    if (places.length === 0) throw noMatch(result, edit, nameOf(at, edits));
    if (places.length > 1 && edit.all !== true) throw manyMatches(result, places, nameOf(at, edits));
    if (result.length + places.length * (edit.new_text.length - edit.old_text.length) > longest) {
      throw refuseFile("too_large", `${nameOf(at, edits)} makes the file too long`);
    }
    result = result.split(edit.old_text).join(edit.new_text);
    replacements += places.length;
  }
  return { text: result, replacements };
}

/** The text from which these edits made this one, where that is clear. */
export function undoEdits(text: string, edits: readonly Edit[]): string | undefined {
  let result = text;
  for (const { old_text, new_text, all } of inLineEndsOf(text, edits).toReversed()) {
    if (new_text === "") return undefined;
    const places = placesOf(result, new_text).length;
    if (places === 0 || (places > 1 && all !== true)) return undefined;
    if (result.length + places * (old_text.length - new_text.length) > longest) return undefined;
    result = result.split(new_text).join(old_text);
  }
  return result;
}

function inLineEndsOf(text: string, edits: readonly Edit[]): readonly Edit[] {
  if (!text.includes("\r\n") || /(?<!\r)\n/.test(text)) return edits;
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  return edits.map((edit) => ({ ...edit, old_text: crlf(edit.old_text), new_text: crlf(edit.new_text) }));
}

/** Where a part is in the text, without overlaps. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === "") return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function nameOf(at: number, edits: readonly Edit[]): string {
  return edits.length === 1 ? "the edit" : `edit ${at + 1} of ${edits.length}`;
}

function noMatch(text: string, { old_text }: Edit, name: string): Error {
  const line = similarLine(text, old_text);
  const hint =
    line === undefined ? "read the file and copy the text as it is" : `line ${line} differs only in its white space`;
  return refuseEdit("no_match", `${name}: old_text is not in the file; ${hint}. Nothing was changed.`);
}

function manyMatches(text: string, places: readonly number[], name: string): Error {
  const lines = places.slice(0, toldPlaces).map((place) => lineOf(text, place));
  const more = places.length > toldPlaces ? ", …" : "";
  const where = `${places.length} times (lines ${lines.join(", ")}${more})`;
  const hint = "add text around it, or set all to true";
  return refuseEdit("many_matches", `${name}: old_text is in the file ${where}; ${hint}. Nothing was changed.`);
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The first line where the text would match if white space did not matter. */
function similarLine(text: string, part: string): number | undefined {
  const wanted = part.split("\n").map(squeeze);
  while (wanted[0] === "") wanted.shift();
  while (wanted.at(-1) === "") wanted.pop();
  if (wanted.length === 0) return undefined;
  const lines = text.split("\n").map(squeeze);
  if (lines.length * wanted.length > hintSteps) return undefined;
  const found = lines.findIndex((_line, at) => wanted.every((line, below) => lines[at + below] === line));
  return found === -1 ? undefined : found + 1;
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}

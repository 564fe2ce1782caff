import { type FailureError, isFailureError } from "../../base/index.ts";
import { showPath } from "../../file/index.ts";
import { decodeNote } from "./decode-note.ts";
import { isIgnored } from "./is-ignored.ts";
import { localSearch } from "./local-search.ts";
import { isoIn, timeOfNote } from "./note-time.ts";
import { type Heading, type ParsedNote, openFence, parseNote } from "./parse-note.ts";
import { type VaultParts, isNote, trimPath } from "./vault-parts.ts";
import { vaultFailure } from "./vault-reasons.ts";

/** Which part of a note to read. */
export interface ReadNoteOptions {
  /** First line, counted from 1. */
  readonly from?: number;
  /** Last line, included. */
  readonly to?: number;
  /** At most this many characters; 20,000 where absent. */
  readonly maxCharacters?: number;
}

/** A note, or a part of one, as it is on the disk now. */
export interface Note {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  /** The lines of the text in the file, counted from 1, both included; `[0, 0]` of a note without any. */
  readonly lines: readonly [first: number, last: number];
  readonly headings: readonly Heading[];
  readonly tags: readonly string[];
  readonly links: readonly string[];
  /** The time of the note, as `localSearch` tells it. */
  readonly modified: string;
  /** How to cite just this: `path`, `path:line` for a section or what is around a line, `path:first-last` for others. */
  readonly cite: string;
  /** What was asked for did not fit in, and was cut. */
  readonly truncated: boolean;
  /** Where to go on when it was cut. */
  readonly next_line?: number;
  /** The mark of the block of code within which the text begins, such as three backticks; absent where it begins in none. */
  readonly code_fence?: string;
}

/** What a citation asks for in a note, where that is not the whole. */
interface Part {
  readonly heading?: string;
  /** Of a section or of a place in the note. */
  readonly line?: number;
  /** With it, `line` is the first one of these. */
  readonly last?: number;
}

interface Reference extends Part {
  readonly path: string;
}

/**
 * Reads what a citation names: `path`, `path:line` (the section that begins there, else what is around it),
 * `path:first-last`, `path#heading`, or the name of a note as in `[[name]]`.
 */
export async function readNote(parts: VaultParts, cited: string, options: ReadNoteOptions = {}): Promise<Note> {
  const found = await findNote(parts, cited);
  const { path, text, modifiedMs } = found;
  const note = parseNote(path, text);
  const lines = text.split("\n");
  // The end of the last line begins no new one.
  if (lines.at(-1) === "") lines.pop();
  const { first, last, cite } = rangeOf({ found, note, count: lines.length }, options);
  const wanted = lines.slice(Math.max(0, first - 1), last);
  const { shown, count } = fit(wanted, options.maxCharacters ?? 20_000);
  const end = first + Math.max(count, 1) - 1;
  const cut = count < wanted.length;
  const { title, headings, tags, links } = note;
  const fence = openFence(lines.slice(0, Math.max(0, first - 1)));
  return {
    path: showPath(path),
    title,
    text: shown,
    lines: lines.length === 0 ? [0, 0] : [first, cut ? end : last],
    headings,
    tags,
    links,
    modified: isoIn(parts.zone, timeOfNote({ path, dates: note.dates, modifiedMs }, parts.zone)),
    cite: `${showPath(path)}${cite}`,
    // Of a note that is too large only the beginning was read.
    truncated: cut || (found.truncated && last === lines.length),
    ...(cut && end < last && { next_line: end + 1 }),
    ...(fence !== undefined && { code_fence: fence }),
  };
}

/** As many whole lines as fit, and of one that is too long for itself as much as fits. */
function fit(lines: readonly string[], most: number): { readonly shown: string; readonly count: number } {
  let [count, length] = [0, -1];
  for (const line of lines) {
    length += 1 + line.length;
    if (length > most) break;
    count++;
  }
  const [line = ""] = lines;
  if (count > 0 || line === "") return { shown: trimReturn(lines.slice(0, count).join("\n")), count };
  return { shown: line.slice(0, isHigh(line, most - 1) ? most - 1 : most), count };
}

/** Of a line end of two characters the second was cut off. */
function trimReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

interface Found extends Reference {
  readonly text: string;
  readonly truncated: boolean;
  readonly modifiedMs: number;
}

async function findNote(parts: VaultParts, cited: string): Promise<Found> {
  const references = referencesIn(cited);
  let refusal: FailureError | undefined;
  // What is called exactly so comes before all that it could also mean.
  for (const ending of ["", ".md"]) {
    for (const reference of references) {
      try {
        const found = await readText(parts, { ...reference, path: reference.path + ending });
        if (found !== undefined) return found;
      } catch (error) {
        if (!isFailureError(error) || error.code === "cancelled") throw error;
        refusal ??= error;
      }
    }
  }
  if (refusal !== undefined) throw refusal;
  return await findByName(parts, cited, references);
}

/** The note whose name it is, in whichever folder. */
async function findByName(parts: VaultParts, cited: string, references: readonly Reference[]): Promise<Found> {
  const nameOf = ({ path }: Reference): string => path.split("/").at(-1) ?? "";
  for (const reference of references) {
    const similar = await localSearch(parts, { query: nameOf(reference), limit: 5 });
    const same = similar.find(({ path }) => stemOf(path) === stemOf(nameOf(reference)));
    const found = same && (await readText(parts, { ...reference, path: same.path }));
    if (found) return found;
  }
  const [reference] = references.toReversed();
  const similar = await localSearch(parts, { query: reference === undefined ? cited : nameOf(reference), limit: 5 });
  const hint =
    similar.length === 0
      ? "Find notes with localSearch"
      : `Similar ones are ${similar.map(({ path }) => path).join(", ")}`;
  throw vaultFailure("no_note", `there is no note ${JSON.stringify(showPath(cited.slice(0, 200)))}. ${hint}`);
}

/** More than this many `#` belong to no citation. */
const mostHashes = 16;

/** A name may hold `#`, `:` and spaces itself: as it is first, then without what may be a heading or a line. */
function referencesIn(cited: string): Reference[] {
  const bare = cited
    .trim()
    .replace(/^\[\[/, "")
    .replace(/(?:\|[^\]]*)?\]\]$/, "");
  const found = (bare === cited ? [cited] : [cited, bare]).map((path): Reference => ({ path }));
  // The longest name first: headings of a note called `a#b.md` are cited as `a#b.md#One`.
  for (let at = bare.lastIndexOf("#"); at > 0 && found.length < mostHashes; at = bare.lastIndexOf("#", at - 1)) {
    found.push({ path: bare.slice(0, at), heading: bare.slice(at + 1) });
  }
  const [, path, first, last] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(bare) ?? [];
  if (path !== undefined) found.push({ path, line: Number(first), ...(last !== undefined && { last: Number(last) }) });
  return found.map((reference) => ({ ...reference, path: trimPath(reference.path) }));
}

/** Undefined where there is no such file; what the file door refuses, it refuses. */
async function readText({ files, limits }: VaultParts, reference: Reference): Promise<Found | undefined> {
  try {
    const file = await files.read(reference.path, { maxBytes: limits.maxFileBytes });
    const { path } = file;
    const text = isNote(path, limits) && !(await isIgnored(files, path)) ? decodeNote(file.bytes) : undefined;
    if (text === undefined) {
      throw vaultFailure("not_a_note", `${showPath(path)} is no note. Read other files with read_file`);
    }
    return { ...reference, path, text, truncated: file.truncated, modifiedMs: file.modifiedMs };
  } catch (error) {
    if (isFailureError(error) && isAbsent(error.reason ?? "", reference.path)) return undefined;
    throw error;
  }
}

/** A reference is tried in several ways, and some of them name nothing. */
function isAbsent(reason: string, path: string): boolean {
  if (["not_found", "bad_name", "not_a_file", "not_a_folder"].includes(reason)) return true;
  // The name of a note that is elsewhere may begin as a drive does.
  return reason === "absolute" && !path.startsWith("/");
}

function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "").toLowerCase();
}

/** How many lines around a cited one are shown. */
const around = 10;

interface Place {
  readonly found: Found;
  readonly note: ParsedNote;
  /** Lines of the note. */
  readonly count: number;
}

interface Lines {
  readonly first: number;
  readonly last: number;
  /** What comes behind the path in a citation. */
  readonly cite: string;
}

function rangeOf(place: Place, { from, to }: ReadNoteOptions): Lines {
  const { found, note, count } = place;
  if (from !== undefined || to !== undefined) return between(from ?? 1, to, count);
  if (found.heading !== undefined) return sectionOf(headingAt(place, found.heading), place);
  if (found.line === undefined) return { first: Math.min(1, count), last: count, cite: "" };
  if (found.last !== undefined) return between(found.line, found.last, count);
  const at = note.headings.findIndex(({ line }) => line === found.line);
  if (at !== -1) return sectionOf(at, place);
  const line = Math.max(1, Math.min(found.line, count));
  return { first: Math.max(1, line - around), last: Math.min(count, line + around), cite: `:${line}` };
}

// oxlint-disable-next-line max-params -- three numbers
function between(first: number, to: number | undefined, count: number): Lines {
  const last = Math.min(to ?? count, count);
  if (first >= 1 && first <= last) return { first, last, cite: `:${first}-${last}` };
  throw vaultFailure("bad_range", `lines ${first} to ${to ?? count} are none: the note has ${count} lines`);
}

function sectionOf(at: number, { note, count }: Place): Lines {
  const [start, ...after] = note.headings.slice(at);
  const { line: first = 1, level = 1 } = start ?? {};
  const next = after.find((heading) => heading.level <= level);
  return { first, last: next === undefined ? count : next.line - 1, cite: `:${first}` };
}

/** Which heading this is: `b#c` is the first `c` below a `b`. */
function headingAt({ found, note }: Place, cited: string): number {
  let at = -1;
  for (const name of cited.split("#").map(foldHeading)) {
    at = note.headings.findIndex(({ text }, place) => place > at && foldHeading(text) === name);
    if (at === -1) break;
  }
  if (at === -1) at = note.headings.findIndex(({ text }) => foldHeading(text) === foldHeading(cited));
  if (at !== -1) return at;
  const known = note.headings.slice(0, 20).map(({ text }) => text);
  const hint = known.length === 0 ? "It has no headings" : `Its headings: ${known.join("; ")}`;
  const what = `no heading ${JSON.stringify(showPath(cited.slice(0, 100)))}`;
  throw vaultFailure("no_heading", `${showPath(found.path)} has ${what}. ${hint}`);
}

function foldHeading(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

import { type FailureError, isFailureError } from "../../base/index.ts";
import { showPath } from "../../file/index.ts";
import { decodeNote } from "./decode-note.ts";
import { isGitIgnored } from "./is-ignored.ts";
import { localSearch } from "./local-search.ts";
import { toIsoInZone, resolveNoteTime } from "./note-time.ts";
import { type Heading, type ParsedNote, unclosedFence, parseNote } from "./parse-note.ts";
import { type VaultDeps, isNote, trimPath } from "./vault-deps.ts";
import { vaultFailure } from "./vault-reasons.ts";

/** Which part of a note to read. */
export interface ReadNoteOptions {
  /** First line, counted from 1. */
  readonly from?: number;
  /** Last line, included. */
  readonly to?: number;
  /** Maximum number of characters. Default: 20,000. */
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
  /** The time of the note, as `local_search` returns it. */
  readonly modified: string;
  /**
   * Citation of exactly this part: `path`, `path:line` for a section or the lines around a line, `path:first-last` for
   * others.
   */
  readonly cite: string;
  /** The requested text did not fit, and was cut. */
  readonly truncated: boolean;
  /** Line to continue from if the text was cut. */
  readonly next_line?: number;
  /**
   * The marker of the code fence within which the text begins, such as three backticks; undefined if it begins in none.
   */
  readonly code_fence?: string;
}

/** The part of a note that a citation refers to, unless it is the whole note. */
interface Part {
  readonly heading?: string;
  /** Line of a section or of a position in the note. */
  readonly line?: number;
  /** With it, `line` is the first one of these. */
  readonly last?: number;
}

interface Reference extends Part {
  readonly path: string;
}

/**
 * Reads the target of a citation: `path`, `path:line` (the section that begins there, else the lines around it),
 * `path:first-last`, `path#heading`, or the name of a note as in `[[name]]`.
 */
export async function readNote(parts: VaultDeps, cited: string, options: ReadNoteOptions = {}): Promise<Note> {
  const found = await findNote(parts, cited);
  const { path, text, modifiedMs } = found;
  const note = parseNote(path, text);
  const lines = text.split("\n");
  // A trailing line break does not start a new line.
  if (lines.at(-1) === "") lines.pop();
  const { first, last, cite } = rangeOf({ found, note, count: lines.length }, options);
  const requested = lines.slice(Math.max(0, first - 1), last);
  const { shown, count } = fit(requested, options.maxCharacters ?? 20_000);
  const end = first + Math.max(count, 1) - 1;
  const cut = count < requested.length;
  const { title, headings, tags, links } = note;
  const fence = unclosedFence(lines.slice(0, Math.max(0, first - 1)));
  return {
    path: showPath(path),
    title,
    text: shown,
    lines: lines.length === 0 ? [0, 0] : [first, cut ? end : last],
    headings,
    tags,
    links,
    modified: toIsoInZone(parts.zone, resolveNoteTime({ path, dates: note.dates, modifiedMs }, parts.zone)),
    cite: `${showPath(path)}${cite}`,
    // Only the beginning of a note that is too large was read.
    truncated: cut || (found.truncated && last === lines.length),
    ...(cut && end < last && { next_line: end + 1 }),
    ...(fence !== undefined && { code_fence: fence }),
  };
}

/** As many whole lines as fit, or the beginning of a single line that is too long. */
function fit(lines: readonly string[], maxCount: number): { readonly shown: string; readonly count: number } {
  let [count, length] = [0, -1];
  for (const line of lines) {
    length += 1 + line.length;
    if (length > maxCount) break;
    count++;
  }
  const [line = ""] = lines;
  if (count > 0 || line === "") return { shown: trimReturn(lines.slice(0, count).join("\n")), count };
  return { shown: line.slice(0, isHigh(line, maxCount - 1) ? maxCount - 1 : maxCount), count };
}

/** Removes a carriage return whose line feed was cut off. */
function trimReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

interface LocatedNote extends Reference {
  readonly text: string;
  readonly truncated: boolean;
  readonly modifiedMs: number;
}

async function findNote(parts: VaultDeps, cited: string): Promise<LocatedNote> {
  const references = referencesIn(cited);
  let refusal: FailureError | undefined;
  // An exact match wins over other interpretations.
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

/** Finds the note with this name, in any folder. */
async function findByName(parts: VaultDeps, cited: string, references: readonly Reference[]): Promise<LocatedNote> {
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
      ? "Find notes with local_search"
      : `Similar ones are ${similar.map(({ path }) => path).join(", ")}`;
  throw vaultFailure("no_note", `there is no note ${JSON.stringify(showPath(cited.slice(0, 200)))}. ${hint}`);
}

/** More than this many `#` belong to no citation. */
const maxHashes = 16;

/**
 * A name may contain `#`, `:` and spaces itself: the whole text is tried first, then without a possible heading or
 * line.
 */
function referencesIn(cited: string): Reference[] {
  const bare = cited
    .trim()
    .replace(/^\[\[/, "")
    .replace(/(?:\|[^\]]*)?\]\]$/, "");
  const found = (bare === cited ? [cited] : [cited, bare]).map((path): Reference => ({ path }));
  // The longest name first: headings of a note called `a#b.md` are cited as `a#b.md#One`.
  for (let at = bare.lastIndexOf("#"); at > 0 && found.length < maxHashes; at = bare.lastIndexOf("#", at - 1)) {
    found.push({ path: bare.slice(0, at), heading: bare.slice(at + 1) });
  }
  const [, path, first, last] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(bare) ?? [];
  if (path !== undefined) found.push({ path, line: Number(first), ...(last !== undefined && { last: Number(last) }) });
  return found.map((reference) => ({ ...reference, path: trimPath(reference.path) }));
}

/** Returns undefined if there is no such file; other failures of the file access are thrown. */
async function readText({ files, limits }: VaultDeps, reference: Reference): Promise<LocatedNote | undefined> {
  try {
    const file = await files.read(reference.path, { maxBytes: limits.maxFileBytes });
    const { path } = file;
    const text = isNote(path, limits) && !(await isGitIgnored(files, path)) ? decodeNote(file.bytes) : undefined;
    if (text === undefined) {
      throw vaultFailure("not_a_note", `${showPath(path)} is not a note. Read other files with read_file`);
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
  // The name of a note in another folder may look like a drive letter.
  return reason === "absolute" && !path.startsWith("/");
}

function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "").toLowerCase();
}

/** Number of lines shown before and after a cited line. */
const around = 10;

interface NoteSection {
  readonly found: LocatedNote;
  readonly note: ParsedNote;
  /** Lines of the note. */
  readonly count: number;
}

interface Lines {
  readonly first: number;
  readonly last: number;
  /** The part of a citation after the path. */
  readonly cite: string;
}

function rangeOf(section: NoteSection, { from, to }: ReadNoteOptions): Lines {
  const { found, note, count } = section;
  if (from !== undefined || to !== undefined) return between(from ?? 1, to, count);
  if (found.heading !== undefined) return sectionOf(headingAt(section, found.heading), section);
  if (found.line === undefined) return { first: Math.min(1, count), last: count, cite: "" };
  if (found.last !== undefined) return between(found.line, found.last, count);
  const at = note.headings.findIndex(({ line }) => line === found.line);
  if (at !== -1) return sectionOf(at, section);
  const line = Math.max(1, Math.min(found.line, count));
  return { first: Math.max(1, line - around), last: Math.min(count, line + around), cite: `:${line}` };
}

function between(first: number, to: number | undefined, count: number): Lines {
  const last = Math.min(to ?? count, count);
  if (first >= 1 && first <= last) return { first, last, cite: `:${first}-${last}` };
  throw vaultFailure("bad_range", `lines ${first} to ${to ?? count} do not exist: the note has ${count} lines`);
}

function sectionOf(at: number, { note, count }: NoteSection): Lines {
  const [start, ...after] = note.headings.slice(at);
  const { line: first = 1, level = 1 } = start ?? {};
  const next = after.find((heading) => heading.level <= level);
  return { first, last: next === undefined ? count : next.line - 1, cite: `:${first}` };
}

/** Which heading this is: `b#c` is the first `c` below a `b`. */
function headingAt({ found, note }: NoteSection, cited: string): number {
  let at = -1;
  for (const name of cited.split("#").map(foldHeading)) {
    at = note.headings.findIndex(({ text }, section) => section > at && foldHeading(text) === name);
    if (at === -1) break;
  }
  if (at === -1) at = note.headings.findIndex(({ text }) => foldHeading(text) === foldHeading(cited));
  if (at !== -1) return at;
  const known = note.headings.slice(0, 20).map(({ text }) => text);
  const hint = known.length === 0 ? "It has no headings" : `Its headings: ${known.join("; ")}`;
  const missing = `no heading ${JSON.stringify(showPath(cited.slice(0, 100)))}`;
  throw vaultFailure("no_heading", `${showPath(found.path)} has ${missing}. ${hint}`);
}

function foldHeading(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

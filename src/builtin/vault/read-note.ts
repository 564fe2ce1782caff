import { isFailureError } from "../../base/index.ts";
import { decodeNote } from "./decode-note.ts";
import { isIgnored } from "./is-ignored.ts";
import { localSearch } from "./local-search.ts";
import { type Heading, type ParsedNote, parseNote } from "./parse-note.ts";
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
  /** The lines of the text in the file, counted from 1, both included. */
  readonly lines: readonly [first: number, last: number];
  readonly headings: readonly Heading[];
  readonly tags: readonly string[];
  readonly links: readonly string[];
  /** ISO 8601. */
  readonly modified: string;
  /** How to cite just this. */
  readonly cite: string;
  /** There is more than was asked for or may be given. */
  readonly truncated: boolean;
}

interface Reference {
  readonly path: string;
  readonly heading: string | undefined;
  readonly line: number | undefined;
}

/**
 * Reads what a citation names: `path`, `path#heading` (that section), `path:line` (its surroundings), or the name of a
 * note as in `[[name]]`.
 */
export async function readNote(parts: VaultParts, cited: string, options: ReadNoteOptions = {}): Promise<Note> {
  const found = await findNote(parts, cited);
  const { path, text, truncated, modifiedMs } = found;
  const note = parseNote(path, text);
  const all = text.split("\n");
  const [first, last] = rangeOf(found, note, { options, count: all.length });
  const { maxCharacters = 20_000 } = options;
  const wanted = all.slice(first - 1, last).join("\n");
  const shown = wanted.slice(0, maxCharacters).toWellFormed();
  const end = first + shown.split("\n").length - 1;
  const { title, headings, tags, links } = note;
  return {
    path,
    title,
    text: shown,
    lines: [first, end],
    headings,
    tags,
    links,
    modified: new Date(modifiedMs).toISOString(),
    cite: found.heading === undefined ? `${path}:${first}` : `${path}#${found.heading}`,
    truncated: truncated || shown.length < wanted.length || end < all.length || first > 1,
  };
}

interface Found extends Reference {
  readonly text: string;
  readonly truncated: boolean;
  readonly modifiedMs: number;
}

async function findNote(parts: VaultParts, cited: string): Promise<Found> {
  for (const reference of referencesIn(cited)) {
    for (const path of [reference.path, `${reference.path}.md`]) {
      const found = await readText(parts, { ...reference, path });
      if (found !== undefined) return found;
    }
  }
  const [reference] = referencesIn(cited);
  const name = (reference?.path ?? cited).split("/").at(-1) ?? "";
  const similar = await localSearch(parts, { query: name, limit: 5 });
  const same = similar.find(({ path }) => stemOf(path) === stemOf(name));
  const found = same && reference && (await readText(parts, { ...reference, path: same.path }));
  if (found) return found;
  const hint =
    similar.length === 0 ? "Search with localSearch" : `Perhaps ${similar.map(({ path }) => path).join(", ")}`;
  throw vaultFailure("no_note", `there is no note ${JSON.stringify(cited.slice(0, 200))}. ${hint}`);
}

/** A name may hold `#` and `:` itself: as it is first, then without what may be a heading or a line. */
function referencesIn(cited: string): Reference[] {
  const bare = cited
    .trim()
    .replace(/^\[\[/, "")
    .replace(/(?:\|[^\]]*)?\]\]$/, "");
  const found: Reference[] = [{ path: trimPath(bare), heading: undefined, line: undefined }];
  const hash = bare.indexOf("#");
  if (hash > 0) found.push({ path: trimPath(bare.slice(0, hash)), heading: bare.slice(hash + 1), line: undefined });
  const colon = /^(.+):(\d{1,9})$/.exec(bare);
  if (colon !== null) found.push({ path: trimPath(colon[1] ?? ""), heading: undefined, line: Number(colon[2]) });
  return found.reverse();
}

/** Undefined where there is no such file; what the file door refuses, it refuses. */
async function readText({ files, limits }: VaultParts, reference: Reference): Promise<Found | undefined> {
  try {
    const file = await files.read(reference.path, { maxBytes: limits.maxFileBytes });
    const { path } = file;
    const text = isNote(path, limits) && !(await isIgnored(files, path)) ? decodeNote(file.bytes) : undefined;
    if (text === undefined) throw vaultFailure("not_a_note", `${path} is no note. Read other files with read_file`);
    return { ...reference, path, text, truncated: file.truncated, modifiedMs: file.modifiedMs };
  } catch (error) {
    if (isFailureError(error) && absent.has(error.reason ?? "")) return undefined;
    throw error;
  }
}

/** A reference is tried in several ways, and some of them name nothing. */
const absent: ReadonlySet<string> = new Set(["not_found", "bad_name", "not_a_file", "not_a_folder"]);

function stemOf(path: string): string {
  return (path.split("/").at(-1) ?? "").replace(/\.[^.]+$/, "").toLowerCase();
}

/** How many lines around a cited one are shown. */
const around = 10;

interface Wanted {
  readonly options: ReadNoteOptions;
  readonly count: number;
}

function rangeOf(found: Found, note: ParsedNote, { options, count }: Wanted): [first: number, last: number] {
  const { from, to } = options;
  if (from !== undefined || to !== undefined) {
    const [first, last] = [from ?? 1, Math.min(to ?? count, count)];
    if (first <= last) return [first, last];
    throw vaultFailure("bad_range", `lines ${first} to ${to ?? count} are none: the note has ${count} lines`);
  }
  if (found.heading !== undefined) return sectionOf(found.heading, found.path, { note, count });
  if (found.line === undefined) return [1, count];
  return [Math.max(1, Math.min(found.line, count) - around), Math.min(count, found.line + around)];
}

function sectionOf(
  heading: string,
  path: string,
  { note, count }: { readonly note: ParsedNote; readonly count: number },
): [first: number, last: number] {
  // `a#b#c` is the heading c under b.
  const wanted = foldHeading(heading.split("#").at(-1) ?? heading);
  const at = note.headings.findIndex(({ text }) => foldHeading(text) === wanted);
  const start = note.headings[at];
  if (start === undefined) {
    const known = note.headings.slice(0, 20).map(({ text }) => text);
    const hint = known.length === 0 ? "It has no headings" : `Its headings: ${known.join("; ")}`;
    throw vaultFailure("no_heading", `${path} has no heading ${JSON.stringify(heading.slice(0, 100))}. ${hint}`);
  }
  const next = note.headings.slice(at + 1).find(({ level }) => level <= start.level);
  return [start.line, next === undefined ? count : next.line - 1];
}

function foldHeading(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

import { cliCommand } from "../../base/index.ts";
import { type FileAccess, createFileAccess, decodeText, fileFailure, type ReadFileResult } from "../../file/index.ts";
import { findFrontMatter, LineIndex, stripUnsafe, showUnsafe } from "../../text/index.ts";
import { maxSkillBytes } from "./read-front-matter.ts";
import type { Skill } from "./skill.ts";
import { skillFailure } from "../hub-reasons.ts";

/** Instructions of a skill for the model. */
export interface Instructions {
  readonly skill: string;
  readonly instructions: string;
  /** Folder of its files, relative to the workspace. */
  readonly folder: string;
  /** Its files, relative to the folder. */
  readonly files: readonly string[];
  /** Note about omitted content. */
  readonly note?: string;
  readonly compatibility?: string;
  /** The task of the call. */
  readonly task?: string;
}

/** Maximum size of the instructions returned at once. */
export interface InstructionLimits {
  /** Characters of the instructions. */
  readonly instructionChars: number;
  /** Names of files. */
  readonly maxFiles: number;
}

/** Maximum number of entries visited to list the files of a skill. */
const maxEntries = 2_000;

/** Generated files, which are not listed. */
const junkFiles = /(?:^|\/)(?:node_modules|__pycache__)\//;

/** Reads the instructions of a skill from its file, as they are now, and lists its files without reading them. */
export async function loadInstructions(
  skill: Skill,
  { instructionChars, maxFiles }: InstructionLimits,
  signal: AbortSignal,
): Promise<Instructions> {
  const fileAccess = skillFileAccess(skill, maxSkillBytes);
  const text = skillText(await readWholeFile(fileAccess, skill.entry, signal), skill);
  const found = findFrontMatter(text ?? "");
  if (text === undefined || found.kind !== "found") {
    const how = `run \`${cliCommand(`skills validate ${skill.folder}`)}\` for details`;
    throw skillFailure("broken_skill", `${skill.file} no longer has a front matter, or is not a text file; ${how}`);
  }
  const start = text.length - text.slice(found.end).trimStart().length;
  const { content, next } = pageOf(text, start, instructionChars);
  const files = await filesOf(fileAccess, skill, { maxFiles, signal });
  const notes = [
    ...(content === "" ? ["The skill has no instructions."] : []),
    ...(next === undefined ? [] : [continuationHint(skill, text.length - next, next)]),
    ...(files.more ? [`The folder has more files than the ${maxFiles} listed.`] : []),
  ];
  const { compatibility } = skill;
  return {
    skill: skill.name,
    instructions: content.trimEnd(),
    folder: skill.folder,
    files: files.paths,
    ...(notes.length > 0 && { note: notes.join(" ") }),
    ...(compatibility !== undefined && { compatibility }),
  };
}

function continuationHint({ name, entry }: Skill, rest: number, next: number): string {
  const call = JSON.stringify({ skill: name, path: entry, offset: next });
  return `${rest} more characters of instructions follow: call skill_read with ${call}.`;
}

async function filesOf(
  fileAccess: FileAccess,
  { entry }: Skill,
  { maxFiles, signal }: { readonly maxFiles: number; readonly signal: AbortSignal },
): Promise<{ paths: string[]; more: boolean }> {
  const paths: string[] = [];
  const walk = fileAccess.walk(".", { maxEntries, maxDepth: 8, signal });
  for (;;) {
    const step = await walk.next();
    if (step.done === true) return { paths, more: step.value.truncated };
    const { type, path } = step.value;
    if (type !== "file" || path === entry || junkFiles.test(path)) continue;
    if (paths.length === maxFiles) {
      await walk.return({ entries: 0, truncated: true, unreadable: [] });
      return { paths, more: true };
    }
    paths.push(path);
  }
}

/** Maximum bytes read from a file of a skill. */
const maxFileBytes = 5_242_880;

/** File access to a skill: its own folder, read-only, without links that lead out of it. */
export function skillFileAccess(
  { dir, hardLinks = false }: Pick<Skill, "dir" | "hardLinks">,
  maxBytes: number = maxFileBytes,
): FileAccess {
  return createFileAccess({ roots: [{ path: dir, write: false }], maxBytes, hardLinks });
}

/** Reads a whole file through the file access. */
export async function readWholeFile(files: FileAccess, path: string, signal: AbortSignal): Promise<ReadFileResult> {
  const file = await files.read(path, { signal });
  if (!file.truncated) return file;
  throw fileFailure("too_large", `${file.path} has ${file.size} bytes, more than the ${files.maxBytes} allowed here`);
}

/**
 * Decodes a text for a model, the same for every reader so that offsets agree; undefined if the bytes are not text. A
 * text with hidden characters is refused as a whole: it differs from what people see.
 */
export function skillText({ bytes, path }: Pick<ReadFileResult, "bytes" | "path">, skill: Skill): string | undefined {
  if (bytes.subarray(0, 8_192).includes(0) && !isUtf16(bytes)) return undefined;
  const { text, lossy } = decodeText(bytes, { path });
  if (lossy) return undefined;
  const hidden = misleadingCharacter(text);
  if (hidden === undefined) return stripUnsafe(text);
  const { line, column } = new LineIndex(text).at(hidden.offset);
  const position = `${skill.folder}/${path}:${line}:${column}`;
  throw skillFailure(
    "hidden_text",
    `${position} holds ${hidden.shown}, which people do not see; remove it to use the file`,
  );
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** A part of a text. */
interface TextPage {
  readonly content: string;
  /** Offset to continue from; undefined at the end. */
  readonly next?: number;
}

/** Returns a limited number of characters from an offset on, up to the end of a line if there is one. */
export function pageOf(text: string, from: number, limit: number): TextPage {
  const start = splitsPair(text, from) ? from + 1 : from;
  if (text.length - start <= limit) return { content: text.slice(start) };
  const lineEnd = text.lastIndexOf("\n", start + limit - 1) + 1;
  // A line that is longer than the page is cut in it, but not inside of a character.
  const wide = lineEnd > start ? lineEnd : start + limit;
  const end = splitsPair(text, wide) ? wide - 1 : wide;
  return { content: text.slice(start, end), next: end };
}

/** True if this offset is between the two halves of a surrogate pair. */
function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** An invisible character and its position. */
interface HiddenCharacter {
  readonly offset: number;
  /** Such as `<U+202E>`. */
  readonly shown: string;
}

/** The first character of a text that is invisible, moves the cursor or changes the direction of the text after it. */
export function hiddenCharacter(text: string): HiddenCharacter | undefined {
  const plain = text.replaceAll("\r\n", "\n");
  if (stripUnsafe(plain) === plain) return undefined;
  let offset = 0;
  for (const character of text) {
    const shown = /[\t\n\r]/.test(character) ? character : showUnsafe(character);
    if (shown !== character) return { offset, shown };
    offset += character.length;
  }
  // Characters that are hidden only as a row of them.
  return { offset: 0, shown: "joiners in a row" };
}

/**
 * Characters that only serve to deceive in a text of many lines: characters that change the direction of reading, tag
 * characters, and runs of others without a width, in which data is hidden. A lone soft hyphen of a copied page is not
 * among them.
 */
const deceiving =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]|[\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f]{3,}|[\u200b\u2060-\u2064\ufeff]{2,}/u;

/** The first character of a text that hides something from human readers. */
export function misleadingCharacter(text: string): HiddenCharacter | undefined {
  const found = deceiving.exec(text);
  if (found === null) return undefined;
  const [first = ""] = found[0];
  return { offset: found.index, shown: showUnsafe(first) === first ? "joiners in a row" : showUnsafe(first) };
}

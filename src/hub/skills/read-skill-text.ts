import { createFileAccess, decodeText, fileFailure, type FileAccess, type ReadFileResult } from "../../file/index.ts";
import { LineIndex, stripUnsafe } from "../../text/index.ts";
import { misleadingCharacter } from "./hidden-text.ts";
import type { Skill } from "./skill.ts";
import { skillFailure } from "./skill-reasons.ts";

/** Maximum bytes read from a file of a skill. */
export const maxFileBytes = 5_242_880;

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
export interface TextPage {
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

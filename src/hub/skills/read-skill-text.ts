import { createFileDoor, decodeText, refuseFile, type FileDoor, type ReadFile } from "../../file/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { deceivingCharacter, positionOf } from "./hidden-text.ts";
import type { Skill } from "./skill.ts";
import { refuseSkill } from "./skill-reasons.ts";

/** The most that is read of a file of a skill. */
export const maxFileBytes = 5_242_880;

/** The door to the files of a skill: its own folder, for reading, and nothing that a link leads to outside of it. */
export function skillDoor({ dir }: Pick<Skill, "dir">, maxBytes: number = maxFileBytes): FileDoor {
  return createFileDoor({ roots: [{ path: dir, write: false }], maxBytes });
}

/** Reads a whole file through the door. */
export async function readWhole(door: FileDoor, path: string, signal: AbortSignal): Promise<ReadFile> {
  const file = await door.read(path, { signal });
  if (!file.truncated) return file;
  throw refuseFile("too_large", `${file.path} has ${file.size} bytes, more than the ${door.maxBytes} allowed here`);
}

/**
 * A text as a model gets it, the same for every reader so that places in it agree; undefined where the bytes are no
 * text. A text in which something is hidden from people is refused as a whole: what it says is not what they read.
 */
export function skillText({ bytes, path }: Pick<ReadFile, "bytes" | "path">, skill: Skill): string | undefined {
  if (bytes.subarray(0, 8_192).includes(0) && !isUtf16(bytes)) return undefined;
  const { text, lossy } = decodeText(bytes, { path });
  if (lossy) return undefined;
  const hidden = deceivingCharacter(text);
  if (hidden === undefined) return stripUnsafe(text);
  const { line, column } = positionOf(text, hidden.offset);
  const place = `${skill.folder}/${path}:${line}:${column}`;
  throw refuseSkill(
    "hidden_text",
    `${place} holds ${hidden.shown}, which people do not see; remove it to use the file`,
  );
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** A part of a text. */
export interface Page {
  readonly content: string;
  /** Where to go on; undefined at the end. */
  readonly next?: number;
}

/** At most so many characters from a place on, up to the end of a line where there is one. */
export function pageOf(text: string, from: number, most: number): Page {
  const start = splitsPair(text, from) ? from + 1 : from;
  if (text.length - start <= most) return { content: text.slice(start) };
  const lineEnd = text.lastIndexOf("\n", start + most - 1) + 1;
  // A line that is longer than the page is cut in it, but not inside of a character.
  const wide = lineEnd > start ? lineEnd : start + most;
  const end = splitsPair(text, wide) ? wide - 1 : wide;
  return { content: text.slice(start, end), next: end };
}

/** Is this place between the two halves of a character? */
function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

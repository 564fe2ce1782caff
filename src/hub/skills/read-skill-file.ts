import { type Attachment, type Ok, ok, attachmentKind } from "../../tool/index.ts";
import { pageOf, readWholeFile, skillFileAccess, skillText } from "./load-instructions.ts";
import type { Skill } from "./skill.ts";

/** Output of `skill_read`. */
export interface SkillFile {
  readonly skill: string;
  readonly path: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The text, or a part of it; undefined if the file is binary and returned as an attachment. */
  readonly content?: string;
  readonly mime_type?: string;
  /** There is more text than was returned. */
  readonly truncated?: boolean;
  /** Offset to continue from. */
  readonly next_offset?: number;
}

/** A file, and the offset to start from. */
export interface SkillFileRange {
  readonly path: string;
  /** Characters to leave out. */
  readonly offset: number;
  /** Maximum number of characters. */
  readonly chars: number;
}

/** Reads a file of a skill: text as text, anything else as an attachment. Nothing outside of its folder is read. */
export async function readSkillFile(
  skill: Skill,
  { path, offset, chars }: SkillFileRange,
  signal: AbortSignal,
): Promise<SkillFile | Ok<SkillFile>> {
  const file = await readWholeFile(skillFileAccess(skill), path, signal);
  const facts = { skill: skill.name, path: file.path, size: file.size };
  const mimeType = types.get(/\.(\w+)$/.exec(file.path)?.[1]?.toLowerCase() ?? "") ?? "application/octet-stream";
  const kind = attachmentKind(mimeType);
  const text = kind === "file" ? skillText(file, skill) : undefined;
  if (text === undefined) {
    const attachment: Attachment = { kind, mimeType, data: file.bytes, name: file.path };
    return ok({ ...facts, mime_type: mimeType }, { attachments: [attachment] });
  }
  const { content, next } = pageOf(text, Math.min(offset, text.length), chars);
  return { ...facts, content, ...(next !== undefined && { truncated: true, next_offset: next }) };
}

/** Media types by file extension; `svg` is returned as text. */
const types: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
]);

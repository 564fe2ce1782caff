import { type Attachment, type Ok, ok } from "../../tool/index.ts";
import { pageOf, readWhole, skillDoor, skillText } from "./read-skill-text.ts";
import type { Skill } from "./skill.ts";

/** What `skill_read` gives. */
export interface SkillFile {
  readonly skill: string;
  readonly path: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The text, or a part of it; absent where the file is no text and travels beside the result. */
  readonly content?: string;
  readonly mime_type?: string;
  /** There is more text than was given. */
  readonly truncated?: boolean;
  /** Where to go on. */
  readonly next_offset?: number;
}

/** Which file, and from where on. */
export interface SkillFileRange {
  readonly path: string;
  /** Characters to leave out. */
  readonly offset: number;
  /** The most characters to give. */
  readonly chars: number;
}

/** Reads a file of a skill: text as text, anything else as an attachment. Nothing outside of its folder is read. */
export async function readSkillFile(
  skill: Skill,
  { path, offset, chars }: SkillFileRange,
  signal: AbortSignal,
): Promise<SkillFile | Ok<SkillFile>> {
  const file = await readWhole(skillDoor(skill), path, signal);
  const facts = { skill: skill.name, path: file.path, size: file.size };
  const mimeType = typeOf(file.path);
  const kind = kindOf(mimeType);
  const text = kind === "file" ? skillText(file, skill) : undefined;
  if (text === undefined) {
    const attachment: Attachment = { kind, mimeType, data: file.bytes, name: file.path };
    return ok({ ...facts, mime_type: mimeType }, { attachments: [attachment] });
  }
  const { content, next } = pageOf(text, Math.min(offset, text.length), chars);
  return { ...facts, content, ...(next !== undefined && { truncated: true, next_offset: next }) };
}

function kindOf(mimeType: string): Attachment["kind"] {
  if (mimeType.startsWith("image/")) return "image";
  return mimeType.startsWith("audio/") ? "audio" : "file";
}

/** Types by the ending of a name; `svg` is text to whoever reads it. */
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

function typeOf(path: string): string {
  return types.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? "application/octet-stream";
}

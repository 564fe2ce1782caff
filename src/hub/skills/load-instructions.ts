import type { FileDoor } from "../../file/index.ts";
import { findFrontMatter } from "./front-matter.ts";
import { maxSkillBytes } from "./read-front-matter.ts";
import { pageOf, readWhole, skillDoor, skillText } from "./read-skill-text.ts";
import type { Skill } from "./skill.ts";
import { refuseSkill } from "./skill-reasons.ts";

/** What a skill tells whoever uses it. */
export interface Instructions {
  readonly skill: string;
  readonly instructions: string;
  /** Where its files are, relative to the workspace. */
  readonly folder: string;
  /** Its files, relative to the folder. */
  readonly files: readonly string[];
  /** What to know about the rest. */
  readonly note?: string;
  readonly compatibility?: string;
  /** What it was called for. */
  readonly task?: string;
}

/** How much of a skill is given at once. */
export interface InstructionLimits {
  /** Characters of the instructions. */
  readonly instructionChars: number;
  /** Names of files. */
  readonly maxFiles: number;
}

/** Entries looked at to list the files of a skill. */
const maxEntries = 2_000;

/** What programs leave behind, and nobody reads. */
const leftBehind = /(?:^|\/)(?:node_modules|__pycache__)\//;

/** Reads the instructions of a skill from its file, as they are now, and lists its files without reading them. */
export async function loadInstructions(
  skill: Skill,
  { instructionChars, maxFiles }: InstructionLimits,
  signal: AbortSignal,
): Promise<Instructions> {
  const door = skillDoor(skill, maxSkillBytes);
  const text = skillText(await readWhole(door, skill.entry, signal), skill);
  const found = findFrontMatter(text ?? "");
  if (text === undefined || found.kind !== "found") {
    const how = `windlass skills validate ${skill.folder} tells more`;
    throw refuseSkill("broken_skill", `${skill.file} has no front matter any more, or is no text; ${how}`);
  }
  const start = text.length - text.slice(found.end).trimStart().length;
  const { content, next } = pageOf(text, start, instructionChars);
  const files = await filesOf(door, skill, { maxFiles, signal });
  const notes = [
    ...(content === "" ? ["The skill has no instructions."] : []),
    ...(next === undefined ? [] : [goOn(skill, text.length - next, next)]),
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

function goOn({ name, entry }: Skill, rest: number, next: number): string {
  const call = JSON.stringify({ skill: name, path: entry, offset: next });
  return `${rest} more characters of instructions follow: call skill_read with ${call}.`;
}

interface Listing {
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

async function filesOf(
  door: FileDoor,
  { entry }: Skill,
  { maxFiles, signal }: Listing,
): Promise<{ paths: string[]; more: boolean }> {
  const paths: string[] = [];
  const walk = door.walk(".", { maxEntries, maxDepth: 8, signal });
  for (;;) {
    const step = await walk.next();
    if (step.done === true) return { paths, more: step.value.truncated };
    const { type, path } = step.value;
    if (type !== "file" || path === entry || leftBehind.test(path)) continue;
    if (paths.length === maxFiles) {
      await walk.return({ entries: 0, truncated: true, unreadable: [] });
      return { paths, more: true };
    }
    paths.push(path);
  }
}

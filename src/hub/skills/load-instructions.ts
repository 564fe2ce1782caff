import { cliCommand } from "../../base/index.ts";
import type { FileAccess } from "../../file/index.ts";
import { findFrontMatter } from "../../text/index.ts";
import { maxSkillBytes } from "./read-front-matter.ts";
import { pageOf, readWholeFile, skillFileAccess, skillText } from "./read-skill-text.ts";
import type { Skill } from "./skill.ts";
import { skillFailure } from "./skill-reasons.ts";

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

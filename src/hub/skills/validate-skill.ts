import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { realPlace } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { fileProblem } from "../folder/read-text.ts";
import { entriesOf } from "../folder/scan-folder.ts";
import { checkInstructions } from "./check-instructions.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import type { SkillFields } from "./skill.ts";

/** What a strict look at a skill found. */
export interface ValidatedSkill {
  /** The folder. */
  readonly dir: string;
  readonly valid: boolean;
  /** What it says of itself, as far as it can be read. */
  readonly fields?: SkillFields;
  /** Errors are against the format, warnings against its advice. Files are absolute paths. */
  readonly problems: readonly Problem[];
}

/**
 * Checks a skill for whoever writes it: everything that the format demands and advises, the instructions included.
 * Reads files and runs nothing.
 *
 * @example
 * ```ts
 * const { valid, problems } = await validateSkill("skills/weekly-report");
 * ```
 */
export async function validateSkill(path: string): Promise<ValidatedSkill> {
  const dir = resolve(path);
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    const message = found === undefined ? "there is no such folder" : "a skill is a folder with a SKILL.md in it";
    return judged(dir, [fileProblem(dir, "not_a_folder", message)]);
  }
  const names = (await entriesOf(dir)).map(({ name }) => name);
  const entry = names.find((name) => name === "SKILL.md") ?? names.find((name) => name.toLowerCase() === "skill.md");
  if (entry === undefined) return judged(dir, [fileProblem(dir, "no_skill", "there is no SKILL.md in the folder")]);
  const file = join(dir, entry);
  if ((await realPlace(file, dir)).kind !== "inside") {
    return judged(dir, [fileProblem(file, "outside_skill", "the file is a link that leads out of the folder")]);
  }
  const read = await readFrontMatter(file, file);
  if (read.problem !== undefined) return judged(dir, [read.problem]);
  const { fields, problems } = parseSkill({ ...read, file, entry, folder: basename(dir) }, "author");
  const text = await readFile(file);
  const instructions = await checkInstructions(text, { file, dir });
  return judged(dir, [...problems, ...instructions], fields);
}

function judged(dir: string, problems: readonly Problem[], fields?: SkillFields): ValidatedSkill {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { dir, valid: !hasErrors(sorted), ...(fields !== undefined && { fields }), problems: sorted };
}

import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve, dirname } from "node:path";
import { resolveRealPath } from "../../base/index.ts";
import { type Problem, hasErrors } from "../../text/index.ts";
import { fileProblem } from "../tool-folder/read-text.ts";
import { readDirectory } from "../tool-folder/scan-folder.ts";
import { checkInstructions } from "./check-instructions.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import type { SkillFields } from "./skill.ts";
import { mapInSlices } from "./map-in-slices.ts";
import { scanCode, scanSkills } from "./scan-skills.ts";

/** Result of validating a skill. */
export interface ValidatedSkill {
  /** The folder. */
  readonly dir: string;
  readonly valid: boolean;
  /** Its fields, as far as they can be read. */
  readonly fields?: SkillFields;
  /** Errors are against the format, warnings against its advice. Files are absolute paths. */
  readonly problems: readonly Problem[];
}

/**
 * Validates a skill for its author: everything that the format requires and recommends, including the instructions.
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
  const names = (await readDirectory(dir)).map(({ name }) => name);
  const entry = names.find((name) => name === "SKILL.md") ?? names.find((name) => name.toLowerCase() === "skill.md");
  if (entry === undefined) return judged(dir, [fileProblem(dir, "no_skill", "there is no SKILL.md in the folder")]);
  const file = join(dir, entry);
  if ((await resolveRealPath(file, dir)).kind !== "inside") {
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

/** Result of validating one or more skills. Files of problems are absolute paths. */
export interface ValidatedSkills {
  readonly skills: readonly ValidatedSkill[];
  /** Problems other than those of the skills themselves. */
  readonly problems: readonly Problem[];
  /** Files with tools, which run as code if the workspace enables it; absolute paths. */
  readonly code: readonly string[];
}

/** Checks the skill that a path names by its folder or its file, or every skill in a folder of the workspace. */
export async function validateSkills(path: string, root: string): Promise<ValidatedSkills> {
  const source = resolve(path);
  const dir = isSkillFile(basename(source)) ? dirname(source) : source;
  const entries = await readDirectory(dir);
  // A folder that cannot be listed is reported as an invalid skill.
  if (entries.length === 0 || entries.some(({ name }) => isSkillFile(name))) {
    const code = (await scanCode(dir, root)).map(({ path }) => path);
    return { skills: [await validateSkill(dir)], problems: [], code };
  }
  const found = await scanSkills(dir, root);
  const problems = found.problems.map((problem) => ({ ...problem, file: join(root, problem.file) }));
  const skills = await mapInSlices(found.skills, (skill) => validateSkill(skill.dir));
  const code = found.files.map(({ path }) => path);
  if (skills.length + code.length > 0) return { skills, problems, code };
  const wrong = fileProblem(dir, "no_skill", "there are no skills in the folder");
  return { skills, problems: [...problems.filter(({ severity }) => severity === "error"), wrong], code };
}

function isSkillFile(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

import { basename, dirname, join, resolve } from "node:path";
import type { Problem } from "../../text/index.ts";
import { fileProblem } from "../folder/read-text.ts";
import { entriesOf } from "../folder/scan-folder.ts";
import { inSlices } from "./in-slices.ts";
import { scanCode, scanSkills } from "./scan-skills.ts";
import { type ValidatedSkill, validateSkill } from "./validate-skill.ts";

/** What a strict look at one or more skills found. Files of problems are absolute paths. */
export interface ValidatedSkills {
  readonly skills: readonly ValidatedSkill[];
  /** What is wrong besides the skills themselves. */
  readonly problems: readonly Problem[];
  /** Files that hold tools, and run as code where the workspace says so; absolute paths. */
  readonly code: readonly string[];
}

/** Checks the skill that a path names by its folder or its file, or every skill in a folder of the workspace. */
export async function validateSkills(path: string, root: string): Promise<ValidatedSkills> {
  const given = resolve(path);
  const dir = isSkillFile(basename(given)) ? dirname(given) : given;
  const entries = await entriesOf(dir);
  // What cannot be listed at all is told as a skill that is none.
  if (entries.length === 0 || entries.some(({ name }) => isSkillFile(name))) {
    const code = (await scanCode(dir, root)).map(({ path }) => path);
    return { skills: [await validateSkill(dir)], problems: [], code };
  }
  const found = await scanSkills(dir, root);
  const problems = found.problems.map((problem) => ({ ...problem, file: join(root, problem.file) }));
  const skills = await inSlices(found.skills, (skill) => validateSkill(skill.dir));
  const code = found.code.map(({ path }) => path);
  if (skills.length + code.length > 0) return { skills, problems, code };
  const wrong = fileProblem(dir, "no_skill", "there are no skills in the folder");
  return { skills, problems: [...problems.filter(({ severity }) => severity === "error"), wrong], code };
}

function isSkillFile(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

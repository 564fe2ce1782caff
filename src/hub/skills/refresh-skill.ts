import { basename } from "node:path";
import { type Problem, hasErrors } from "../../text/index.ts";
import { fileProblem } from "../folder/read-text.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import type { ScannedSkill } from "./scan-skills.ts";
import type { Skill } from "./skill.ts";

/** What is known of one skill. */
export interface SkillState {
  readonly file: string;
  readonly stamp: string | undefined;
  /** The front matter, for code frames and to see whether it changed. */
  readonly text: string;
  /** As the last version that could be used says. */
  readonly skill: Skill | undefined;
  /** Of the present version. */
  readonly problems: readonly Problem[];
}

/**
 * What is known of a skill after looking at its file again. An unchanged front matter keeps the very skill, since the
 * instructions are read when they are used; an edit that cannot be used keeps the skill that could.
 */
export async function refreshSkill(found: ScannedSkill, known: SkillState | undefined): Promise<SkillState> {
  const { file, stamp } = found;
  if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known;
  if (found.outside) {
    const message = "the file is a link that leads out of the folder of its skill; put the file in its place";
    // Not the one from before either: what is behind a link like that is none of ours.
    return { file, stamp, text: "", skill: undefined, problems: [fileProblem(file, "outside_skill", message)] };
  }
  const read = await readFrontMatter(`${found.dir}/${found.entry}`, file);
  if (read.problem !== undefined) return { file, stamp, text: "", skill: known?.skill, problems: [read.problem] };
  if (known !== undefined && known.text === read.text && !hasErrors(known.problems)) return { ...known, stamp };
  const { dir, folder, entry } = found;
  const { fields, problems } = parseSkill({ ...read, file, entry, folder: basename(folder) }, "loader");
  const skill = fields === undefined ? known?.skill : { ...fields, dir, folder, entry, file };
  return { file, stamp, text: read.text, skill, problems };
}

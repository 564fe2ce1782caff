import { type Problem, parseYaml } from "../../text/index.ts";
import { findFrontMatter } from "./front-matter.ts";
import type { SkillState } from "./refresh-skill.ts";
import type { Skill } from "./skill.ts";

/** All skills of a folder together. */
export interface MergedSkills {
  /** By name, in the order of the names. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly Problem[];
}

/** The skills of all files. Where two have one name, the first in order keeps it and the second is told. */
export function mergeSkills(states: Iterable<SkillState>): MergedSkills {
  const byName = new Map<string, Skill>();
  const problems: Problem[] = [];
  for (const state of states) {
    problems.push(...state.problems);
    const { skill } = state;
    if (skill === undefined) continue;
    const first = byName.get(skill.name);
    if (first === undefined) byName.set(skill.name, skill);
    else problems.push(duplicate(state, skill.name, first.file));
  }
  return { skills: new Map([...byName].toSorted(([a], [b]) => (a < b ? -1 : 1))), problems };
}

function duplicate({ file, text }: SkillState, name: string, first: string): Problem {
  const found = findFrontMatter(text);
  const place = found.kind === "found" ? parseYaml(found.yaml, { file }).locate(["name"]) : { line: 1, column: 1 };
  const message = `the skill "${name}" is already defined in ${first}`;
  return { severity: "error", code: "duplicate_skill", message, hint: "rename one of the two", file, ...place };
}

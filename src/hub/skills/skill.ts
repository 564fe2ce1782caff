import type { Position } from "../../text/index.ts";

/** A tool that a skill wants to use unasked, as its `allowed-tools` writes it: `Read`, `Bash(git:*)`. */
export interface AllowedTool extends Position {
  readonly text: string;
  readonly name: string;
  /** What stands in the parentheses. */
  readonly argument?: string;
}

/** What the front matter of a SKILL.md says. */
export interface SkillFields {
  /** Letters, digits and hyphens; by it the skill is called. */
  readonly name: string;
  /** What the skill does and when to use it; a model chooses by it. */
  readonly description: string;
  readonly license?: string;
  /** What the skill needs around it. */
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowedTools: readonly AllowedTool[];
  /** In no list that a model sees; whoever knows its name can load it. */
  readonly hidden: boolean;
}

/** A skill that is known: everything but its instructions and its files, which are read when somebody uses them. */
export interface Skill extends SkillFields {
  /** Its folder on the disk. */
  readonly dir: string;
  /** The same relative to the workspace, such as `skills/pdf`. */
  readonly folder: string;
  /** The name of its file within the folder, which is `SKILL.md`, or nearly so. */
  readonly entry: string;
  /** The file relative to the workspace, such as `skills/pdf/SKILL.md`. */
  readonly file: string;
}

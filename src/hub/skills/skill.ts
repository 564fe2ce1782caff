import type { SourceRange } from "../../text/index.ts";

/** A tool that a skill may use without approval, as in its `allowed-tools`: `Read`, `Bash(git:*)`. */
export interface AllowedTool extends SourceRange {
  readonly text: string;
  readonly name: string;
  /** Text in the parentheses. */
  readonly argument?: string;
}

/** Fields of the front matter of a SKILL.md. */
export interface SkillFields {
  /** Letters, digits and hyphens; by it the skill is called. */
  readonly name: string;
  /** Purpose of the skill and when to use it; a model chooses by it. */
  readonly description: string;
  readonly license?: string;
  /** Requirements of the skill on its environment. */
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowedTools: readonly AllowedTool[];
  /** Not listed for models; it can be loaded by name. */
  readonly hidden: boolean;
}

/** A known skill: everything but its instructions and its files, which are read on use. */
export interface Skill extends SkillFields {
  /** Its folder on the disk. */
  readonly dir: string;
  /** The same relative to the workspace, such as `skills/pdf`. */
  readonly folder: string;
  /** The name of its file within the folder, which is `SKILL.md`, or nearly so. */
  readonly entry: string;
  /** The file relative to the workspace, such as `skills/pdf/SKILL.md`. */
  readonly file: string;
  /** True if files with several names can be read. */
  readonly hardLinks?: boolean | undefined;
}

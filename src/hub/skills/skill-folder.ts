import { basename } from "node:path";
import { toOptions } from "../../schema/index.ts";
import { type Problem, findFrontMatter, parseYaml, hasErrors } from "../../text/index.ts";
import { mergeTools } from "../tool-folder/merge-tools.ts";
import type { FileState } from "../tool-folder/refresh-file.ts";
import {
  type FolderTools,
  RegistryFolder,
  type ToolFolder,
  type ToolFolderOptions,
} from "../tool-folder/tool-folder.ts";
import { mapInSlices, type ScannedSkills, scanSkills, type ScannedSkill } from "./scan-skills.ts";
import type { Skill } from "./skill.ts";
import { skillCatalogue, skillTable } from "./skill-catalogue.ts";
import { type AllowableTools, skillRules } from "./skill-rules.ts";
import { SkillSessions } from "./skill-sessions.ts";
import { type SkillLimits, SkillTools, skillToolNames } from "./skill-tools.ts";
import { fileProblem } from "../tool-folder/read-text.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";

/** Options of `createSkillFolder`. Its tools are registered under the `skills` source, at priority 1. */
export interface SkillFolderOptions extends ToolFolderOptions {
  /** Tools that `allowed-tools` may name without a warning. Default: those of the registry. */
  readonly allowable?: AllowableTools;
  /**
   * Load tools from code and YAML beside the skills. Default: not loaded, since skills are untrusted, with a problem
   * per file.
   */
  readonly code?: boolean;
  /** Apply `allowed-tools` of skills. Default: false, since a skill is untrusted content. */
  readonly trustAllowedTools?: boolean;
  /** Read files with several names (hard links), which may belong to other folders. Default: false. */
  readonly hardLinks?: boolean;
  readonly limits?: Partial<SkillLimits>;
}

/** A folder of skills, synchronized with a registry. The source of a SKILL.md is its front matter. */
export interface SkillFolder extends ToolFolder {
  /** The skills in use per conversation, and their permissions. */
  readonly sessions: SkillSessions;
  /** The skills that can be used, by name. */
  skills(): readonly Skill[];
  skill(name: string): Skill | undefined;
  /** Names and descriptions for a prompt, within a budget of characters. */
  catalogue(budget?: number): string;
  /** Files with tools beside the skills, relative to the workspace, whether they are loaded or not. */
  codeFiles(): readonly string[];
}

/** Default limits. The format recommends instructions of at most 5,000 tokens. */
const skillDefaults: SkillLimits = { ...toOptions(skillTable), maxFiles: 100 };

/**
 * A folder of skills, in the open format: `NAME/SKILL.md`, with front matter and instructions, and files beside it. Of
 * each only the front matter is read; instructions and files are read when the tools `skill`, `skill_read` or
 * `skills/NAME` need them. With `code`, tools made of code or YAML (`*.ts` in the folder, `NAME/tool.ts`,
 * `NAME/tools/*`) are loaded as from a folder of tools.
 *
 * @example
 * ```ts
 * const skills = createSkillFolder({ dir: "skills", registry, executors });
 * await skills.load();
 * const prompt = `Skills you can load:\n${skills.catalogue()}`;
 * ```
 */
export function createSkillFolder(options: SkillFolderOptions): SkillFolder {
  return new RegistrySkills(options);
}

class RegistrySkills extends RegistryFolder<ScannedSkills> implements SkillFolder {
  readonly sessions: SkillSessions;
  readonly #allowable: AllowableTools;
  readonly #tools: SkillTools;
  readonly #limits: SkillLimits;
  readonly #code: boolean | undefined;
  readonly #trusted: boolean;
  readonly #hardLinks: boolean | undefined;
  /** By file, in the order of the scan. */
  #states: ReadonlyMap<string, SkillState> = new Map();
  #codeFiles: readonly string[] = [];
  #skills: ReadonlyMap<string, Skill> = new Map();

  constructor({ code, trustAllowedTools = false, hardLinks, limits, ...options }: SkillFolderOptions) {
    super(options, { source: "skills", priority: 1 });
    this.#allowable = options.allowable ?? options.registry;
    this.#code = code;
    this.#trusted = trustAllowedTools;
    this.#hardLinks = hardLinks;
    this.#limits = { ...skillDefaults, ...limits };
    this.sessions = new SkillSessions({ tools: options.registry, trusted: trustAllowedTools });
    this.#tools = new SkillTools({ sessions: this.sessions, limits: this.#limits, skills: () => this.#skills });
  }

  skills(): readonly Skill[] {
    return [...this.#skills.values()];
  }

  skill(name: string): Skill | undefined {
    return this.#skills.get(name);
  }

  catalogue(budget: number = this.#limits.catalogueChars): string {
    return skillCatalogue(this.skills(), budget);
  }

  codeFiles(): readonly string[] {
    return this.#codeFiles;
  }

  override problems(): readonly Problem[] {
    const problems = super.problems();
    return this.#trusted ? [...problems, ...this.#ignoredTools()] : problems;
  }

  override sourceOf(file: string): string | undefined {
    return this.#states.get(file)?.text ?? super.sourceOf(file);
  }

  /**
   * The scanned files, without code that is not to be loaded; without an explicit setting, each code file is reported.
   */
  protected async scan(dir: string, root: string): Promise<ScannedSkills> {
    const found = await scanSkills(dir, root);
    this.#codeFiles = found.files.map(({ name }) => name);
    if (this.#code === true) return found;
    const unreported = this.#code === undefined ? this.#codeFiles : [];
    return { ...found, files: [], problems: [...found.problems, ...unreported.map(unloadedCode)] };
  }

  protected isUnchanged({ skills }: ScannedSkills): boolean {
    const isSame = ({ file, stamp }: ScannedSkill): boolean => {
      const known = this.#states.get(file);
      return known !== undefined && known.stamp === stamp;
    };
    return skills.length === this.#states.size && skills.every(isSame);
  }

  protected async refresh({ skills }: ScannedSkills): Promise<void> {
    const refresh = (skill: ScannedSkill): Promise<SkillState> =>
      refreshSkill(skill, this.#states.get(skill.file), this.#hardLinks);
    const states = await mapInSlices(skills, refresh);
    this.#states = new Map(states.map((state) => [state.file, state]));
  }

  /** The tools of skills and those of code. The names of the former are theirs. */
  protected merge(files: ReadonlyMap<string, FileState>): FolderTools {
    const merged = mergeSkills(this.#states.values());
    const coded = mergeTools(files);
    this.#skills = merged.skills;
    const own = this.#tools.for(this.skills());
    const taken = new Set([...skillToolNames, ...own.map(({ name }) => name)]);
    const clashes = coded.tools.filter(({ name }) => taken.has(name));
    const owners = new Map(coded.owners);
    for (const { name, file } of merged.skills.values()) owners.set(`skills/${name}`, file);
    return {
      tools: [...own, ...coded.tools.filter(({ name }) => !taken.has(name))],
      owners,
      broken: coded.broken,
      problems: [
        ...merged.problems,
        ...coded.problems,
        ...clashes.map(({ name }) => reserved(name, coded.owners.get(name) ?? "")),
      ],
    };
  }

  /** Entries of `allowed-tools` that allow nothing. Computed on demand: tools of servers are registered later. */
  #ignoredTools(): Problem[] {
    return this.skills().flatMap((skill) =>
      skillRules(skill, this.#allowable).ignored.map(({ tool, why }) => {
        const { text, line, column, length = text.length } = tool;
        const message = `"${text}" of allowed-tools allows nothing: ${why}`;
        return { severity: "warning", code: "ignored_tool", message, file: skill.file, line, column, length } as const;
      }),
    );
  }
}

function reserved(name: string, file: string): Problem {
  const message = `the name "${name}" belongs to the skills themselves`;
  return { severity: "error", code: "reserved_name", message, hint: "rename the tool", file, line: 1, column: 1 };
}

/** All skills of a folder together. */
interface MergedSkills {
  /** By name, in the order of the names. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly Problem[];
}

/** The skills of all files. If two have the same name, the first in order keeps it and the second is reported. */
function mergeSkills(states: Iterable<SkillState>): MergedSkills {
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
  const position = found.kind === "found" ? parseYaml(found.yaml, { file }).locate(["name"]) : { line: 1, column: 1 };
  const message = `the skill "${name}" is already defined in ${first}`;
  return { severity: "error", code: "duplicate_skill", message, hint: "rename one of the two", file, ...position };
}

/** State of one skill. */
interface SkillState {
  readonly file: string;
  readonly stamp: string | undefined;
  /** The front matter, for code frames and to see whether it changed. */
  readonly text: string;
  /** The skill of the last good version. */
  readonly skill: Skill | undefined;
  /** Problems of the present version. */
  readonly problems: readonly Problem[];
}

/**
 * The state of a skill after checking its file. With an unchanged front matter it keeps the same skill object, since
 * the instructions are read on use; an invalid edit keeps the last good skill.
 */
async function refreshSkill(
  found: ScannedSkill,
  known: SkillState | undefined,
  hardLinks: boolean | undefined,
): Promise<SkillState> {
  const { file, stamp } = found;
  if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known;
  if (found.outside) {
    const message = "the file is a link that leads out of the folder of its skill; put the file in its place";
    // The earlier skill is dropped too: a link out of the workspace is not followed.
    return { file, stamp, text: "", skill: undefined, problems: [fileProblem(file, "outside_skill", message)] };
  }
  const read = await readFrontMatter(`${found.dir}/${found.entry}`, file);
  if (read.problem !== undefined) return { file, stamp, text: "", skill: known?.skill, problems: [read.problem] };
  if (known !== undefined && known.text === read.text && !hasErrors(known.problems)) return { ...known, stamp };
  const { dir, folder, entry } = found;
  const { fields, problems } = parseSkill({ ...read, file, entry, folder: basename(folder) }, "loader");
  const skill = fields === undefined ? known?.skill : { ...fields, dir, folder, entry, file, hardLinks };
  return { file, stamp, text: read.text, skill, problems };
}

/**
 * Reports a file beside a skill that contains tools and was not loaded. A skill is untrusted: its code runs only if the
 * workspace enables it, and without a setting the user gets a warning.
 */
export function unloadedCode(file: string): Problem {
  const message = "the file contains tools and is not loaded: code beside skills runs only if the workspace enables it";
  const hint = "review it, then write skills: { code: true } in windlass.yaml, or code: false to silence this warning";
  return { severity: "warning", code: "code_not_loaded", message, hint, file, line: 1, column: 1 };
}

import { dirname, resolve, basename } from "node:path";
import { type Problem, findFrontMatter, parseYaml, hasErrors } from "../../text/index.ts";
import type { AnyTool, ToolRegistry } from "../../tool/index.ts";
import { type ToolFolderEvent, FolderEventEmitter } from "../tool-folder/folder-event-emitter.ts";
import {
  type FolderChange,
  FolderReloader,
  type ReloadMode,
  type ReloadReason,
  noChange,
} from "../tool-folder/folder-reloader.ts";
import type { ToolFileDeps } from "../tool-folder/load-tool-file.ts";
import { mergeTools } from "../tool-folder/merge-tools.ts";
import { type FileState, areUnchanged, refreshFiles } from "../tool-folder/refresh-file.ts";
import { mapInSlices } from "./map-in-slices.ts";
import { type ScannedSkills, scanSkills, type ScannedSkill } from "./scan-skills.ts";
import type { Skill } from "./skill.ts";
import { catalogueChars, skillCatalogue } from "./skill-catalogue.ts";
import { skillRules } from "./skill-rules.ts";
import { SkillSessions } from "./skill-sessions.ts";
import { type SkillLimits, SkillTools, skillToolNames } from "./skill-tools.ts";
import { fileProblem } from "../tool-folder/read-text.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";

/** Options of `createSkillFolder`. */
export interface SkillFolderOptions extends Omit<ToolFileDeps, "root" | "signal"> {
  readonly dir: string;
  /** The workspace, which must contain everything. Default: the parent folder of `dir`. */
  readonly root?: string;
  /** Registry for the tools, under the `skills` source at priority 1, owned by this folder. */
  readonly registry: ToolRegistry;
  readonly onEvent?: (event: ToolFolderEvent) => void;
  readonly mode?: ReloadMode;
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

/** A folder of skills, synchronized with a registry. */
export interface SkillFolder {
  /** The skills in use per conversation, and their permissions. */
  readonly sessions: SkillSessions;
  /** Loads the folder for the first time and starts checking for changes. */
  load(): Promise<FolderChange>;
  /** Checks the folder now. Calls during a reload share the next one. */
  reload(): Promise<FolderChange>;
  /** The skills that can be used, by name. */
  skills(): readonly Skill[];
  skill(name: string): Skill | undefined;
  /** Names and descriptions for a prompt, within a budget of characters. */
  catalogue(budget?: number): string;
  /** Files with tools beside the skills, relative to the workspace, whether they are loaded or not. */
  codeFiles(): readonly string[];
  /** Problems of the files as they are now, including warnings. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames; of a SKILL.md, its front matter. */
  sourceOf(file: string): string | undefined;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  /** The first error of the file that defines a tool of this name; undefined if no file with errors does. */
  fileError(tool: string): Problem | undefined;
  /** Files that its tools execute or read: imported modules, and files that commands name. Absolute. */
  dependencies(): readonly string[];
  /** Stops looking; the tools stay registered. */
  close(): Promise<void>;
}

/** Default limits. The format recommends instructions of at most 5,000 tokens. */
const skillDefaults: SkillLimits = { catalogueChars, instructionChars: 20_000, maxFiles: 100 };

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

const source = "skills";

class RegistrySkills implements SkillFolder {
  readonly sessions: SkillSessions;
  readonly #dir: string;
  readonly #registry: ToolRegistry;
  readonly #world: ToolFileDeps;
  readonly #runs: FolderReloader;
  readonly #events: FolderEventEmitter;
  readonly #tools: SkillTools;
  readonly #limits: SkillLimits;
  readonly #codeRequested: boolean | undefined;
  readonly #trusted: boolean;
  readonly #hardLinks: boolean | undefined;
  /** By file, in the order of the scan. */
  #states: ReadonlyMap<string, SkillState> = new Map();
  #code: ReadonlyMap<string, FileState> = new Map();
  #codeFiles: readonly string[] = [];
  #skills: ReadonlyMap<string, Skill> = new Map();
  /** Problems that the scan found. */
  #skipped: readonly Problem[] = [];
  #problems: readonly Problem[] = [];
  /** The file of each tool. */
  #owners: ReadonlyMap<string, string> = new Map();
  /** Names that the files with errors define, each with the first error of its file. */
  #broken: ReadonlyMap<string, Problem> = new Map();

  constructor(options: SkillFolderOptions) {
    const {
      dir,
      root,
      registry,
      onEvent,
      mode,
      code,
      trustAllowedTools = false,
      hardLinks,
      limits,
      ...world
    } = options;
    this.#dir = resolve(dir);
    this.#registry = registry;
    this.#codeRequested = code;
    this.#trusted = trustAllowedTools;
    this.#hardLinks = hardLinks;
    this.#limits = { ...skillDefaults, ...limits };
    this.#runs = new FolderReloader({ dir: this.#dir, clock: world.clock, mode, run: (why) => this.#run(why) });
    this.#events = new FolderEventEmitter({ source, clock: world.clock, onEvent });
    this.#world = { ...world, root: resolve(root ?? dirname(this.#dir)), signal: this.#runs.signal };
    this.sessions = new SkillSessions({ tools: registry, trusted: trustAllowedTools });
    this.#tools = new SkillTools({ sessions: this.sessions, limits: this.#limits, skills: () => this.#skills });
  }

  load(): Promise<FolderChange> {
    return this.#runs.load();
  }

  reload(): Promise<FolderChange> {
    return this.#runs.reload();
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

  problems(): readonly Problem[] {
    return this.#trusted ? [...this.#problems, ...this.#ignoredTools()] : this.#problems;
  }

  sourceOf(file: string): string | undefined {
    return this.#states.get(file)?.text ?? this.#code.get(file)?.source;
  }

  fileOf(tool: string): string | undefined {
    return this.#owners.get(tool);
  }

  fileError(tool: string): Problem | undefined {
    return this.#broken.get(tool);
  }

  dependencies(): readonly string[] {
    return [...this.#code.values()].flatMap(({ dependencies }) => dependencies);
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #run(why: ReloadReason): Promise<FolderChange> {
    const { signal } = this.#runs;
    const found = this.#requested(await scanSkills(this.#dir, this.#world.root));
    if (signal.aborted || (why === "look" && !(await this.#differs(found)))) return noChange;
    this.#events.started(why);
    const refresh = (skill: ScannedSkill): Promise<SkillState> =>
      refreshSkill(skill, this.#states.get(skill.file), this.#hardLinks);
    const states = await mapInSlices(found.skills, refresh);
    const code = await refreshFiles(found.code, this.#code, this.#world);
    if (signal.aborted) return noChange;

    this.#states = new Map(states.map((state) => [state.file, state]));
    this.#code = code;
    const { tools, owners, problems } = this.#merge();
    this.#skipped = found.problems;
    this.#problems = [...found.problems, ...problems];
    this.#owners = owners;
    const origin = { source, owner: this.#dir, priority: 1 };
    const change = this.#events.change(this.#registry, () => this.#registry.replace(tools, origin));
    const errors = this.#events.ended({ why, change, problems: this.#problems, owners });
    this.#runs.alsoWatch([...code.values()].flatMap(({ modules }) => [...modules.keys()]));
    return { ...change, errors };
  }

  /**
   * The scanned files, without code that is not to be loaded; without an explicit setting, each code file is reported.
   */
  #requested(found: ScannedSkills): ScannedSkills {
    this.#codeFiles = found.code.map(({ name }) => name);
    if (this.#codeRequested === true) return found;
    const unreported = this.#codeRequested === undefined ? this.#codeFiles : [];
    return { ...found, code: [], problems: [...found.problems, ...unreported.map(unloadedCode)] };
  }

  /** The tools of skills and those of code. The names of the former are theirs. */
  #merge(): { tools: AnyTool[]; owners: ReadonlyMap<string, string>; problems: Problem[] } {
    const merged = mergeSkills(this.#states.values());
    const coded = mergeTools(this.#code);
    this.#broken = coded.broken;
    this.#skills = merged.skills;
    const own = this.#tools.for(this.skills());
    const taken = new Set([...skillToolNames, ...own.map(({ name }) => name)]);
    const clashes = coded.tools.filter(({ name }) => taken.has(name));
    const owners = new Map(coded.owners);
    for (const { name, file } of merged.skills.values()) owners.set(`skills/${name}`, file);
    return {
      tools: [...own, ...coded.tools.filter(({ name }) => !taken.has(name))],
      owners,
      problems: [
        ...merged.problems,
        ...coded.problems,
        ...clashes.map(({ name }) => reserved(name, coded.owners.get(name) ?? "")),
      ],
    };
  }

  /** Compares only the stamps to decide whether anything has to be read. */
  async #differs({ skills, code, problems }: ScannedSkills): Promise<boolean> {
    if (skills.length !== this.#states.size || JSON.stringify(problems) !== JSON.stringify(this.#skipped)) return true;
    const same = skills.every(({ file, stamp }) => {
      const known = this.#states.get(file);
      return known !== undefined && known.stamp === stamp;
    });
    return !same || !(await areUnchanged(code, this.#code));
  }

  /** Entries of `allowed-tools` that allow nothing. Computed on demand: tools of servers are registered later. */
  #ignoredTools(): Problem[] {
    return this.skills().flatMap((skill) =>
      skillRules(skill, this.#registry).ignored.map(({ tool, why }) => {
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

import { dirname, resolve } from "node:path";
import type { Problem } from "../../text/index.ts";
import type { AnyTool, ToolRegistry } from "../../tool/index.ts";
import { type FolderEvent, FolderEvents } from "../folder/folder-events.ts";
import { type FolderChange, FolderRuns, type ReloadMode, type Why, noChange } from "../folder/folder-runs.ts";
import type { ToolFileWorld } from "../folder/load-tool-file.ts";
import { mergeTools } from "../folder/merge-tools.ts";
import { type FileState, areUnchanged, refreshFiles } from "../folder/refresh-file.ts";
import { inSlices } from "./in-slices.ts";
import { mergeSkills } from "./merge-skills.ts";
import { type SkillState, refreshSkill } from "./refresh-skill.ts";
import { type ScannedSkills, scanSkills } from "./scan-skills.ts";
import type { Skill } from "./skill.ts";
import { catalogueChars, skillCatalogue } from "./skill-catalogue.ts";
import { skillRules } from "./skill-rules.ts";
import { SkillSessions } from "./skill-sessions.ts";
import { type SkillLimits, SkillTools, doorNames } from "./skill-tools.ts";
import { unloadedCode } from "./unloaded-code.ts";

/** What `createSkillFolder` takes. */
export interface SkillFolderOptions extends Omit<ToolFileWorld, "root" | "signal"> {
  readonly dir: string;
  /** The workspace, in which everything has to lie; the folder above `dir` where absent. */
  readonly root?: string;
  /** Where the tools go, as the `skills` source at priority 1, owned by this folder. */
  readonly registry: ToolRegistry;
  readonly onEvent?: (event: FolderEvent) => void;
  readonly mode?: ReloadMode;
  /**
   * Load tools from code and YAML beside the skills. Where absent they are not loaded, since a skill is from elsewhere,
   * and each file is told as a problem.
   */
  readonly code?: boolean;
  /** Let `allowed-tools` of skills count; false where absent, since a skill is text from elsewhere. */
  readonly trustAllowedTools?: boolean;
  readonly limits?: Partial<SkillLimits>;
}

/** A folder of skills, kept in step with a registry. */
export interface SkillFolder {
  /** Which skills are in use in which conversation, and what they allow there. */
  readonly sessions: SkillSessions;
  /** Loads the folder for the first time and starts looking for changes. */
  load(): Promise<FolderChange>;
  /** Looks at the folder now. Calls while a reload is under way share the one after it. */
  reload(): Promise<FolderChange>;
  /** The skills that can be used, by name. */
  skills(): readonly Skill[];
  skill(name: string): Skill | undefined;
  /** Names and descriptions for a prompt, in at most so many characters. */
  catalogue(budget?: number): string;
  /** Files beside the skills that hold tools, relative to the workspace, whether they are loaded or not. */
  codeFiles(): readonly string[];
  /** What is wrong with the files as they are now, warnings too. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames; of a SKILL.md, its front matter. */
  sourceOf(file: string): string | undefined;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  /** Stops looking; the tools stay registered. */
  close(): Promise<void>;
}

/** What is given at once where nobody says otherwise. The format advises instructions of at most 5,000 tokens. */
const usual: SkillLimits = { catalogueChars, instructionChars: 20_000, maxFiles: 100 };

/**
 * A folder of skills, in the open format: `NAME/SKILL.md`, with front matter and instructions, and files beside it. Of
 * each only the front matter is read; instructions and files are read when the tools `skill`, `skill_read` or
 * `skills/NAME` ask for them. With `code`, tools made of code or YAML (`*.ts` in the folder, `NAME/tool.ts`,
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
  readonly #world: ToolFileWorld;
  readonly #runs: FolderRuns;
  readonly #events: FolderEvents;
  readonly #tools: SkillTools;
  readonly #limits: SkillLimits;
  readonly #codeWanted: boolean | undefined;
  readonly #trusted: boolean;
  /** By file, in the order of the scan. */
  #states: ReadonlyMap<string, SkillState> = new Map();
  #code: ReadonlyMap<string, FileState> = new Map();
  #codeFiles: readonly string[] = [];
  #skills: ReadonlyMap<string, Skill> = new Map();
  /** What the scan told. */
  #skipped: readonly Problem[] = [];
  #problems: readonly Problem[] = [];
  /** The file of each tool. */
  #owners: ReadonlyMap<string, string> = new Map();

  constructor(options: SkillFolderOptions) {
    const { dir, root, registry, onEvent, mode, code, trustAllowedTools = false, limits, ...world } = options;
    this.#dir = resolve(dir);
    this.#registry = registry;
    this.#codeWanted = code;
    this.#trusted = trustAllowedTools;
    this.#limits = { ...usual, ...limits };
    this.#runs = new FolderRuns({ dir: this.#dir, clock: world.clock, mode, run: (why) => this.#run(why) });
    this.#events = new FolderEvents({ source, clock: world.clock, onEvent });
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

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #run(why: Why): Promise<FolderChange> {
    const { signal } = this.#runs;
    const found = this.#wanted(await scanSkills(this.#dir, this.#world.root));
    if (signal.aborted || (why === "look" && !(await this.#differs(found)))) return noChange;
    this.#events.started(why);
    const states = await inSlices(found.skills, (skill) => refreshSkill(skill, this.#states.get(skill.file)));
    const code = await refreshFiles(found.code, this.#code, this.#world);
    if (signal.aborted) return noChange;

    this.#states = new Map(states.map((state) => [state.file, state]));
    this.#code = code;
    const { tools, owners, problems } = this.#merge();
    this.#skipped = found.problems;
    this.#problems = [...found.problems, ...problems];
    this.#owners = owners;
    const change = this.#registry.replace(tools, { source, owner: this.#dir, priority: 1 });
    const errors = this.#events.ended({ why, change, problems: this.#problems, owners });
    this.#runs.alsoWatch([...code.values()].flatMap(({ modules }) => [...modules.keys()]));
    return { ...change, errors };
  }

  /** What was found, without code that is not to be loaded; where nobody decided that, each file of it is told. */
  #wanted(found: ScannedSkills): ScannedSkills {
    this.#codeFiles = found.code.map(({ name }) => name);
    if (this.#codeWanted === true) return found;
    const untold = this.#codeWanted === undefined ? this.#codeFiles : [];
    return { ...found, code: [], problems: [...found.problems, ...untold.map(unloadedCode)] };
  }

  /** The tools of skills and those of code. The names of the former are theirs. */
  #merge(): { tools: AnyTool[]; owners: ReadonlyMap<string, string>; problems: Problem[] } {
    const merged = mergeSkills(this.#states.values());
    const coded = mergeTools(this.#code);
    this.#skills = merged.skills;
    const own = this.#tools.for(this.skills());
    const taken = new Set([...doorNames, ...own.map(({ name }) => name)]);
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

  /** A look at the stamps alone tells whether anything has to be read. */
  async #differs({ skills, code, problems }: ScannedSkills): Promise<boolean> {
    if (skills.length !== this.#states.size || JSON.stringify(problems) !== JSON.stringify(this.#skipped)) return true;
    const same = skills.every(({ file, stamp }) => {
      const known = this.#states.get(file);
      return known !== undefined && known.stamp === stamp;
    });
    return !same || !(await areUnchanged(code, this.#code));
  }

  /** Entries of `allowed-tools` that allow nothing. Worked out when asked: tools of servers come later. */
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

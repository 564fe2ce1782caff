import { dirname, resolve } from "node:path";
import type { Problem } from "../../text/index.ts";
import type { ToolRegistry } from "../../tool/index.ts";
import { type FolderEvent, FolderEvents } from "./folder-events.ts";
import { type FolderChange, FolderRuns, type ReloadMode, type Why, noChange } from "./folder-runs.ts";
import type { ToolFileWorld } from "./load-tool-file.ts";
import { mergeTools } from "./merge-tools.ts";
import { type FileState, areUnchanged, refreshFiles } from "./refresh-file.ts";
import { type ScannedFolder, scanFolder } from "./scan-folder.ts";
import { takenNames } from "./taken-names.ts";

export type { FolderEvent } from "./folder-events.ts";
export type { FolderChange, ReloadMode } from "./folder-runs.ts";

/** What `createToolFolder` takes. */
export interface ToolFolderOptions extends Omit<ToolFileWorld, "root" | "signal"> {
  readonly dir: string;
  /** The workspace, in which everything has to lie; the folder above `dir` where absent. */
  readonly root?: string;
  /** Where the tools go, as the `tools` source, owned by this folder. */
  readonly registry: ToolRegistry;
  readonly onEvent?: (event: FolderEvent) => void;
  readonly mode?: ReloadMode;
}

/** A folder of tools, kept in step with a registry. */
export interface ToolFolder {
  /** Loads the folder for the first time and starts looking for changes. */
  load(): Promise<FolderChange>;
  /** Looks at the folder now. Calls while a reload is under way share the one after it. */
  reload(): Promise<FolderChange>;
  /** What is wrong with the files as they are now, warnings too. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames. */
  sourceOf(file: string): string | undefined;
  /** The file that a tool came from, relative to the workspace. */
  fileOf(tool: string): string | undefined;
  /** Stops looking; the tools stay registered. */
  close(): Promise<void>;
}

/**
 * A folder of tools: `*.yaml` and `*.yml`, and modules (`*.ts`, `*.js`, `*.mjs`) whose exports were made by
 * `defineTool`. Files are checked first and then swapped in at once: calls under way keep the tool they started with,
 * a file edited into nonsense keeps its last good tools, and one bad file never stops the others.
 *
 * @example
 * ```ts
 * const folder = createToolFolder({ dir: "tools", registry, executors, mode: { watch: true } });
 * await folder.load();
 * ```
 */
export function createToolFolder(options: ToolFolderOptions): ToolFolder {
  return new RegistryFolder(options);
}

const source = "tools";

class RegistryFolder implements ToolFolder {
  readonly #dir: string;
  readonly #registry: ToolRegistry;
  readonly #world: ToolFileWorld;
  readonly #runs: FolderRuns;
  readonly #events: FolderEvents;
  /** By name, in the order of the scan. */
  #files: ReadonlyMap<string, FileState> = new Map();
  /** What the scan did not look into. */
  #skipped: readonly Problem[] = [];
  #problems: readonly Problem[] = [];
  /** The file of each tool. */
  #owners: ReadonlyMap<string, string> = new Map();

  constructor({ dir, root, registry, onEvent, mode, ...world }: ToolFolderOptions) {
    this.#dir = resolve(dir);
    this.#registry = registry;
    this.#runs = new FolderRuns({ dir: this.#dir, clock: world.clock, mode, run: (why) => this.#run(why) });
    this.#events = new FolderEvents({ source, clock: world.clock, onEvent });
    this.#world = { ...world, root: resolve(root ?? dirname(this.#dir)), signal: this.#runs.signal };
  }

  load(): Promise<FolderChange> {
    return this.#runs.load();
  }

  reload(): Promise<FolderChange> {
    return this.#runs.reload();
  }

  problems(): readonly Problem[] {
    return this.#problems;
  }

  sourceOf(file: string): string | undefined {
    return this.#files.get(file)?.source;
  }

  fileOf(tool: string): string | undefined {
    return this.#owners.get(tool);
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #run(why: Why): Promise<FolderChange> {
    const { signal } = this.#runs;
    const found = await scanFolder(this.#dir, this.#world.root);
    if (signal.aborted || (why === "look" && !(await this.#differs(found)))) return noChange;
    this.#events.started(why);
    const files = await refreshFiles(found.files, this.#files, this.#world);
    if (signal.aborted) return noChange;

    this.#files = files;
    const { tools, owners, problems } = mergeTools(files);
    this.#skipped = found.problems;
    this.#problems = [...found.problems, ...problems];
    this.#owners = owners;
    const origin = { source, owner: this.#dir, priority: 0 };
    const change = this.#registry.replace(tools, origin, takenNames(files));
    const errors = this.#events.ended({ why, change, problems: this.#problems, owners });
    this.#runs.alsoWatch([...files.values()].flatMap(({ modules }) => [...modules.keys()]));
    return { ...change, errors };
  }

  /** A look at the stamps alone tells whether anything has to be read. */
  async #differs({ files, problems }: ScannedFolder): Promise<boolean> {
    if (JSON.stringify(problems) !== JSON.stringify(this.#skipped)) return true;
    return !(await areUnchanged(files, this.#files));
  }
}

import { dirname, resolve, basename, extname } from "node:path";
import { type Problem, hasErrors } from "../../text/index.ts";
import type { RegistryChange, ToolRegistry } from "../../tool/index.ts";
import { type ToolFolderEvent, FolderEventEmitter } from "./folder-event-emitter.ts";
import { type FolderChange, FolderReloader, type ReloadMode, type ReloadReason, noChange } from "./folder-reloader.ts";
import type { ToolFileDeps } from "./load-tool-file.ts";
import { mergeTools } from "./merge-tools.ts";
import { type FileState, areUnchanged, refreshFiles } from "./refresh-file.ts";
import { type ScannedFolder, scanFolder } from "./scan-folder.ts";

export type { ToolFolderEvent } from "./folder-event-emitter.ts";
export type { FolderChange, ReloadMode } from "./folder-reloader.ts";

/** Options of `createToolFolder`. */
export interface ToolFolderOptions extends Omit<ToolFileDeps, "root" | "signal"> {
  readonly dir: string;
  /** The workspace, which must contain everything. Default: the parent folder of `dir`. */
  readonly root?: string;
  /** Registry for the tools, under the `tools` source, owned by this folder. */
  readonly registry: ToolRegistry;
  readonly onEvent?: (event: ToolFolderEvent) => void;
  readonly mode?: ReloadMode;
}

/** A folder of tools, synchronized with a registry. */
export interface ToolFolder {
  /** Loads the folder for the first time and starts checking for changes. */
  load(): Promise<FolderChange>;
  /** Checks the folder now. Calls during a reload share the next one. */
  reload(): Promise<FolderChange>;
  /** Problems of the files as they are now, including warnings. */
  problems(): readonly Problem[];
  /** The text of a file as it was last read, for code frames. */
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
 *
 * @see docs/guide/tool-files.md
 */
export function createToolFolder(options: ToolFolderOptions): ToolFolder {
  return new RegistryFolder(options);
}

const source = "tools";

class RegistryFolder implements ToolFolder {
  readonly #dir: string;
  readonly #registry: ToolRegistry;
  readonly #world: ToolFileDeps;
  readonly #runs: FolderReloader;
  readonly #events: FolderEventEmitter;
  /** By name, in the order of the scan. */
  #files: ReadonlyMap<string, FileState> = new Map();
  /** Entries that the scan skipped. */
  #skipped: readonly Problem[] = [];
  #problems: readonly Problem[] = [];
  /** The file of each tool. */
  #owners: ReadonlyMap<string, string> = new Map();
  /** Names that the files with errors define, each with the first error of its file. */
  #broken: ReadonlyMap<string, Problem> = new Map();

  constructor({ dir, root, registry, onEvent, mode, ...world }: ToolFolderOptions) {
    this.#dir = resolve(dir);
    this.#registry = registry;
    this.#runs = new FolderReloader({ dir: this.#dir, clock: world.clock, mode, run: (why) => this.#run(why) });
    this.#events = new FolderEventEmitter({ source, clock: world.clock, onEvent });
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

  fileError(tool: string): Problem | undefined {
    return this.#broken.get(tool);
  }

  dependencies(): readonly string[] {
    return [...this.#files.values()].flatMap(({ dependencies }) => dependencies);
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #run(why: ReloadReason): Promise<FolderChange> {
    const { signal } = this.#runs;
    const found = await scanFolder(this.#dir, this.#world.root);
    if (signal.aborted || (why === "look" && !(await this.#differs(found)))) return noChange;
    this.#events.started(why);
    const files = await refreshFiles(found.files, this.#files, this.#world);
    if (signal.aborted) return noChange;

    this.#files = files;
    const { tools, owners, problems, broken } = mergeTools(files);
    this.#skipped = found.problems;
    this.#problems = [...found.problems, ...problems];
    this.#owners = owners;
    const origin = { source, owner: this.#dir, priority: 0 };
    this.#broken = broken;
    const replace = (): RegistryChange => this.#registry.replace(tools, origin, reservedNames(files));
    const change = this.#events.change(this.#registry, replace);
    const errors = this.#events.ended({ why, change, problems: this.#problems, owners });
    this.#runs.alsoWatch([...files.values()].flatMap(({ modules }) => [...modules.keys()]));
    return { ...change, errors };
  }

  /** Compares only the stamps to decide whether anything has to be read. */
  async #differs({ files, problems }: ScannedFolder): Promise<boolean> {
    if (JSON.stringify(problems) !== JSON.stringify(this.#skipped)) return true;
    return !(await areUnchanged(files, this.#files));
  }
}

/**
 * Names that the tools of broken files would have, as far as they are known: those in the file's text, and its own.
 * They stay reserved, so that another tool of the same name does not silently replace one that is being fixed.
 */
function reservedNames(files: ReadonlyMap<string, FileState>): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const { file, source, tools, problems } of files.values()) {
    if (tools.length > 0 || !hasErrors(problems)) continue;
    taken.add(basename(file, extname(file)));
    // As files of tools write it, in YAML and in code.
    const written = /\bname["']?\s*:\s*["'`]?([\p{L}_][\p{L}\p{N}_.-]*)/gu;
    for (const [, name = ""] of source.matchAll(written)) taken.add(name);
  }
  return taken;
}

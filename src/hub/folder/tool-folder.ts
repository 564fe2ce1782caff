import { dirname, resolve } from "node:path";
import { type Clock, type Timer, systemClock } from "../../base/index.ts";
import type { LoadError, ReloadCompleted, ReloadStarted, ToolEvent } from "../../engine/index.ts";
import type { Problem } from "../../text/index.ts";
import type { RegistryChange, ToolRegistry } from "../../tool/index.ts";
import type { ToolFileWorld } from "./load-tool-file.ts";
import { mergeTools } from "./merge-tools.ts";
import { type FileState, isUnchanged, refreshFile } from "./refresh-file.ts";
import { type ScannedFolder, scanFolder } from "./scan-folder.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

/** What a folder of tools tells. */
export type FolderEvent = ToolEvent | ReloadStarted | ReloadCompleted | LoadError;

/** When a folder is looked at again, besides on demand. */
export interface ReloadMode {
  /** Looks at the folder every `intervalMs`; loads only when something changed. */
  readonly autoReload?: boolean;
  /** 5 s where absent. */
  readonly intervalMs?: number;
  /** Loads as soon as the system tells of a change. */
  readonly watch?: boolean;
}

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

/** What a load changed, by name of tool, and how many files could not be used. */
export interface FolderChange extends RegistryChange {
  readonly errors: number;
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

const nothing: FolderChange = { added: [], updated: [], removed: [], errors: 0 };

class RegistryFolder implements ToolFolder {
  readonly #options: ToolFolderOptions;
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #world: ToolFileWorld;
  readonly #abort = new AbortController();
  /** By name, in the order of the scan. */
  #files: ReadonlyMap<string, FileState> = new Map();
  /** What the scan did not look into. */
  #skipped: readonly Problem[] = [];
  #problems: readonly Problem[] = [];
  /** The file of each tool. */
  #owners: ReadonlyMap<string, string> = new Map();
  /** The errors that were told, by file. */
  #told: ReadonlyMap<string, string> = new Map();
  #running: Promise<FolderChange> | undefined;
  #next: Promise<FolderChange> | undefined;
  /** The most that was asked of the next run. */
  #nextWhy: Why | undefined;
  #timer: Timer | undefined;
  #watch: FolderWatch | undefined;

  constructor(options: ToolFolderOptions) {
    const { dir, root, registry: _registry, onEvent: _onEvent, mode: _mode, ...world } = options;
    this.#options = options;
    this.#dir = resolve(dir);
    this.#clock = options.clock ?? systemClock;
    this.#world = { ...world, root: resolve(root ?? dirname(this.#dir)), signal: this.#abort.signal };
  }

  async load(): Promise<FolderChange> {
    const change = await this.#queue("load");
    this.#startLooking();
    return change;
  }

  reload(): Promise<FolderChange> {
    return this.#queue("reload");
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

  async close(): Promise<void> {
    this.#abort.abort();
    this.#timer?.cancel();
    await this.#watch?.close();
    await this.#running?.catch(() => undefined);
  }

  /** One run at a time. Whoever asks meanwhile gets the next one, which sees everything that was there when asking. */
  #queue(why: Why): Promise<FolderChange> {
    if (this.#running === undefined && this.#next === undefined) return this.#start(why);
    this.#nextWhy = this.#nextWhy === undefined || this.#nextWhy === "look" ? why : this.#nextWhy;
    this.#next ??= Promise.resolve(this.#running)
      .catch(() => undefined)
      .then(() => {
        const asked = this.#nextWhy ?? why;
        this.#next = undefined;
        this.#nextWhy = undefined;
        return this.#start(asked);
      });
    return this.#next;
  }

  #start(why: Why): Promise<FolderChange> {
    const running = this.#run(why).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #run(why: Why): Promise<FolderChange> {
    const found = await scanFolder(this.#dir, this.#world.root);
    if (this.#abort.signal.aborted || (why === "look" && !(await this.#differs(found)))) return nothing;
    if (why !== "load") this.#emit({ type: "reload_started", at: this.#clock.now(), source });
    const states = await Promise.all(
      found.files.map(
        async (file) => [file.name, await refreshFile(file, this.#files.get(file.name), this.#world)] as const,
      ),
    );
    if (this.#abort.signal.aborted) return nothing;

    this.#files = new Map(states);
    const { tools, owners, problems } = mergeTools(this.#files);
    this.#skipped = found.problems;
    this.#problems = [...found.problems, ...problems];
    this.#owners = owners;
    const change = this.#options.registry.replace(tools, { source, owner: this.#dir, priority: 0 });
    this.#tellErrors();
    this.#tellTools(change, { why, owners });
    const errors = this.#told.size;
    if (why !== "load") this.#emit({ type: "reload_completed", at: this.#clock.now(), source, ...change, errors });
    this.#watch?.add([...this.#files.values()].flatMap(({ modules }) => [...modules.keys()]));
    return { ...change, errors };
  }

  /** A look at the stamps alone tells whether anything has to be read. */
  async #differs({ files, problems }: ScannedFolder): Promise<boolean> {
    if (files.length !== this.#files.size || JSON.stringify(problems) !== JSON.stringify(this.#skipped)) return true;
    const same = await Promise.all(
      files.map(async (file) => {
        const known = this.#files.get(file.name);
        return known !== undefined && (await isUnchanged(file, known));
      }),
    );
    return same.includes(false);
  }

  #tellErrors(): void {
    const errors = Map.groupBy(
      this.#problems.filter(({ severity }) => severity === "error"),
      ({ file }) => file,
    );
    const told = new Map([...errors].map(([file, problems]) => [file, JSON.stringify(problems)]));
    for (const [file, problems] of errors) {
      if (this.#told.get(file) !== told.get(file))
        this.#emit({ type: "load_error", at: this.#clock.now(), file, problems });
    }
    this.#told = told;
  }

  #tellTools({ added, updated, removed }: RegistryChange, { why, owners }: Telling): void {
    const tell = (type: ToolEvent["type"], names: readonly string[]): void => {
      for (const tool of names) {
        const file = owners.get(tool);
        this.#emit({ type, at: this.#clock.now(), tool, source, ...(file !== undefined && { file }) });
      }
    };
    tell(why === "load" ? "tool_loaded" : "tool_added", added);
    tell("tool_updated", updated);
    tell("tool_removed", removed);
  }

  #emit(event: FolderEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A listener that throws must not leave the folder half loaded.
    }
  }

  #startLooking(): void {
    const { autoReload = false, intervalMs = 5_000, watch = false } = this.#options.mode ?? {};
    const { signal } = this.#abort;
    if (signal.aborted) return;
    // A failed look is told by its events; the next one comes in any case.
    const look = (): Promise<unknown> => this.#queue("look").catch(() => undefined);
    if (watch) this.#watch ??= watchFolder(this.#dir, { clock: this.#clock, onChange: () => void look() });
    if (!autoReload || this.#timer !== undefined) return;
    const again = (): void => {
      this.#timer = this.#clock.after(intervalMs, () => void look().then(() => (signal.aborted ? undefined : again())));
      this.#timer.hold(false);
    };
    again();
  }
}

type Why = "load" | "reload" | "look";

interface Telling {
  readonly why: Why;
  /** The file of each tool. */
  readonly owners: ReadonlyMap<string, string>;
}

const source = "tools";

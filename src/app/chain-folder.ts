import { type Clock, type FailureError, type Timer, systemClock } from "../base/index.ts";
import type { ChainLibrary, ChainLibrarySource } from "../chain/index.ts";
import {
  type FolderWatch,
  type ReloadMode,
  type ScannedFile,
  type ScannedFolder,
  fileProblem,
  readText,
  scanFolder,
  watchFolder,
} from "../hub/index.ts";
import { type SourceRange, type Problem, hasErrors } from "../text/index.ts";
import { type ChainFile, chainNameIn, chainNamePosition, chainFileProblems } from "./chain-file.ts";
import { pathExists } from "./find-workspace.ts";
import type { ChainText } from "./read-sent-secrets.ts";

/** Options of {@link ChainFolder}. */
export interface ChainFolderOptions {
  readonly dir: string;
  /** The workspace, which must contain all files. */
  readonly root: string;
  readonly library: ChainLibrary;
  /** Built-in chains, which a file with the same name replaces. */
  readonly builtins: readonly ChainLibrarySource[];
  /** Changes whenever the tools do: a tool missing for an edit may exist now. */
  readonly toolsVersion: () => number;
  /** Called before the chains of the library change, except for the first time. */
  readonly onChanging?: () => void;
  /** Called when the chains of the library may have changed. */
  readonly onChange: () => void;
  /** Returns why a chain is not used; undefined if it may be. `isFirst` is false once the folder was loaded. */
  readonly refuses?: (chain: ChainText, isFirst: boolean) => Promise<FailureError | undefined>;
  readonly mode?: ReloadMode;
  readonly clock?: Clock;
}

/**
 * A folder of chains (`*.yaml` and `*.yml`), synchronized with a library. An invalid edit keeps the last valid chain,
 * and one bad file never stops the others.
 */
export class ChainFolder {
  readonly #options: ChainFolderOptions;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  /** By name, in the order of the scan. */
  #files: ReadonlyMap<string, ChainFile> = new Map();
  /** Files that the scan skipped. */
  #skipped: readonly Problem[] = [];
  #duplicates: readonly Problem[] = [];
  /** The file of each chain. */
  #owners: ReadonlyMap<string, ChainFile> = new Map();
  #toolsVersion: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #watch: FolderWatch | undefined;

  constructor(options: ChainFolderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Loads the folder for the first time and starts watching for changes. */
  async load(): Promise<void> {
    await this.reload();
    this.#startLooking();
  }

  /** Scans the folder now. */
  reload(): Promise<void> {
    const run = this.#running.then(() => this.#look());
    // The caller gets the error; the next call starts a new scan.
    this.#running = run.catch(() => undefined);
    return run;
  }

  /** Problems of the current files, warnings included. */
  problems(): readonly Problem[] {
    return [
      ...this.#skipped,
      ...this.#files.values().flatMap((file) => {
        if (file.problem !== undefined) return [file.problem];
        const isCurrent = this.#owners.get(file.chain ?? "") === file && file.broken === undefined;
        return isCurrent ? this.#options.library.problems(file.chain ?? "") : (file.broken ?? chainFileProblems(file));
      }),
      ...this.#duplicates,
    ];
  }

  /** The file that a chain came from, relative to the workspace; undefined for one that is built in. */
  fileOf(chain: string): string | undefined {
    return this.#owners.get(chain)?.name;
  }

  /** The texts of all files that can be read. */
  texts(): string[] {
    return [...this.#files.values()].flatMap(({ text }) => (text === undefined ? [] : [text]));
  }

  /** Position of a chain's name in its file. */
  positionOf(chain: string): SourceRange {
    const file = this.#owners.get(chain);
    return file === undefined ? { line: 1, column: 1 } : chainNamePosition(file);
  }

  /** Stops watching; the chains stay in the library. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#timer?.cancel();
    await this.#watch?.close();
    await this.#running;
  }

  async #look(): Promise<void> {
    const { dir, root, toolsVersion } = this.#options;
    const found = (await pathExists(dir)) ? await scanFolder(dir, root) : noFiles;
    const files = found.files.filter(({ kind }) => kind === "yaml");
    const isFirst = this.#toolsVersion === undefined;
    const refuses = (chain: ChainText) => this.#options.refuses?.(chain, isFirst);
    const known = await Promise.all(files.map((file) => refresh(file, this.#files.get(file.name), refuses)));
    if (this.#abort.signal.aborted) return;
    const isSame =
      known.length === this.#files.size &&
      known.every((file) => this.#files.get(file.name) === file) &&
      this.#toolsVersion === toolsVersion();
    this.#skipped = found.problems;
    if (isSame) return;
    if (this.#toolsVersion !== undefined) this.#options.onChanging?.();
    for (const file of known) {
      const before = this.#files.get(file.name);
      if (before !== undefined && before !== file) file.good = this.#lastGood(before);
    }
    this.#files = new Map(known.map((file) => [file.name, file]));
    this.#settle();
  }

  /** Updates the chains to the current tools; a tool missing for an edit may exist now. */
  refresh(): void {
    if (this.#toolsVersion !== undefined && this.#toolsVersion !== this.#options.toolsVersion()) this.#settle();
  }

  /** Puts the chains of all files, as last read, into the library. Atomic: no reader sees a partial state. */
  #settle(): void {
    const { builtins, onChange, toolsVersion } = this.#options;
    this.#claim(({ chain }) => chain);
    this.#fill(builtins);
    // All of them are in the library now, so that each can be planned together with the chains that it calls.
    for (const file of this.#files.values()) file.broken = this.#brokenIn(file);
    this.#claim(({ broken, good, chain }) => (broken === undefined ? chain : good?.chain));
    this.#fill(builtins);
    onChange();
    this.#toolsVersion = toolsVersion();
  }

  /** Assigns chains to files: the first in order wins if two have the same name. */
  #claim(nameOf: (file: ChainFile) => string | undefined): void {
    const owners = new Map<string, ChainFile>();
    const duplicates: Problem[] = [];
    for (const file of this.#files.values()) {
      const name = nameOf(file);
      if (name === undefined) continue;
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, file);
      else duplicates.push(duplicate(name, file, owner));
    }
    this.#owners = owners;
    this.#duplicates = duplicates;
  }

  #fill(builtins: readonly ChainLibrarySource[]): void {
    const { library } = this.#options;
    const sources = new Map(builtins.map((source) => [source.name, source]));
    for (const [name, file] of this.#owners) {
      const text = file.broken === undefined ? file.text : file.good?.text;
      if (text !== undefined) sources.set(name, { name, text, file: file.name });
    }
    for (const name of library.names()) if (!sources.has(name)) library.remove(name);
    for (const [name, source] of sources) if (!isSame(library.sourceOf(name), source)) library.add(source);
  }

  /** The valid version of a file: its present one, or the last valid one. */
  #lastGood({ text, chain, good, ...file }: ChainFile): ChainFile["good"] {
    if (text === undefined || chain === undefined || file.broken !== undefined) return good;
    const isUsed = this.#owners.get(chain)?.name === file.name;
    return isUsed && !hasErrors(this.#options.library.problems(chain)) ? { text, chain } : good;
  }

  /** Problems of a file's present text if an earlier valid version stays in use. */
  #brokenIn(file: ChainFile): readonly Problem[] | undefined {
    const { chain, text, good, problem } = file;
    if (good === undefined || text === good.text) return undefined;
    if (problem !== undefined) return [problem];
    const problems =
      chain !== undefined && this.#owners.get(chain) === file
        ? this.#options.library.problems(chain)
        : chainFileProblems(file);
    return hasErrors(problems) || chain === undefined ? problems : undefined;
  }

  #startLooking(): void {
    const { dir, mode = {} } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    const look = (): Promise<void> => this.reload().catch(() => undefined);
    if (mode.watch === true) this.#watch ??= watchFolder(dir, { clock: this.#clock, onChange: () => void look() });
    if (mode.autoReload !== true || this.#timer !== undefined) return;
    const again = (): void => {
      this.#timer = this.#clock.after(
        mode.intervalMs ?? 5_000,
        () => void look().then(() => (signal.aborted ? undefined : again())),
      );
      this.#timer.hold(false);
    };
    again();
  }
}

const noFiles: ScannedFolder = { files: [], problems: [] };

/** Returns the state of a file after another check; the same object if nothing changed. */
async function refresh(
  file: ScannedFile,
  known: ChainFile | undefined,
  refuses: (chain: ChainText) => Promise<FailureError | undefined> | undefined,
): Promise<ChainFile> {
  const { name, path, stamp, outside } = file;
  if (known?.stamp === stamp) return known;
  const read = outside ? { ...leadsOut(name) } : { source: undefined, ...(await readText(file)) };
  const refusal = read.source === undefined ? undefined : await refuses({ text: read.source, file: name });
  const { source: text, problem } = refusal === undefined ? read : notChecked(name, refusal);
  if (known !== undefined && known.text === text && problem === undefined) {
    known.stamp = stamp;
    return known;
  }
  const chain = text === undefined ? undefined : chainNameIn(text, name);
  return { name, path, stamp, text, chain, problem, good: undefined, broken: undefined };
}

function notChecked(name: string, { message }: FailureError): { source: undefined; problem: Problem } {
  return { source: undefined, problem: { ...fileProblem(name, "not_checked", message), severity: "warning" } };
}

function leadsOut(name: string): { source: undefined; problem: Problem } {
  const message = "the file is a link that leads out of the workspace";
  return { source: undefined, problem: fileProblem(name, "outside_workspace", message) };
}

function isSame(one: ChainLibrarySource | undefined, other: ChainLibrarySource): boolean {
  if (one === undefined || !("text" in one) || !("text" in other)) return one === other;
  return one === other || (one.file === other.file && one.text === other.text);
}

function duplicate(name: string, file: ChainFile, owner: ChainFile): Problem {
  const message = `the chain "${name}" is already defined in ${owner.name}`;
  const hint = "rename one of the two";
  return { severity: "error", code: "duplicate_chain", message, hint, file: file.name, ...chainNamePosition(file) };
}

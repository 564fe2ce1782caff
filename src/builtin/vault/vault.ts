import { realpath } from "node:fs/promises";
import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { type FileDoor, createFileDoor, showPath } from "../../file/index.ts";
import type { TextIndex } from "../../store/index.ts";
import { findZone, systemTimezone } from "../time/zone.ts";
import { type FileTree, type FileTreeOptions, fileTree } from "./file-tree.ts";
import type { IndexOptions, IndexReport } from "./index-report.ts";
import { indexVault } from "./index-vault.ts";
import { type FoundNote, type LocalSearchQuery, localSearch } from "./local-search.ts";
import { type Note, type ReadNoteOptions, readNote } from "./read-note.ts";
import { type VaultLimits, type VaultParts, usualLimits } from "./vault-parts.ts";
import { vaultFailure } from "./vault-reasons.ts";
import { type VaultWatch, watchVault } from "./watch-vault.ts";

/** What {@link createVault} takes. */
export interface VaultOptions {
  /** The folder of notes. */
  readonly folder: string;
  readonly index: TextIndex;
  readonly clock?: Clock;
  /** Where the dates of notes are days; the zone of the machine where absent. */
  readonly timezone?: string;
  readonly limits?: Partial<VaultLimits>;
  /** Opens that folder, for reading; one of its own where absent. */
  readonly files?: FileDoor;
  /** Keeps the index up to date from the first search on; told when that cannot be done. Not where absent. */
  readonly watch?: (error: unknown) => void;
}

/** A folder of notes that can be searched, read and cited. */
export interface Vault {
  /** Brings the index up to date. Runs one after another, however often it is asked for. */
  index(options?: IndexOptions): Promise<IndexReport>;
  /** Finds notes. A vault that was not looked at lately is indexed first, where that is quickly done. */
  search(query: LocalSearchQuery): Promise<LocalSearchAnswer>;
  read(cited: string, options?: ReadNoteOptions): Promise<Note>;
  tree(options?: FileTreeOptions): Promise<FileTree>;
  /** Keeps the index up to date from now on, until it is closed. */
  watch(onError: (error: unknown) => void): Promise<VaultWatch>;
  close(): Promise<void>;
}

/** What a search in the vault gives. */
export interface LocalSearchAnswer {
  readonly documents: readonly FoundNote[];
  /** Notes in the index. */
  readonly indexed: number;
}

/** Looked at within this, a vault counts as up to date. */
const freshMs = 10_000;
/** Looking whether something changed takes a vault of this size a moment; a larger one is indexed when asked to. */
const quickNotes = 5000;

/**
 * Opens a vault: a folder of notes and their index.
 *
 * @example
 * ```ts
 * const vault = createVault({ folder: "notes", index: openTextIndex({ file: ".windlass/index.db" }) });
 * const { documents } = await vault.search({ query: "splice a rope" });
 * ```
 */
export function createVault(options: VaultOptions): Vault {
  return new FolderVault(options);
}

class FolderVault implements Vault {
  readonly #options: VaultOptions;
  readonly #clock: Clock;
  #timezone: string | undefined;
  readonly #files: FileDoor;
  readonly #closing = new AbortController();
  #indexing: Promise<unknown> = Promise.resolve();
  /** When the whole vault was last looked at. */
  #lookedAt = -Infinity;
  #notes = 0;
  readonly #watches = new Set<VaultWatch>();
  #following: Promise<unknown> | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timezone = options.timezone;
    this.#files = options.files ?? createFileDoor({ roots: [{ path: options.folder, write: false }] });
  }

  async index(options: IndexOptions = {}): Promise<IndexReport> {
    const parts = await this.#open();
    this.#follow();
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const asked = { ...options, signal: AbortSignal.any(signals) };
    const begun = this.#indexing.then(() => this.#overDamage(() => this.#index(parts, asked)));
    this.#indexing = begun.catch(() => {});
    return await begun;
  }

  async search(query: LocalSearchQuery): Promise<LocalSearchAnswer> {
    const parts = await this.#open();
    return await this.#overDamage(async () => {
      await this.#freshen(parts, query.signal);
      return { documents: await localSearch(parts, query), indexed: this.#notes };
    });
  }

  async read(cited: string, options: ReadNoteOptions = {}): Promise<Note> {
    const parts = await this.#open();
    return await this.#overDamage(async () => {
      try {
        return await readNote(parts, cited, options);
      } catch (error) {
        if (!isFailureError(error) || error.reason !== "no_note") throw error;
        // A note is found by its name only where it is indexed.
        await this.#freshen(parts, undefined);
        return await readNote(parts, cited, options);
      }
    });
  }

  async tree(options: FileTreeOptions = {}): Promise<FileTree> {
    const { files } = await this.#open();
    return await fileTree(files, options);
  }

  async watch(onError: (error: unknown) => void): Promise<VaultWatch> {
    const { root, files } = await this.#open();
    const tell = (error: unknown): void => {
      if (!this.#closing.signal.aborted) onError(error);
    };
    const watch = await watchVault({
      root,
      files,
      clock: this.#clock,
      onError: tell,
      onChange: (paths) => void this.index(paths === undefined ? {} : { paths }).catch(tell),
    });
    const ended: VaultWatch = {
      get complete() {
        return watch.complete;
      },
      close: async () => {
        this.#watches.delete(ended);
        await watch.close();
      },
    };
    this.#watches.add(ended);
    return ended;
  }

  async close(): Promise<void> {
    this.#closing.abort(vaultFailure("closed", "the vault was closed"));
    await this.#following;
    await Promise.all([...this.#watches].map((watch) => watch.close()));
    await this.#indexing;
  }

  /** Looked for every time: a folder that is missing may be made later, and one that is there may be gone. */
  async #open(): Promise<VaultParts> {
    const { folder, index, limits } = this.#options;
    const root = await realpath(folder).catch((cause: unknown) => {
      const message = `the folder of notes ${showPath(folder)} does not exist. Make it, or name another`;
      throw vaultFailure("no_vault", message, { cause });
    });
    const collection = `vault:${root}`;
    const zone = findZone((this.#timezone ??= systemTimezone()));
    const parts = { root, files: this.#files, index, clock: this.#clock, zone, collection };
    return { ...parts, limits: { ...usualLimits, ...limits } };
  }

  async #index(parts: VaultParts, options: IndexOptions): Promise<IndexReport> {
    const at = this.#clock.elapsed();
    const report = await indexVault(parts, options);
    if (options.paths === undefined) {
      this.#lookedAt = at;
      this.#notes = report.added + report.updated + report.unchanged;
    } else {
      this.#notes += report.added - report.removed;
    }
    return report;
  }

  /** An index that turned out to be damaged is an empty one now: all notes are looked at again, and it is asked again. */
  async #overDamage<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFailureError(error) || error.reason !== "renewed") throw error;
      this.#lookedAt = -Infinity;
      return await work();
    }
  }

  async #freshen(parts: VaultParts, signal: AbortSignal | undefined): Promise<void> {
    this.#follow();
    const age = this.#clock.elapsed() - this.#lookedAt;
    const watched = [...this.#watches].some(({ complete }) => complete);
    if (age < freshMs || (watched && this.#lookedAt !== -Infinity)) return;
    if (this.#lookedAt === -Infinity) this.#notes = (await parts.index.stats(parts.collection)).documents;
    if (this.#notes > quickNotes) return;
    await this.index(signal === undefined ? {} : { signal });
  }

  /** Begins to watch where that is wanted, and then looks at all that changed before. */
  #follow(): void {
    const { watch: onError } = this.#options;
    if (onError === undefined || this.#closing.signal.aborted) return;
    this.#following ??= this.watch(onError).then(
      () => void this.index().catch((error: unknown) => this.#closing.signal.aborted || onError(error)),
      onError,
    );
  }
}

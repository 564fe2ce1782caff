import { realpath } from "node:fs/promises";
import { type Clock, isFailureError, systemClock } from "../../base/index.ts";
import { type FileAccess, createFileAccess, showPath } from "../../file/index.ts";
import type { TextIndex } from "../../store/index.ts";
import { findZone, systemTimezone } from "../time/zone.ts";
import { type FileTree, type FileTreeOptions, fileTree } from "./file-tree.ts";
import {
  type IndexVaultOptions,
  type VaultIndexReport,
  type VaultLimits,
  type VaultDeps,
  defaultVaultLimits,
} from "./vault-deps.ts";
import { indexVault } from "./index-vault.ts";
import { type FoundNote, type LocalSearchQuery, localSearch } from "./local-search.ts";
import { type Note, type ReadNoteOptions, readNote } from "./read-note.ts";
import { vaultFailure } from "./vault-reasons.ts";
import { type VaultWatch, watchVault } from "./watch-vault.ts";

/** Options of {@link createVault}. */
export interface VaultOptions {
  /** The folder of notes. */
  readonly folder: string;
  readonly index: TextIndex;
  readonly clock?: Clock;
  /** Time zone of the dates in notes. Default: the zone of the machine. */
  readonly timezone?: string;
  readonly limits?: Partial<VaultLimits>;
  /** File access to that folder, for reading. Default: a new one. */
  readonly files?: FileAccess;
  /** Keeps the index up to date from the first search on; called with an error if that fails. Default: not watched. */
  readonly watch?: (error: unknown) => void;
}

/** A folder of notes that can be searched, read and cited. */
export interface Vault {
  /** Brings the index up to date. Concurrent calls run one after another. */
  index(options?: IndexVaultOptions): Promise<VaultIndexReport>;
  /** Searches notes. If the index was not checked recently and the vault is small, it is updated first. */
  search(query: LocalSearchQuery): Promise<LocalSearchResponse>;
  read(cited: string, options?: ReadNoteOptions): Promise<Note>;
  tree(options?: FileTreeOptions): Promise<FileTree>;
  /** Keeps the index up to date from now on, until it is closed. */
  watch(onError: (error: unknown) => void): Promise<VaultWatch>;
  close(): Promise<void>;
}

/** Result of a search in the vault. */
export interface LocalSearchResponse {
  readonly documents: readonly FoundNote[];
  /** Notes in the index. */
  readonly indexed: number;
}

/** A vault checked within this time counts as up to date. */
const freshMs = 10_000;
/** Checking a vault of this size for changes takes a moment; a larger one is indexed only on request. */
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
  readonly #files: FileAccess;
  readonly #closing = new AbortController();
  #indexing: Promise<unknown> = Promise.resolve();
  /** Time of the last check of the whole vault. */
  #lookedAt = -Infinity;
  #notes = 0;
  readonly #watches = new Set<VaultWatch>();
  #following: Promise<unknown> | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timezone = options.timezone;
    this.#files = options.files ?? createFileAccess({ roots: [{ path: options.folder, write: false }] });
  }

  async index(options: IndexVaultOptions = {}): Promise<VaultIndexReport> {
    const parts = await this.#open();
    this.#follow();
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const request = { ...options, signal: AbortSignal.any(signals) };
    const begun = this.#indexing.then(() => this.#overDamage(() => this.#index(parts, request)));
    this.#indexing = begun.catch(() => {});
    return await begun;
  }

  async search(query: LocalSearchQuery): Promise<LocalSearchResponse> {
    const parts = await this.#open();
    return await this.#overDamage(async () => {
      await this.#freshen(parts, query);
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
        // A note is found by its name only if it is indexed.
        await this.#freshen(parts, {});
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
    const report = (error: unknown): void => {
      if (!this.#closing.signal.aborted) onError(error);
    };
    const watch = await watchVault({
      root,
      files,
      clock: this.#clock,
      onError: report,
      onChange: (paths) => void this.index(paths === undefined ? {} : { paths }).catch(report),
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

  /** Resolved on every use: a missing folder may be created later, and an existing one may be removed. */
  async #open(): Promise<VaultDeps> {
    const { folder, index, limits } = this.#options;
    const root = await realpath(folder).catch((cause: unknown) => {
      const message = `the folder of notes ${showPath(folder)} does not exist. Make it, or name another`;
      throw vaultFailure("no_vault", message, { cause });
    });
    const collection = `vault:${root}`;
    const zone = findZone((this.#timezone ??= systemTimezone()));
    const parts = { root, files: this.#files, index, clock: this.#clock, zone, collection };
    return { ...parts, limits: { ...defaultVaultLimits, ...limits } };
  }

  async #index(parts: VaultDeps, options: IndexVaultOptions): Promise<VaultIndexReport> {
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

  /** A damaged index was replaced with an empty one: all notes are indexed again, and the operation is retried. */
  async #overDamage<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFailureError(error) || error.reason !== "renewed") throw error;
      this.#lookedAt = -Infinity;
      return await work();
    }
  }

  async #freshen(
    parts: VaultDeps,
    { signal, onProgress }: Pick<IndexVaultOptions, "signal" | "onProgress">,
  ): Promise<void> {
    this.#follow();
    const age = this.#clock.elapsed() - this.#lookedAt;
    const watched = [...this.#watches].some(({ complete }) => complete);
    if (age < freshMs || (watched && this.#lookedAt !== -Infinity)) return;
    if (this.#lookedAt === -Infinity) this.#notes = (await parts.index.stats(parts.collection)).documents;
    if (this.#notes > quickNotes) return;
    // The first time takes long; later, only changes are read.
    const isFirst = this.#notes === 0;
    if (isFirst) onProgress?.({ seen: 0, indexed: 0 });
    await this.index({
      ...(signal !== undefined && { signal }),
      ...(isFirst && onProgress !== undefined && { onProgress }),
    });
  }

  /** Starts watching if configured, then indexes all earlier changes. */
  #follow(): void {
    const { watch: onError } = this.#options;
    if (onError === undefined || this.#closing.signal.aborted) return;
    this.#following ??= this.watch(onError).then(
      () => void this.index().catch((error: unknown) => this.#closing.signal.aborted || onError(error)),
      onError,
    );
  }
}

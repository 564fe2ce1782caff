import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { sep } from "node:path";
import { isFailureError } from "../base/index.ts";
import { checkSignal, fromSystemError } from "./file-reasons.ts";
import type { Folder, PathGuard } from "./folder.ts";
import { type IgnoreRules, ignoreRules, maxIgnoreFileBytes } from "./ignore-rules.ts";
import { quotePath } from "./parse-path.ts";
import { readBytes } from "./read-bytes.ts";
import { isTempName } from "./temp-files.ts";
import { type WalkEntry, entryTypeOf, walkEntry } from "./walk-entry.ts";

/** Options and limits of a walk. */
export interface WalkOptions {
  /** Maximum number of entries. Default: 10,000. */
  readonly maxEntries?: number;
  /** Maximum number of levels; 1 is the folder alone. Default: 32. */
  readonly maxDepth?: number;
  /** Include names that start with a dot. Default: false. */
  readonly hidden?: boolean;
  /** Omit entries that .gitignore files exclude. Default: true. */
  readonly gitignore?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Outcome of a walk. */
export interface WalkResult {
  /** Number of entries shown. */
  readonly entries: number;
  /** There are more than were shown. */
  readonly truncated: boolean;
  /** Folders that could not be read. */
  readonly unreadable: readonly string[];
}

/** Maximum number of names read, shown or not: a folder of millions of ignored files must come to an end. */
const maxNames = 1_000_000;

/** Maximum number of unreadable folders listed by path; more are omitted. */
const maxUnreadable = 20;

/** The rules of one .gitignore, and the distance of its folder from the start of the walk. */
interface Level {
  readonly rules: IgnoreRules;
  readonly depth: number;
}

/** Start of a walk. */
export interface WalkStart {
  readonly folder: Folder;
  /** Prefix of the entries' paths: `""`, or a path with a trailing slash. */
  readonly prefix: string;
  /** Folders from the root down to the start, the start left out; their rules hold here too. */
  readonly above: readonly Folder[];
  /** Names from the first of those to the start. */
  readonly names: readonly string[];
  readonly guard: PathGuard;
  readonly isClosed: (real: string) => boolean;
  /** Entries can be read even if they have several names. */
  readonly hardLinks: boolean;
}

/** Walks a folder, depth first, sorted by name; at most one folder per level is open. */
export function walkFolder(start: WalkStart, options: WalkOptions): AsyncGenerator<WalkEntry, WalkResult> {
  return new Walk(start, options).run();
}

class Walk {
  readonly #start: WalkStart;
  readonly #options: Required<Omit<WalkOptions, "signal">>;
  readonly #signal: AbortSignal | undefined;
  readonly #unreadable: string[] = [];
  #shown = 0;
  #namesLeft = maxNames;
  #truncated = false;

  constructor(start: WalkStart, options: WalkOptions) {
    const { maxEntries = 10_000, maxDepth = 32, hidden = false, gitignore = true, signal } = options;
    this.#start = start;
    this.#options = { maxEntries, maxDepth, hidden, gitignore };
    this.#signal = signal;
  }

  async *run(): AsyncGenerator<WalkEntry, WalkResult> {
    const levels: Level[] = [];
    for (const [depth, folder] of this.#start.above.entries()) await this.#addRules(levels, folder, depth);
    yield* this.#walk({ folder: this.#start.folder, names: [] }, levels);
    return { entries: this.#shown, truncated: this.#truncated, unreadable: this.#unreadable };
  }

  async *#walk(at: { folder: Folder; names: readonly string[] }, above: readonly Level[]): AsyncGenerator<WalkEntry> {
    const { folder, names } = at;
    const { hardLinks } = this.#start;
    const levels = [...above];
    await this.#addRules(levels, folder, this.#start.names.length + names.length);
    const depth = names.length + 1;
    for (const dirent of await this.#entries(folder, names, levels)) {
      checkSignal(this.#signal);
      if (this.#shown >= this.#options.maxEntries) {
        this.#truncated = true;
        return;
      }
      this.#shown++;
      const below = [...names, dirent.name];
      const path = this.#start.prefix + below.join("/");
      const enters = dirent.isDirectory() && depth < this.#options.maxDepth;
      yield walkEntry(dirent, { folder, path, depth, unopened: dirent.isDirectory() && !enters, hardLinks });
      if (enters) yield* this.#enter(folder, { names: below, path }, levels);
      if (this.#truncated) return;
    }
  }

  async *#enter(
    parent: Folder,
    { names, path }: { names: readonly string[]; path: string },
    levels: readonly Level[],
  ): AsyncGenerator<WalkEntry> {
    let folder: Folder;
    try {
      folder = await parent.enter(names.at(-1) ?? "", this.#start.guard);
    } catch (error) {
      if (!isFailureError(error)) throw error;
      // No access, removed, or replaced by a link: the rest of the tree is still shown.
      if (this.#unreadable.length < maxUnreadable) this.#unreadable.push(path);
      return;
    }
    try {
      yield* this.#walk({ folder, names }, levels);
    } finally {
      await folder.close();
    }
  }

  /**
   * The entries of a folder to show, sorted; at most as many as the walk may still show, plus one that indicates more.
   */
  async #entries(folder: Folder, names: readonly string[], levels: readonly Level[]): Promise<Dirent[]> {
    const max = this.#options.maxEntries - this.#shown + 1;
    const found: Dirent[] = [];
    try {
      for await (const dirent of await opendir(folder.base, { bufferSize: 512 })) {
        if (--this.#namesLeft < 0) this.#truncated = true;
        if (this.#truncated || found.length >= max) break;
        if (this.#shows(dirent, { folder, names, levels })) found.push(dirent);
        if (this.#namesLeft % 512 === 0) checkSignal(this.#signal);
      }
    } catch (error) {
      throw fromSystemError(error, quotePath(this.#start.prefix + names.join("/")));
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #shows(
    dirent: Dirent,
    {
      folder,
      names,
      levels,
    }: { readonly folder: Folder; readonly names: readonly string[]; readonly levels: readonly Level[] },
  ): boolean {
    const { name } = dirent;
    if (!this.#options.hidden && name.startsWith(".")) return false;
    if (isTempName(name) || this.#start.isClosed(`${folder.real}${sep}${name}`)) return false;
    const full = [...this.#start.names, ...names, name];
    for (const { rules, depth } of levels.toReversed()) {
      const verdict = rules.verdict(full.slice(depth).join("/"), entryTypeOf(dirent) === "folder");
      if (verdict !== undefined) return !verdict;
    }
    return true;
  }

  async #addRules(levels: Level[], folder: Folder, depth: number): Promise<void> {
    if (!this.#options.gitignore) return;
    const entry = { name: ".gitignore", path: ".gitignore" };
    // Its rules are applied and not shown.
    const range = { offset: 0, maxBytes: maxIgnoreFileBytes, hardLinks: true, signal: this.#signal };
    const file = await readBytes(folder, entry, range).catch(() => undefined);
    checkSignal(this.#signal);
    if (file === undefined) return;
    levels.push({ rules: await ignoreRules(file.bytes.toString("utf8").split(/\r?\n/)), depth });
  }
}

import type { Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { type Clock, systemClock } from "../base/index.ts";
import { ControlFiles, type ControlPath, realPathOf } from "./control-files.ts";
import { DeniedPaths, defaultDeniedPaths } from "./denied-paths.ts";
import { checkSignal, fileFailure } from "./file-reasons.ts";
import { Folder, type PathGuard } from "./folder.ts";
import { quotePath } from "./parse-path.ts";
import { type FileBytes, readBytes } from "./read-bytes.ts";
import { type FileRoot, Roots, type RootedPath } from "./roots.ts";
import { sha256Of } from "./sha256.ts";
import type { WalkEntry } from "./walk-entry.ts";
import { type WalkResult, type WalkOptions, walkFolder } from "./walk-folder.ts";
import { writeAtomically } from "./write-atomically.ts";
import { type WriteRequest, type WriteTarget, entryStats, inWriteTarget, missingFile } from "./write-target.ts";

/** Options of {@link createFileAccess}. */
export interface FileAccessOptions {
  /** Relative paths start at the first one; the others are reached by absolute paths. */
  readonly roots: readonly FileRoot[];
  /** Maximum bytes of one read and one write. Default: 8 MiB. */
  readonly maxBytes?: number;
  /**
   * Paths that are closed inside the roots: names and ends of paths as in {@link defaultDeniedPaths}, or absolute
   * paths.
   */
  readonly denied?: readonly string[];
  /** Files and folders that can be read and never written, as they are at the time of the write. */
  readonly controlPaths?: () => readonly ControlPath[];
  /**
   * Read files with several names (hard links), whose other names may be outside the roots. They are never written.
   * Default: false.
   */
  readonly hardLinks?: boolean;
  /** Called with the real path of a file before it is created or replaced. If it rejects, nothing is written. */
  readonly beforeWrite?: (realPath: string) => Promise<void>;
  readonly clock?: Pick<Clock, "now">;
}

/** The part of a file to read. */
export interface ReadFileOptions {
  /** The first byte. Default: 0. */
  readonly offset?: number;
  /** Maximum number of bytes, below the general limit. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Content of a file, and the path by which file access finds it again. */
export interface ReadFileResult extends FileBytes {
  readonly path: string;
}

/** Options for writing. */
export interface WriteFileOptions {
  /** Make folders that are missing. */
  readonly createParents?: boolean;
  /** Replace an existing file. Default: true. A file with the same content is never an obstacle. */
  readonly overwrite?: boolean;
  /** Fail if the file has changed in the meantime. */
  readonly expected?: { readonly sha256?: string | undefined; readonly modifiedMs?: number | undefined };
  /** Fail if the path leads elsewhere, as found by `findTarget` before. */
  readonly realPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file that a write would change. */
export interface FileTarget {
  /** Absolute, with all links followed. */
  readonly realPath: string;
  /** The same as callers write it: below the first root relative, else absolute. */
  readonly path: string;
}

/** Result of a write. */
export interface WriteFileResult {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** There was no such file before. */
  readonly created: boolean;
  /** False when the file had this content already. */
  readonly changed: boolean;
}

/** Content of a file before an edit. */
export interface FileBeforeEdit {
  readonly path: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The one way to files: everything happens inside the roots. */
export interface FileAccess {
  readonly maxBytes: number;
  /** Reads a plain file, or a part of it. */
  read(path: string, options?: ReadFileOptions): Promise<ReadFileResult>;
  /** Replaces or creates a file atomically: readers see either the old content or the new. */
  write(path: string, content: string | Uint8Array, options?: WriteFileOptions): Promise<WriteFileResult>;
  /** Writes the result of `change` on a file's content; other writers are excluded in between. */
  edit(
    path: string,
    change: (before: FileBeforeEdit) => Uint8Array | Promise<Uint8Array>,
    options?: Pick<WriteFileOptions, "realPath" | "signal">,
  ): Promise<WriteFileResult>;
  /** Finds the file that a write to this path would change, links followed, whether it exists or not. */
  findTarget(path: string): Promise<FileTarget>;
  /** Walks a folder, depth first, sorted by name. */
  walk(path: string, options?: WalkOptions): AsyncGenerator<WalkEntry, WalkResult>;
}

const defaultMaxBytes = 8 * 1_048_576;

/**
 * Gives access to some folders, and nothing else. Every path is resolved inside them: links are followed only while
 * they stay inside, the real path is checked again once it is open, and pipes, devices and sockets are rejected.
 *
 * @example
 * ```ts
 * const files = createFileAccess({ roots: [{ path: "notes", write: true }] });
 * await files.write("today.md", "# Today");
 * ```
 *
 * @see docs/guide/built-in-tools.md
 */
export function createFileAccess(options: FileAccessOptions): FileAccess {
  return new RootedFileAccess(options);
}

class RootedFileAccess implements FileAccess {
  readonly maxBytes: number;
  readonly #roots: readonly FileRoot[];
  readonly #closed: DeniedPaths;
  readonly #controlPaths: () => readonly ControlPath[];
  readonly #hardLinks: boolean;
  readonly #beforeWrite: FileAccessOptions["beforeWrite"];
  readonly #clock: Pick<Clock, "now">;

  constructor({ roots, maxBytes = defaultMaxBytes, denied = defaultDeniedPaths, ...options }: FileAccessOptions) {
    const { controlPaths = () => [], hardLinks = false, clock } = options;
    this.maxBytes = maxBytes;
    this.#beforeWrite = options.beforeWrite;
    this.#controlPaths = controlPaths;
    this.#hardLinks = hardLinks;
    this.#roots = roots;
    this.#closed = new DeniedPaths(denied);
    this.#clock = clock ?? systemClock;
  }

  async read(
    path: string,
    { offset = 0, maxBytes = this.maxBytes, signal }: ReadFileOptions = {},
  ): Promise<ReadFileResult> {
    checkSignal(signal);
    const roots = await this.#find();
    const rootedPath = await roots.resolve(path, "find");
    const real = await roots.follow(rootedPath);
    // The parent of a root must not be opened, not even to inspect the root from there.
    if (roots.isRoot(real))
      throw fileFailure("not_a_file", `${quotePath(rootedPath.display)} is a folder; name a file`);
    const range = { offset, maxBytes: Math.min(maxBytes, this.maxBytes), hardLinks: this.#hardLinks, signal };
    const { display } = rootedPath;
    const guard: PathGuard = { path: display, check: (realPath) => roots.check(realPath, display) };
    const folder = await Folder.open(dirname(real), guard);
    try {
      return { path: display, ...(await readBytes(folder, { name: basename(real), path: display }, range)) };
    } finally {
      await folder.close();
    }
  }

  async write(path: string, content: string | Uint8Array, options: WriteFileOptions = {}): Promise<WriteFileResult> {
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    this.#checkSize(bytes, path);
    return this.#inTarget({ path, use: "make", ...options }, async (target, rootedPath) => {
      const before = await this.#before(target, { requested: rootedPath, options, size: bytes.length });
      const sha256 = await sha256Of(bytes);
      const done = { path: rootedPath.display, bytes: bytes.length, sha256, created: target.old === undefined };
      // Repeating the same write succeeds, regardless of the expected earlier state.
      if (before?.sha256 === sha256) return { ...done, changed: false };
      checkExpected(target.old, before, { requested: rootedPath, options });
      const guarded = options.expected !== undefined || options.overwrite === false;
      await this.#put(target, rootedPath, { bytes, guarded, signal: options.signal });
      return { ...done, changed: true };
    });
  }

  async edit(
    path: string,
    change: (before: FileBeforeEdit) => Uint8Array | Promise<Uint8Array>,
    options: Pick<WriteFileOptions, "realPath" | "signal"> = {},
  ): Promise<WriteFileResult> {
    return this.#inTarget({ path, use: "find", ...options }, async (target, rootedPath) => {
      if (target.old === undefined) throw missingFile(rootedPath);
      const before = await this.#content(target, rootedPath, options.signal);
      const bytes = await change(before);
      this.#checkSize(bytes, rootedPath.display);
      const sha256 = await sha256Of(bytes);
      const changed = sha256 !== before.sha256;
      if (changed) await this.#put(target, rootedPath, { bytes, guarded: true, signal: options.signal });
      return { path: rootedPath.display, bytes: bytes.length, sha256, created: false, changed };
    });
  }

  async *walk(path: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry, WalkResult> {
    checkSignal(options.signal);
    const roots = await this.#find();
    const rootedPath = await roots.resolve(path, "find");
    const real = await roots.follow(rootedPath);
    const guard: PathGuard = {
      path: rootedPath.display,
      check: (realPath) => roots.check(realPath, rootedPath.display),
    };
    const open: Folder[] = [];
    try {
      // A link may lead to a folder elsewhere in the roots; the rules of the folders around that one hold.
      const inside = real === rootedPath.base || real.startsWith(rootedPath.base + sep);
      const names = inside ? real.slice(rootedPath.base.length).split(sep).filter(Boolean) : [];
      const first = await Folder.open(inside ? rootedPath.base : real, guard);
      open.push(first);
      for (const name of names) open.push(await (open.at(-1) ?? first).enter(name, guard));
      const prefix = rootedPath.display === "." ? "" : `${rootedPath.display}/`;
      const folder = open.at(-1) ?? first;
      const above = open.slice(0, -1);
      const hardLinks = this.#hardLinks;
      return yield* walkFolder({ folder, prefix, above, names, guard, isClosed: roots.isClosed, hardLinks }, options);
    } finally {
      await Promise.all(open.map((folder) => folder.close()));
    }
  }

  async findTarget(path: string): Promise<FileTarget> {
    const roots = await this.#find();
    const { base, names, display } = await roots.resolve(path, "make");
    const realPath = await realPathOf(join(base, ...names));
    return { realPath, path: roots.shown(realPath) ?? display };
  }

  async #inTarget<T>(
    request: WriteRequest,
    work: (target: WriteTarget, rootedPath: RootedPath) => Promise<T>,
  ): Promise<T> {
    checkSignal(request.signal);
    const [roots, control] = await Promise.all([this.#find(), ControlFiles.find(this.#controlPaths())]);
    return inWriteTarget({ roots, control }, request, work);
  }

  #find(): Promise<Roots> {
    return Roots.find(this.#roots, this.#closed);
  }

  /** Content of the file, if it is needed. */
  async #before(
    target: WriteTarget,
    { requested, options, size }: { requested: RootedPath; options: WriteFileOptions; size: number },
  ): Promise<FileBeforeEdit | undefined> {
    const needsContent = options.expected?.sha256 !== undefined || target.old?.size === size;
    return target.old !== undefined && needsContent ? this.#content(target, requested, options.signal) : undefined;
  }

  async #content(
    target: WriteTarget,
    rootedPath: RootedPath,
    signal: AbortSignal | undefined,
  ): Promise<FileBeforeEdit> {
    const entry = { name: target.name, path: rootedPath.display };
    const file = await readBytes(target.folder, entry, {
      offset: 0,
      maxBytes: this.maxBytes,
      // The target was checked.
      hardLinks: true,
      signal,
    });
    if (file.truncated) throw this.#tooLarge(rootedPath.display, file.size);
    return { path: rootedPath.display, bytes: file.bytes, sha256: await sha256Of(file.bytes) };
  }

  async #put(
    { folder, name, old }: WriteTarget,
    rootedPath: RootedPath,
    { bytes, guarded, signal }: { bytes: Uint8Array; guarded: boolean; signal: AbortSignal | undefined },
  ): Promise<void> {
    const confirm = async (): Promise<void> => {
      // The mutex does not cover other processes: their writes since the check must not be lost if the write is
      // conditional.
      if (!guarded || sameFile(old, await entryStats(folder, name, rootedPath))) return;
      throw fileFailure(
        "changed",
        `${quotePath(rootedPath.display)} was changed by someone else just now; read it again`,
      );
    };
    const entry = { name, path: rootedPath.display };
    await this.#beforeWrite?.(join(folder.real, name));
    await writeAtomically(folder, entry, { bytes, old, confirm, now: this.#clock.now(), signal });
  }

  #checkSize(bytes: Uint8Array, path: string): void {
    if (bytes.length > this.maxBytes) throw this.#tooLarge(path, bytes.length);
  }

  #tooLarge(path: string, size: number): Error {
    return fileFailure(
      "too_large",
      `${quotePath(path)} has ${size} bytes, more than the ${this.maxBytes} allowed here`,
    );
  }
}

function checkExpected(
  old: Stats | undefined,
  before: FileBeforeEdit | undefined,
  { requested, options }: { requested: RootedPath; options: WriteFileOptions },
): void {
  const path = quotePath(requested.display);
  const { sha256, modifiedMs } = options.expected ?? {};
  if (options.overwrite === false && old !== undefined) {
    throw fileFailure("exists", `${path} exists; choose another path, or allow it to be replaced`);
  }
  if (sha256 !== undefined && before?.sha256 !== sha256.toLowerCase()) {
    const state = old === undefined ? "does not exist" : "changed since it was read";
    throw fileFailure("changed", `${path} ${state}; read it again, then decide`);
  }
  if (modifiedMs !== undefined && old?.mtimeMs !== modifiedMs) {
    throw fileFailure("changed", `${path} changed since it was read; read it again, then decide`);
  }
}

function sameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

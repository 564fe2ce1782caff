import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { type Clock, systemClock } from "../base/index.ts";
import { ClosedPlaces, usuallyClosed } from "./closed-places.ts";
import { checkSignal, fromSystem, refuseFile, systemCode } from "./file-reasons.ts";
import { Folder, type Guard } from "./folder.ts";
import { openParent } from "./make-folders.ts";
import { type PathUse, shown } from "./path-parts.ts";
import { type FileBytes, readBytes } from "./read-bytes.ts";
import { type FileRoot, Roots, type Wanted } from "./roots.ts";
import { sha256Of } from "./sha256.ts";
import { Turns } from "./turns.ts";
import type { WalkEntry } from "./walk-entry.ts";
import { type WalkEnd, type WalkOptions, walkFolder } from "./walk-folder.ts";
import { writeAtomically } from "./write-atomically.ts";

/** What a file door opens. */
export interface FileDoorOptions {
  /** Relative paths start at the first one; the others are reached by absolute paths. */
  readonly roots: readonly FileRoot[];
  /** The most that one read gives and one write takes; 8 MiB by default. */
  readonly maxBytes?: number;
  /** What stays closed inside the roots: names and ends of paths as in {@link usuallyClosed}, or absolute paths. */
  readonly closed?: readonly string[];
  readonly clock?: Pick<Clock, "now">;
}

/** Which part of a file to read. */
export interface ReadOptions {
  /** The first byte; 0 by default. */
  readonly offset?: number;
  /** Fewer than the door allows. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Content of a file, and the path by which the door finds it again. */
export interface ReadFile extends FileBytes {
  readonly path: string;
}

/** How to write. */
export interface WriteOptions {
  /** Make folders that are missing. */
  readonly createParents?: boolean;
  /** May a file that exists be replaced? By default. One with the very same content never stands in the way. */
  readonly overwrite?: boolean;
  /** Refuse when the file is another one by now. */
  readonly expected?: { readonly sha256?: string | undefined; readonly modifiedMs?: number | undefined };
  readonly signal?: AbortSignal | undefined;
}

/** What was written. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** There was no such file before. */
  readonly created: boolean;
  /** False when the file had this content already. */
  readonly changed: boolean;
}

/** What a file holds before it is edited. */
export interface Before {
  readonly path: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The one way to files: everything happens inside the roots. */
export interface FileDoor {
  readonly maxBytes: number;
  /** Reads a plain file, or a part of it. */
  read(path: string, options?: ReadOptions): Promise<ReadFile>;
  /** Replaces or makes a file, all at once: readers see the old content or the new, whatever happens meanwhile. */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<Written>;
  /** Writes what `change` makes of a file's content, with nobody else writing in between. */
  edit(
    path: string,
    change: (before: Before) => Uint8Array | Promise<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Written>;
  /** Goes through a folder, depth first, sorted by name. */
  walk(path: string, options?: WalkOptions): AsyncGenerator<WalkEntry, WalkEnd>;
}

const defaultMaxBytes = 8 * 1_048_576;

/** Writes to one file take turns within this process, through whichever door. */
const turns = new Turns();

/**
 * Opens some folders, and nothing else. Every path is resolved inside them: links are followed only while they stay
 * inside, the place is checked again once it is open, and pipes, devices and sockets are refused.
 *
 * @example
 * ```ts
 * const files = createFileDoor({ roots: [{ path: "notes", write: true }] });
 * await files.write("today.md", "# Today");
 * ```
 */
export function createFileDoor(options: FileDoorOptions): FileDoor {
  return new RootedDoor(options);
}

/** An existing file that is about to be written, or the place for a new one. */
interface Target {
  readonly folder: Folder;
  readonly name: string;
  readonly old: Stats | undefined;
}

class RootedDoor implements FileDoor {
  readonly maxBytes: number;
  readonly #roots: readonly FileRoot[];
  readonly #closed: ClosedPlaces;
  readonly #clock: Pick<Clock, "now">;

  constructor({ roots, maxBytes = defaultMaxBytes, closed = usuallyClosed, clock }: FileDoorOptions) {
    this.maxBytes = maxBytes;
    this.#roots = roots;
    this.#closed = new ClosedPlaces(closed);
    this.#clock = clock ?? systemClock;
  }

  async read(path: string, { offset = 0, maxBytes = this.maxBytes, signal }: ReadOptions = {}): Promise<ReadFile> {
    checkSignal(signal);
    const roots = await this.#find();
    const wanted = await roots.want(path, "find");
    const real = await roots.follow(wanted);
    // What is around a root is no business of the door, not even to look at the root from there.
    if (roots.isRoot(real)) throw refuseFile("not_a_file", `${shown(wanted.shown)} is a folder; name a file`);
    const most = Math.min(maxBytes, this.maxBytes);
    const file = await this.#inFolder(roots, { real: dirname(real), path: wanted.shown }, (folder) =>
      readBytes(folder, { name: basename(real), path: wanted.shown }, { offset, maxBytes: most, signal }),
    );
    return { path: wanted.shown, ...file };
  }

  async write(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<Written> {
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    this.#checkSize(bytes, path);
    return this.#inTarget(path, options, async (target, wanted) => {
      const before = await this.#before(target, { wanted, options, size: bytes.length });
      const sha256 = await sha256Of(bytes);
      const done = { path: wanted.shown, bytes: bytes.length, sha256, created: target.old === undefined };
      // The same work a second time finds itself done, whatever it expected of the file before.
      if (before?.sha256 === sha256) return { ...done, changed: false };
      checkExpected(target.old, before, { wanted, options });
      const guarded = options.expected !== undefined || options.overwrite === false;
      await this.#put(target, wanted, { bytes, guarded, signal: options.signal });
      return { ...done, changed: true };
    });
  }

  async edit(
    path: string,
    change: (before: Before) => Uint8Array | Promise<Uint8Array>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Written> {
    return this.#inTarget(path, { ...options, use: "find" }, async (target, wanted) => {
      if (target.old === undefined) throw missing(wanted);
      const before = await this.#content(target, wanted, options.signal);
      const bytes = await change(before);
      this.#checkSize(bytes, wanted.shown);
      const sha256 = await sha256Of(bytes);
      const changed = sha256 !== before.sha256;
      if (changed) await this.#put(target, wanted, { bytes, guarded: true, signal: options.signal });
      return { path: wanted.shown, bytes: bytes.length, sha256, created: false, changed };
    });
  }

  async *walk(path: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry, WalkEnd> {
    checkSignal(options.signal);
    const roots = await this.#find();
    const wanted = await roots.want(path, "find");
    const real = await roots.follow(wanted);
    const guard: Guard = { path: wanted.shown, check: (place) => roots.check(place, wanted.shown) };
    const open: Folder[] = [];
    try {
      // A link may lead to a folder elsewhere in the roots; the rules of the folders around that one hold.
      const inside = real === wanted.base || real.startsWith(wanted.base + sep);
      const names = inside ? real.slice(wanted.base.length).split(sep).filter(Boolean) : [];
      const first = await Folder.open(inside ? wanted.base : real, guard);
      open.push(first);
      for (const name of names) open.push(await (open.at(-1) ?? first).enter(name, guard));
      const prefix = wanted.shown === "." ? "" : `${wanted.shown}/`;
      const folder = open.at(-1) ?? first;
      const isClosed = (real: string): boolean => roots.isClosed(real);
      return yield* walkFolder({ folder, prefix, above: open.slice(0, -1), names, guard, isClosed }, options);
    } finally {
      await Promise.all(open.map((folder) => folder.close()));
    }
  }

  #find(): Promise<Roots> {
    return Roots.find(this.#roots, this.#closed);
  }

  async #inFolder<T>(
    roots: Roots,
    { real, path }: { readonly real: string; readonly path: string },
    work: (folder: Folder) => Promise<T>,
  ): Promise<T> {
    const folder = await Folder.open(real, { path, check: (place) => roots.check(place, path) });
    try {
      return await work(folder);
    } finally {
      await folder.close();
    }
  }

  /** Finds where to write, waits for the turn of that file, and works there. */
  async #inTarget<T>(
    path: string,
    options: WriteOptions & { readonly use?: PathUse },
    work: (target: Target, wanted: Wanted) => Promise<T>,
  ): Promise<T> {
    checkSignal(options.signal);
    const roots = await this.#find();
    const wanted = await roots.want(path, options.use ?? "make");
    if (wanted.names.length === 0) throw refuseFile("not_a_file", `${shown(wanted.shown)} is a folder; name a file`);
    const { folder, name } = await this.#openTarget(roots, wanted, options);
    try {
      return await turns.take(`${folder.real}${sep}${name}`, async () => {
        checkSignal(options.signal);
        const old = await entryStats(folder, name, wanted);
        if (old?.isSymbolicLink() === true)
          throw refuseFile("raced", `${shown(wanted.shown)} became a link; try again`);
        if (old !== undefined && !old.isFile()) {
          throw refuseFile("not_a_file", `${shown(wanted.shown)} exists and is no file; choose another path`);
        }
        return work({ folder, name, old }, wanted);
      });
    } finally {
      await folder.close();
    }
  }

  async #openTarget(
    roots: Roots,
    wanted: Wanted,
    { createParents = false, use }: WriteOptions & { readonly use?: PathUse },
  ): Promise<{ folder: Folder; name: string }> {
    const guard: Guard = { path: wanted.shown, check: (place) => roots.checkWritable(place, wanted.shown) };
    const name = wanted.names.at(-1) ?? "";
    // Before folders are made for it, and again by where it really is.
    roots.check(join(wanted.base, ...wanted.names), wanted.shown);
    const folder = await openParent(wanted, guard, createParents);
    if (folder === undefined) throw use === "find" ? missing(wanted) : missingFolder(wanted);
    let kept = false;
    try {
      guard.check(join(folder.real, name));
      kept = (await entryStats(folder, name, wanted))?.isSymbolicLink() !== true;
      if (kept) return { folder, name };
    } finally {
      if (!kept) await folder.close();
    }
    // The file behind a link is the one that is meant; the link stays.
    const real = await roots.follow(wanted).catch((error: unknown) => {
      throw systemCode(causeOf(error)) === "ENOENT"
        ? refuseFile("broken_link", `${shown(wanted.shown)} is a link that leads to nothing; choose another path`)
        : error;
    });
    guard.check(real);
    return { folder: await Folder.open(dirname(real), guard), name: basename(real) };
  }

  /** What the file holds, where that has to be known. */
  async #before(
    target: Target,
    { wanted, options, size }: { wanted: Wanted; options: WriteOptions; size: number },
  ): Promise<Before | undefined> {
    const asked = options.expected?.sha256 !== undefined || target.old?.size === size;
    return target.old !== undefined && asked ? this.#content(target, wanted, options.signal) : undefined;
  }

  async #content(target: Target, wanted: Wanted, signal: AbortSignal | undefined): Promise<Before> {
    const entry = { name: target.name, path: wanted.shown };
    const file = await readBytes(target.folder, entry, { offset: 0, maxBytes: this.maxBytes, signal });
    if (file.truncated) throw this.#tooLarge(wanted.shown, file.size);
    return { path: wanted.shown, bytes: file.bytes, sha256: await sha256Of(file.bytes) };
  }

  async #put(
    { folder, name, old }: Target,
    wanted: Wanted,
    { bytes, guarded, signal }: { bytes: Uint8Array; guarded: boolean; signal: AbortSignal | undefined },
  ): Promise<void> {
    const confirm = async (): Promise<void> => {
      // Other processes know no turns: what they wrote since we looked must not be lost where that matters.
      if (!guarded || sameFile(old, await entryStats(folder, name, wanted))) return;
      throw refuseFile("changed", `${shown(wanted.shown)} was changed by someone else just now; read it again`);
    };
    const entry = { name, path: wanted.shown };
    await writeAtomically(folder, entry, { bytes, old, confirm, now: this.#clock.now(), signal });
  }

  #checkSize(bytes: Uint8Array, path: string): void {
    if (bytes.length > this.maxBytes) throw this.#tooLarge(path, bytes.length);
  }

  #tooLarge(path: string, size: number): Error {
    return refuseFile("too_large", `${shown(path)} has ${size} bytes, more than the ${this.maxBytes} allowed here`);
  }
}

function missing({ shown: path }: Wanted): Error {
  return refuseFile("not_found", `${shown(path)} does not exist`);
}

/** Named as the tool names it; to whoever calls the door, `createParents` says the same. */
function missingFolder({ shown: path }: Wanted): Error {
  const folder = shown(dirname(path));
  return refuseFile("not_found", `the folder ${folder} does not exist; pass create_parents: true to have it made`);
}

async function entryStats(folder: Folder, name: string, wanted: Wanted): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromSystem(error, shown(wanted.shown));
  }
}

function checkExpected(
  old: Stats | undefined,
  before: Before | undefined,
  { wanted, options }: { wanted: Wanted; options: WriteOptions },
): void {
  const path = shown(wanted.shown);
  const { sha256, modifiedMs } = options.expected ?? {};
  if (options.overwrite === false && old !== undefined) {
    throw refuseFile("exists", `${path} exists; choose another path, or allow it to be replaced`);
  }
  if (sha256 !== undefined && before?.sha256 !== sha256.toLowerCase()) {
    const state = old === undefined ? "does not exist" : "changed since it was read";
    throw refuseFile("changed", `${path} ${state}; read it again, then decide`);
  }
  if (modifiedMs !== undefined && old?.mtimeMs !== modifiedMs) {
    throw refuseFile("changed", `${path} changed since it was read; read it again, then decide`);
  }
}

function sameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

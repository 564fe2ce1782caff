import { systemErrorCode } from "../base/index.ts";
import { constants, existsSync } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fromSystemError, fileFailure } from "./file-reasons.ts";
import { quotePath } from "./parse-path.ts";

/** Windows has neither flag; there only the checks before and after protect a path. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const onlyFolder = constants.O_DIRECTORY ?? 0;

/** Opens an entry for reading: never through a link, never waiting for the other end of a pipe. */
export const readFlags: number = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);

/** Makes a new entry: fails when anything has that name, a link included. */
export const createFlags: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/** Checks real paths during one operation. */
export interface PathGuard {
  /** The path as the caller wrote it, for messages. */
  readonly path: string;
  /** Throws when this real path is not allowed. */
  check(real: string): void;
}

/**
 * An open folder. On Linux its entries are reached through its descriptor, so that later changes of the path cannot
 * lead elsewhere. On macOS the real path of the descriptor is compared once it is open, and on Windows the path is
 * trusted as it was checked.
 */
export class Folder {
  /** Its real path. */
  readonly real: string;
  readonly #handle: FileHandle | undefined;
  readonly #base: string;

  private constructor(real: string, base: string, handle: FileHandle | undefined) {
    this.real = real;
    this.#base = base;
    this.#handle = handle;
  }

  /** Opens the folder at this path, whose last part must not be a link, if the guard allows its location. */
  static async open(path: string, guard: PathGuard): Promise<Folder> {
    if (process.platform === "win32") {
      guard.check(path);
      return new Folder(path, path, undefined);
    }
    const handle = await openHandle(path, guard);
    try {
      const throughDescriptor = hasDescriptorPaths();
      const real = throughDescriptor
        ? await readlink(`/proc/self/fd/${handle.fd}`)
        : await isSameFolder(handle, path, guard);
      guard.check(real);
      return new Folder(real, throughDescriptor ? `/proc/self/fd/${handle.fd}` : real, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The path of an entry, good as long as the folder is open. */
  at(name: string): string {
    return join(this.#base, name);
  }

  /** The folder itself, to be listed. */
  get base(): string {
    // With a slash, since the descriptor's path is itself a link.
    return `${this.#base}/`;
  }

  /** Opens a folder in this one, never through a link. */
  enter(name: string, guard: PathGuard): Promise<Folder> {
    return Folder.open(this.at(name), guard);
  }

  /** Flushes changes of the entries to disk. Some file systems do not support this for folders. */
  async sync(): Promise<void> {
    await this.#handle?.sync().catch(() => {});
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function openHandle(path: string, guard: PathGuard): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | onlyFolder | noFollow);
  } catch (error) {
    // A link instead of a folder gives either code, depending on the system.
    const code = systemErrorCode(error);
    if (code === "ENOTDIR" || code === "ELOOP") {
      throw fileFailure("not_a_folder", `${quotePath(guard.path)} is not a folder`, { cause: error });
    }
    throw fromSystemError(error, quotePath(guard.path));
  }
}

/** Returns the real path of an open folder; fails if the path now leads to another folder. */
async function isSameFolder(handle: FileHandle, path: string, guard: PathGuard): Promise<string> {
  const real = await realpath(path);
  const [opened, now] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
  if (opened.dev !== now.dev || opened.ino !== now.ino) {
    throw fileFailure("concurrent_change", `${quotePath(guard.path)} was replaced while it was opened; try again`);
  }
  return real;
}

let descriptorPaths: boolean | undefined;

/** Linux, with its process file system in place. */
function hasDescriptorPaths(): boolean {
  descriptorPaths ??= process.platform === "linux" && existsSync("/proc/self/fd");
  return descriptorPaths;
}

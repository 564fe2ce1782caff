import { constants, existsSync } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { fromSystem, refuseFile, systemCode } from "./file-reasons.ts";
import { shown } from "./path-parts.ts";

/** Windows has neither; there a path is what the checks before and after say it is. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const onlyFolder = constants.O_DIRECTORY ?? 0;

/** Opens an entry for reading: never through a link, never waiting for the other end of a pipe. */
export const readingFlags: number = constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0);

/** Makes a new entry: fails when anything has that name, a link included. */
export const makingFlags: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/** Decides about places on the way of one piece of work. */
export interface Guard {
  /** How callers call what they want, for messages. */
  readonly path: string;
  /** Throws when this real path is not allowed. */
  check(real: string): void;
}

/**
 * An open folder. On Linux its entries are reached through its descriptor, so that nothing that happens to the path
 * afterwards can lead elsewhere. On macOS the place of the descriptor is compared once it is open, and on Windows the
 * path is trusted as it was checked.
 */
export class Folder {
  /** Where it really is. */
  readonly real: string;
  readonly #handle: FileHandle | undefined;
  readonly #base: string;

  private constructor(real: string, base: string, handle: FileHandle | undefined) {
    this.real = real;
    this.#base = base;
    this.#handle = handle;
  }

  /** Opens the folder at this path, whose last part must be no link, when the guard allows where it is. */
  static async open(path: string, guard: Guard): Promise<Folder> {
    if (process.platform === "win32") {
      guard.check(path);
      return new Folder(path, path, undefined);
    }
    const handle = await openHandle(path, guard);
    try {
      const throughDescriptor = hasDescriptorPaths();
      const real = throughDescriptor
        ? await readlink(`/proc/self/fd/${handle.fd}`)
        : await samePlace(handle, path, guard);
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
  enter(name: string, guard: Guard): Promise<Folder> {
    return Folder.open(this.at(name), guard);
  }

  /** Makes what happened to the entries last. Some file systems have no such thing for folders. */
  async sync(): Promise<void> {
    await this.#handle?.sync().catch(() => {});
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function openHandle(path: string, guard: Guard): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | onlyFolder | noFollow);
  } catch (error) {
    // A link in the place of a folder gives either, by the system.
    const code = systemCode(error);
    if (code === "ENOTDIR" || code === "ELOOP") {
      throw refuseFile("not_a_folder", `${shown(guard.path)} is no folder`, { cause: error });
    }
    throw fromSystem(error, shown(guard.path));
  }
}

/** Where an open folder is, told by its path; refused when the path leads to another one by now. */
async function samePlace(handle: FileHandle, path: string, guard: Guard): Promise<string> {
  const real = await realpath(path);
  const [opened, now] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
  if (opened.dev !== now.dev || opened.ino !== now.ino) {
    throw refuseFile("raced", `${shown(guard.path)} was replaced while it was opened; try again`);
  }
  return real;
}

let descriptorPaths: boolean | undefined;

/** Linux, with its process file system in place. */
function hasDescriptorPaths(): boolean {
  descriptorPaths ??= process.platform === "linux" && existsSync("/proc/self/fd");
  return descriptorPaths;
}

import type { Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { checkSignal, fromSystem, refuseFile, systemCode } from "./file-reasons.ts";
import { type Folder, readingFlags } from "./folder.ts";
import { shown } from "./path-parts.ts";

/** Which part of a file is wanted, and at most how much of it. */
export interface Range {
  /** The first byte; 0 is the start. */
  readonly offset: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Bytes of a file. */
export interface FileBytes {
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
  readonly modifiedMs: number;
  /** There is more after these bytes. */
  readonly truncated: boolean;
}

/** Read in parts of this size, so that a cancelled reader stops soon. */
const partBytes = 1_048_576;

/** Reads an entry of an open folder, which must be a plain file. */
export async function readBytes(folder: Folder, entry: EntryName, range: Range): Promise<FileBytes> {
  const handle = await openPlain(folder, entry);
  try {
    const { size, mtimeMs } = await handle.stat();
    const bytes = await readPart(handle, {
      ...range,
      maxBytes: Math.max(0, Math.min(range.maxBytes, size - range.offset)),
    });
    return { bytes, size, modifiedMs: mtimeMs, truncated: range.offset + bytes.length < size };
  } catch (error) {
    throw fromSystem(error, shown(entry.path));
  } finally {
    await handle.close();
  }
}

/** An entry of a folder, and how it is called in messages. */
export interface EntryName {
  readonly name: string;
  readonly path: string;
}

async function openPlain(folder: Folder, { name, path }: EntryName): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Looked at first: to open a device can already do something.
    checkPlain(await lstat(folder.at(name)), path);
    handle = await open(folder.at(name), readingFlags);
  } catch (error) {
    if (systemCode(error) === "ELOOP") throw raced(path, error);
    throw fromSystem(error, shown(path));
  }
  try {
    checkPlain(await handle.stat(), path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkPlain(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isSymbolicLink()) throw raced(path);
  const what = stats.isDirectory() ? "a folder" : "a pipe, a device or a socket";
  throw refuseFile("not_a_file", `${shown(path)} is ${what}; name a file`);
}

/** All links were followed before: one that is there now was put there since. */
function raced(path: string, cause?: unknown): Error {
  return refuseFile("raced", `${shown(path)} became a link while it was opened; try again`, { cause });
}

async function readPart(handle: FileHandle, { offset, maxBytes, signal }: Range): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(maxBytes);
  let filled = 0;
  while (filled < maxBytes) {
    checkSignal(signal);
    const { bytesRead } = await handle.read(bytes, filled, Math.min(partBytes, maxBytes - filled), offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

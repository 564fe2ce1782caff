import { systemErrorCode } from "../base/index.ts";
import type { Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { checkSignal, fromSystemError, fileFailure } from "./file-reasons.ts";
import { type Folder, readFlags } from "./folder.ts";
import { quotePath } from "./parse-path.ts";

/** The part of a file to read, and its maximum size. */
export interface ByteRange {
  /** The first byte; 0 is the start. */
  readonly offset: number;
  readonly maxBytes: number;
  /** Reads a file with several names too. */
  readonly hardLinks: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Bytes of a file. */
export interface FileBytes {
  readonly bytes: Buffer;
  /** Size of the whole file, in bytes. */
  readonly size: number;
  readonly modifiedMs: number;
  /** There is more after these bytes. */
  readonly truncated: boolean;
}

/** Read in parts of this size, so that a cancelled reader stops soon. */
const partBytes = 1_048_576;

/** Reads an entry of an open folder, which must be a plain file. */
export async function readBytes(folder: Folder, entry: EntryName, range: ByteRange): Promise<FileBytes> {
  const handle = await openPlain(folder, entry, range.hardLinks);
  try {
    const { size, mtimeMs } = await handle.stat();
    const bytes = await readPart(handle, {
      ...range,
      maxBytes: Math.max(0, Math.min(range.maxBytes, size - range.offset)),
    });
    return { bytes, size, modifiedMs: mtimeMs, truncated: range.offset + bytes.length < size };
  } catch (error) {
    throw fromSystemError(error, quotePath(entry.path));
  } finally {
    await handle.close();
  }
}

/** An entry of a folder, and how it is called in messages. */
export interface EntryName {
  readonly name: string;
  readonly path: string;
}

async function openPlain(folder: Folder, { name, path }: EntryName, hardLinks: boolean): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Checked first: opening a device can have side effects.
    checkPlain(await lstat(folder.at(name)), path);
    handle = await open(folder.at(name), readFlags);
  } catch (error) {
    if (systemErrorCode(error) === "ELOOP") throw concurrentChangeFailure(path, error);
    throw fromSystemError(error, quotePath(path));
  }
  try {
    const stats = await handle.stat();
    checkPlain(stats, path);
    if (!hardLinks && stats.nlink > 1) throw hardLinkFailure(path, "read");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkPlain(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isSymbolicLink()) throw concurrentChangeFailure(path);
  const kind = stats.isDirectory() ? "a folder" : "a pipe, a device or a socket";
  throw fileFailure("not_a_file", `${quotePath(path)} is ${kind}; name a file`);
}

/** The other names of a file cannot be found; one of them may be outside the open folders. */
export function hardLinkFailure(path: string, use: "read" | "write"): Error {
  const why = `${quotePath(path)} has several names (hard links), and another one may be outside the open folders`;
  const setting = "to read such files, set files: { hard_links: true } in windlass.yaml, or hardLinks in code";
  const advice = use === "read" ? setting : "write to another path";
  return fileFailure("hard_link", `${why}; ${advice}`, { forModel: `${why}; choose another file` });
}

/** All links were resolved before: a link that is found now was created since. */
function concurrentChangeFailure(path: string, cause?: unknown): Error {
  return fileFailure("concurrent_change", `${quotePath(path)} became a link while it was opened; try again`, { cause });
}

async function readPart(handle: FileHandle, { offset, maxBytes, signal }: ByteRange): Promise<Buffer> {
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

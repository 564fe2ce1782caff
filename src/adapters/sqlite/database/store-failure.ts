import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type FailureCode, FailureError, isFailureError, isReadOnly, errorMessage } from "../../../base/index.ts";

/** Reason and advice by SQLite's primary result code. */
const bySqlite: Readonly<Record<number, readonly [reason: string, advice: string]>> = {
  3: ["no_permission", "permission is denied. Give this user access to the file and its folder"],
  5: ["busy", "another process held the lock for too long. Try again, or end the other process"],
  6: ["busy", "another process held the lock for too long. Try again, or end the other process"],
  8: ["read_only", "the file or its folder is read-only. Give this user permission to write there"],
  10: ["io_error", "the disk reported an error. Check the disk; a backup can be put in place of the file"],
  11: ["corrupt", "its content is damaged. Restore a backup, or move it away to start with an empty one"],
  14: ["cannot_open", "it cannot be opened. Check that the path is a file in a folder this user may write to"],
  26: ["not_a_database", "it is not a database. Move it away to start with an empty one"],
};

const byErrno: Readonly<Record<string, number>> = {
  EACCES: 3,
  EPERM: 3,
  EROFS: 8,
  EIO: 10,
  ENOENT: 14,
  ENOTDIR: 14,
  EISDIR: 14,
  EEXIST: 14,
};

/** Converts any error of opening, reading or writing the database to a failure. */
export function storeFailure(error: unknown, file: string): FailureError {
  if (isFailureError(error)) return error;
  const primary = resultCode(error);
  if (primary === 13 || errnoOf(error) === "ENOSPC" || (primary === 10 && diskIsFull(file))) return fullFailure(file);
  // On a read-only disk, SQLite only reports that it cannot create its files.
  const code = primary === 14 && [file, dirname(file)].some(isReadOnly) ? 8 : primary;
  const known = code === undefined ? undefined : bySqlite[code];
  const [reason, advice] = known ?? ["failed", errorMessage(error)];
  return databaseFailure(`cannot use the database ${file}: ${advice}`, { reason, cause: error });
}

/** A failure about the database. */
export function databaseFailure(
  message: string,
  options: { readonly code?: FailureCode; readonly reason: string; readonly cause?: unknown },
): FailureError {
  return new FailureError(message, { code: "store_failed", ...options });
}

/** True if another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}

/** True if an error means that nothing can be written: a read-only file or folder, or a full disk. */
export function cannotWrite(error: unknown): boolean {
  return [3, 8, 10, 13, 14].includes(resultCode(error) ?? 0);
}

/** True if the file is not a database, or its content is damaged. */
export function isDamaged(error: unknown): boolean {
  const primary = resultCode(error);
  return primary === 11 || primary === 26;
}

function fullFailure(file: string): FailureError {
  const message = `the disk of ${file} is full; committed data is intact. Free some space, at least 256 kB; then old records can be pruned`;
  return databaseFailure(message, { code: "store_full", reason: "disk_full" });
}

function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  // node:sqlite puts SQLite's extended result code here; its low byte is the primary one.
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & 0xff;
  return byErrno[errnoOf(error) ?? ""];
}

function errnoOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

// If there is no space, SQLite reports a full disk (13) for a page of the file, but an I/O error for its shared memory.
function diskIsFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}

const pauseMs = 20;

/**
 * SQLite reports "busy" at once, without any waiting, if another process is creating the same database: waits and
 * retries. Blocks the calling thread.
 */
export function retryWhileBusy<T>(work: () => T, patienceMs = 4000): T {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= patienceMs) throw error;
      Atomics.wait(pause, 0, 0, pauseMs);
    }
  }
}

/** Receives failures that no caller waits for: by default a process warning. A listener that throws has no effect. */
export function failureListener(
  owner: string,
  listener: ((failure: FailureError) => void) | undefined,
  consequence = "",
): (failure: FailureError) => void {
  return (failure) => {
    if (listener === undefined) {
      const { message, code } = failure;
      return process.emitWarning(`${consequence}${message}`, { type: "WindlassStoreWarning", code });
    }
    try {
      listener(failure);
    } catch (error) {
      process.emitWarning(`onError of ${owner} threw: ${String(error)}`);
    }
  };
}

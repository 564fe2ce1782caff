import type { Stats } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { checkSignal, fromSystemError } from "./file-reasons.ts";
import { type Folder, createFlags } from "./folder.ts";
import { quotePath } from "./parse-path.ts";
import type { EntryName } from "./read-bytes.ts";
import { forgetTemp, sweepTemps, tempName } from "./temp-files.ts";

/** New content of a file. */
export interface FileReplacement {
  readonly bytes: Uint8Array;
  /** The file that is replaced, whose mode and owner stay. */
  readonly old: Stats | undefined;
  /** Called immediately before the old file is replaced; throws if it must stay. */
  readonly confirm: () => Promise<void>;
  readonly now: number;
  readonly signal: AbortSignal | undefined;
}

const partBytes = 1_048_576;

/**
 * Replaces a file atomically: readers see the old content or the new, even if this process is killed or the power
 * fails. Temporary files of a killed process are removed by the next write to the folder.
 */
export async function writeAtomically(folder: Folder, entry: EntryName, content: FileReplacement): Promise<void> {
  const temp = tempName();
  let made = false;
  try {
    // A folder that may be written but not listed is swept by a process with permission.
    await sweepTemps(folder, content.now).catch(() => {});
    const handle = await open(folder.at(temp), createFlags, 0o666);
    made = true;
    try {
      await fill(handle, content);
    } finally {
      await handle.close();
    }
    await content.confirm();
    checkSignal(content.signal);
    await rename(folder.at(temp), folder.at(entry.name));
    made = false;
    await folder.sync();
  } catch (error) {
    throw fromSystemError(error, quotePath(entry.path));
  } finally {
    if (made) await unlink(folder.at(temp)).catch(() => {});
    forgetTemp(temp);
  }
}

async function fill(handle: FileHandle, { bytes, old, signal }: FileReplacement): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    checkSignal(signal);
    const { bytesWritten } = await handle.write(bytes, at, Math.min(partBytes, bytes.length - at), at);
    at += bytesWritten;
  }
  if (old !== undefined) await keepOwner(handle, old);
  await handle.sync();
}

/** The owner first, since changing it clears mode bits; setuid and setgid bits are not preserved. */
async function keepOwner(handle: FileHandle, old: Stats): Promise<void> {
  const made = await handle.stat();
  // Only the superuser may give files away; for others a file that they replace becomes theirs.
  if (made.uid !== old.uid || made.gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
  if ((made.mode & 0o777) !== (old.mode & 0o777)) await handle.chmod(old.mode & 0o777);
}

import type { Stats } from "node:fs";
import { link, mkdir, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isFailureError } from "../../base/index.ts";
import { timeFailure } from "./time-reasons.ts";
import type { TimerState, StoredTimer, TimerStore } from "./timer-store.ts";

/** Every revision is a separate file. */
const revisionName = /^timer-(\d{1,15})\.json$/;
const temporaryName = /^timer-[\da-f-]{36}\.tmp$/;
/** A timer takes a few hundred bytes. */
const maxBytes = 65_536;
/** Files of a dead writer are removed after this time. */
const staleMs = 60_000;
const maxReads = 20;
/** Number of latest revisions that are retained: see {@link writeNext}. */
const retainedRevisions = 4;

/**
 * Stores the timer in a folder, as a small file that is named after its revision. A new revision is written beside the
 * old one and gets its name by a link, which fails if another process was faster: there is no lock that a crash could
 * leave behind, and never a partial file.
 */
export function createFileTimerStore(folder: string): TimerStore {
  return {
    read: (signal) => guarded(folder, () => readLatest(folder, signal)),
    write: (timer, revision, signal) => guarded(folder, () => writeNext(folder, { timer, revision }, signal)),
  };
}

async function readLatest(folder: string, signal: AbortSignal | undefined): Promise<StoredTimer> {
  for (let tried = 0; tried < maxReads; tried++) {
    signal?.throwIfAborted();
    const revision = Math.max(0, ...(await revisionsIn(folder)));
    if (revision === 0) return { revision };
    const file = join(folder, fileOf(revision));
    try {
      return { timer: parse(await readFile(file), file), revision };
    } catch (error) {
      // A newer one was written, and this one removed, in between.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
  throw timeFailure("timer_contended", "other processes keep changing the timer; retry");
}

async function writeNext(folder: string, { timer, revision }: StoredTimer, signal?: AbortSignal): Promise<boolean> {
  signal?.throwIfAborted();
  await mkdir(folder, { recursive: true });
  const next = revision + 1;
  const temporary = join(folder, `timer-${crypto.randomUUID()}.tmp`);
  const target = join(folder, fileOf(next));
  try {
    await writeDurably(temporary, `${JSON.stringify(timer)}\n`);
    await giveName(temporary, target);
    // A writer that was suspended may find the name free because it was used and removed: then much newer ones exist.
    if (Math.max(...(await revisionsIn(folder))) >= next + retainedRevisions) {
      await rm(target, { force: true });
      return false;
    }
    await tidy(folder, next - retainedRevisions, temporary);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Unlike a rename, a link never replaces a file; but not every file system supports links. */
async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    const isMissing = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error) ?? "");
    if (!isMissing) throw error;
    await (await open(target, "wx", 0o600)).close();
    await rename(temporary, target);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes revisions up to `oldest`, and files of writers that died long before `mine` was written. */
async function tidy(folder: string, oldest: number, mine: string): Promise<void> {
  const now = (await seen(stat(mine)))?.mtimeMs ?? 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isOld = Number(revisionName.exec(name)?.[1] ?? Infinity) <= oldest;
    const isLeft = temporaryName.test(name) && ((await seen(stat(path)))?.mtimeMs ?? now) < now - staleMs;
    if (isOld || isLeft) await rm(path, { force: true });
  }
}

/** Returns undefined if another writer has removed the file. */
async function seen(found: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await found;
  } catch {
    return undefined;
  }
}

async function revisionsIn(folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder);
    return names.flatMap((name) => Number(revisionName.exec(name)?.[1] ?? []));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function fileOf(revision: number): string {
  return `timer-${revision}.json`;
}

function parse(bytes: Buffer, file: string): TimerState {
  try {
    const value: unknown = bytes.length > maxBytes ? undefined : JSON.parse(bytes.toString());
    if (isTimer(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw timeFailure("timer_unreadable", `${file} is not a timer file; remove it to start anew`);
}

function isTimer(value: unknown): value is TimerState {
  if (typeof value !== "object" || value === null) return false;
  const timer = value as Partial<Record<keyof TimerState, unknown>>;
  const isTime = (time: unknown): boolean => typeof time === "number" && Math.abs(time) <= 8.64e15;
  const isText = (text: unknown): boolean => text === undefined || typeof text === "string";
  return (
    [timer.minutes, timer.startedAt, timer.endsAt, timer.stoppedAt ?? 0].every(isTime) &&
    [timer.label, timer.key].every(isText)
  );
}

async function guarded<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFailureError(error) || codeOf(error) === undefined) throw error;
    throw timeFailure("timer_store", `the timer in ${folder} cannot be read or written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Returns the code of a file system error. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error && "code" in error ? String(error.code) : undefined;
}

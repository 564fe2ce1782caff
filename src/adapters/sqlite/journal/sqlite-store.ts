import { stat, link, lstat, open, rename, rm } from "node:fs/promises";
import { resolve, dirname } from "node:path";
import { type Clock, createIdGenerator, type FailureError } from "../../../base/index.ts";
import type {
  ApprovalStore,
  ChangeFeed,
  DeliveryStore,
  FinishedRun,
  FinishedRunQuery,
  RecordStore,
  RunStore,
  TriggerStore,
} from "../../../store/index.ts";
import type { AccessStores } from "../access/sqlite-access.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { Pruner } from "./pruner.ts";
import type { ReaderThread } from "../thread/lazy-thread.ts";
import type { SqliteRecords } from "./sqlite-records.ts";
import type { SqliteRuns } from "./sqlite-run-journal.ts";
import { closedFailure, workerCloseTimeoutMs } from "../thread/worker-link.ts";
import type { FileCheck } from "../thread/worker-ops.ts";
import type { WriterThread } from "./writer-thread.ts";
import { databaseFailure, storeFailure } from "../database/store-failure.ts";

/** Figures of the store itself. */
export interface SqliteStats {
  /** Size of the database and its log on the disk. */
  readonly bytes: number;
  readonly records: number;
  readonly approvals: number;
  readonly runs: number;
  readonly runsByStatus: Readonly<Record<string, number>>;
  /** Records that wait to be written. */
  readonly waiting: number;
  /** Records that were lost since the store was opened. */
  readonly lost: number;
}

/** Records, approvals and runs in one SQLite file. */
export interface SqliteStore extends AccessStores {
  readonly file: string;
  readonly records: RecordStore;
  readonly runs: RunStore;
  readonly approvals: ApprovalStore;
  /** Messages that leave the workspace. */
  readonly deliveries: DeliveryStore;
  /** The changes of runs and approvals. */
  readonly changes: ChangeFeed;
  /** Triggers and their firings. */
  readonly triggers: TriggerStore;
  /** Finished runs of chains with their metrics, for statistics; without reruns. */
  finishedRuns(query?: FinishedRunQuery): Promise<readonly FinishedRun[]>;
  /** Makes a consistent copy while the store is in use; rejects a name that exists. */
  backup(file: string): Promise<void>;
  stats(): Promise<SqliteStats>;
  /** Reads the whole file and reports its faults. */
  check(): Promise<FileCheck>;
  /**
   * Writes pending data, ends the threads and closes the file. Rejects, after closing, if something could not be
   * written.
   */
  close(): Promise<void>;
}

/** Dependencies of an open store. */
export interface OpenStoreDeps {
  readonly file: string;
  /** The name of this writer in the database. */
  readonly name: string;
  readonly clock: Clock;
  readonly thread: WriterThread;
  readonly writer: BatchWriter;
  readonly reader: ReaderThread;
  readonly startReader: () => ReaderThread;
  readonly pruner: Pruner;
  readonly records: SqliteRecords;
  readonly runs: SqliteRuns;
  readonly approvals: ApprovalStore;
  readonly access: AccessStores;
  readonly changes: ChangeFeed;
  readonly triggers: TriggerStore;
  readonly deliveries: DeliveryStore;
}

/** The store that `openSqlite` gives. */
export class OpenStore implements SqliteStore {
  readonly #parts: OpenStoreDeps;
  #closing: Promise<void> | undefined;

  constructor(parts: OpenStoreDeps) {
    this.#parts = parts;
  }

  get file(): string {
    return this.#parts.file;
  }

  get records(): RecordStore {
    return this.#parts.records;
  }

  get runs(): RunStore {
    return this.#parts.runs;
  }

  get approvals(): ApprovalStore {
    return this.#parts.approvals;
  }

  get changes(): ChangeFeed {
    return this.#parts.changes;
  }

  get tokens(): AccessStores["tokens"] {
    return this.#parts.access.tokens;
  }

  get idempotencyKeys(): AccessStores["idempotencyKeys"] {
    return this.#parts.access.idempotencyKeys;
  }

  get audit(): AccessStores["audit"] {
    return this.#parts.access.audit;
  }

  get triggers(): TriggerStore {
    return this.#parts.triggers;
  }

  get deliveries(): DeliveryStore {
    return this.#parts.deliveries;
  }

  finishedRuns(query?: FinishedRunQuery): Promise<readonly FinishedRun[]> {
    return this.#parts.runs.finished(query);
  }

  async backup(file: string): Promise<void> {
    if (this.#closing !== undefined) throw closedFailure();
    // Not a flush: when writing fails, a copy of the present data is needed most.
    await this.#parts.records.settle();
    const target = resolve(file);
    // A separate thread: copying takes time, and queries must not wait for it.
    const copier = this.#parts.startReader();
    try {
      await createFileAtomically(target, `${target}.${createIdGenerator().next()}.partial`, (temporary) =>
        copier.call("copy", { target: temporary }),
      );
    } finally {
      await copier.close();
    }
  }

  async stats(): Promise<SqliteStats> {
    const { file, records, reader, writer } = this.#parts;
    await records.settle();
    const counts = await reader.call("counts", null);
    return { ...counts, bytes: await storeBytes(file), waiting: writer.waiting, lost: writer.lost };
  }

  check(): Promise<FileCheck> {
    return this.#parts.reader.call("check", null);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { name, clock, thread, writer, reader, pruner, records, runs } = this.#parts;
    // A hanging disk must not block the caller of `close`.
    const timer = clock.after(workerCloseTimeoutMs, () => thread.abandon());
    try {
      await pruner.close();
      runs.close();
      await records.close();
    } finally {
      timer.cancel();
      writer.close();
      // The last connection checkpoints the log into the file, which a read-only one cannot.
      await reader.close();
      await thread.close(name);
    }
  }
}

/** Size of the database and its log on the disk. */
export async function storeBytes(file: string): Promise<number> {
  return (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    // The log exists only while there is something in it.
    return 0;
  }
}

/**
 * Creates a file through a temporary one beside it: the name appears once the content is complete and on the disk.
 * Rejects an existing name.
 */
async function createFileAtomically(
  target: string,
  temporary: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  if (await exists(target)) throw taken(target);
  try {
    // Created here for its mode: a copy is as private as the database.
    await (await open(temporary, "wx", 0o600)).close();
    await fill(temporary);
    await sync(temporary);
    await giveName(temporary, target);
    await sync(dirname(target));
  } catch (error) {
    throw storeFailure(error, target);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}-journal`, { force: true });
  }
}

/** Unlike a rename, a link never replaces a file created in the meantime; but not every file system has links. */
async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch {
    if (await exists(target)) throw taken(target);
    await rename(temporary, target);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some systems do not sync a folder; a file they must.
    if (!(await handle.stat()).isDirectory()) throw error;
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function taken(target: string): FailureError {
  return databaseFailure(`${target} already exists. Choose another name, or remove that file first`, {
    reason: "exists",
  });
}

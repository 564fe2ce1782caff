import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Clock, createIds } from "../../base/index.ts";
import type { ApprovalStore, RecordStore, RunJournal } from "../../store/index.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { createWhole } from "./create-whole.ts";
import type { Pruner } from "./pruner.ts";
import type { ReaderThread } from "./reader-thread.ts";
import type { SqliteRecords } from "./sqlite-records.ts";
import type { SqliteRuns } from "./sqlite-runs.ts";
import { closedFailure, patienceMs } from "./worker-link.ts";
import type { FileCheck } from "./worker-ops.ts";
import type { WriterThread } from "./writer-thread.ts";

/** Figures of the store itself. */
export interface SqliteStats {
  /** What the database and its log take on the disk. */
  readonly bytes: number;
  readonly records: number;
  readonly approvals: number;
  readonly runs: number;
  /** Records that wait to be written. */
  readonly waiting: number;
  /** Records that were lost since the store was opened. */
  readonly lost: number;
}

/** Records, approvals and runs in one SQLite file. */
export interface SqliteStore {
  readonly file: string;
  readonly records: RecordStore;
  readonly runs: RunJournal;
  readonly approvals: ApprovalStore;
  /** Makes a consistent copy while work goes on; refuses a name that is taken. */
  backup(file: string): Promise<void>;
  stats(): Promise<SqliteStats>;
  /** Reads the whole file and says what is wrong with it. */
  check(): Promise<FileCheck>;
  /** Writes what is left, ends the threads and lets go of the file. Rejects, all ended, when something was not written. */
  close(): Promise<void>;
}

/** What an open store is made of. */
export interface StoreParts {
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
}

/** The store that `openSqlite` gives. */
export class OpenStore implements SqliteStore {
  readonly #parts: StoreParts;
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  get file(): string {
    return this.#parts.file;
  }

  get records(): RecordStore {
    return this.#parts.records;
  }

  get runs(): RunJournal {
    return this.#parts.runs;
  }

  get approvals(): ApprovalStore {
    return this.#parts.approvals;
  }

  async backup(file: string): Promise<void> {
    if (this.#closing !== undefined) throw closedFailure();
    // Not a flush: when writing fails, a copy of what is there is wanted most.
    await this.#parts.records.settle();
    const target = resolve(file);
    // A thread of its own: copying takes its time, and questions must not wait for it.
    const copier = this.#parts.startReader();
    try {
      await createWhole(target, `${target}.${createIds().next()}.partial`, (temporary) =>
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
    const bytes = (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
    return { ...counts, bytes, waiting: writer.waiting, lost: writer.lost };
  }

  check(): Promise<FileCheck> {
    return this.#parts.reader.call("check", null);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { name, clock, thread, writer, reader, pruner, records, runs } = this.#parts;
    // A disk that hangs must not hang who closes.
    const timer = clock.after(patienceMs, () => thread.abandon());
    try {
      await pruner.close();
      runs.close();
      await records.close();
    } finally {
      timer.cancel();
      writer.close();
      // The last connection folds the log into the file, and one that only reads cannot.
      await reader.close();
      await thread.close(name);
    }
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    // The log exists only while there is something in it.
    return 0;
  }
}

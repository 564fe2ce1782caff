import { resolve } from "node:path";
import { type Clock, type FailureError, type Ids, createIds, systemClock } from "../../base/index.ts";
import { type RecordRedactor, type Retention, checkRetention, ownerSilenceMs } from "../../store/index.ts";
import type { Redactor } from "../../text/index.ts";
import { BatchWriter } from "./batch-writer.ts";
import { Pruner } from "./pruner.ts";
import { ReaderThread } from "./reader-thread.ts";
import { SqliteApprovals } from "./sqlite-approvals.ts";
import { SqliteRecords } from "./sqlite-records.ts";
import { SqliteRuns } from "./sqlite-runs.ts";
import { OpenStore, type SqliteStore } from "./sqlite-store.ts";
import { type WorkerRole, workerUrl } from "./worker-url.ts";
import { WriterThread } from "./writer-thread.ts";

/** Of what people decide on only known secrets are taken out. */
type SqliteRedactor = RecordRedactor & Pick<Redactor, "knownText" | "known">;

/** What {@link openSqlite} takes. */
export interface SqliteOptions {
  /** The database; it and its folder are made when missing, readable by this user only. */
  readonly file: string;
  /** Takes the secrets out of records and approvals before they are written. */
  readonly redactor: SqliteRedactor;
  /** Prunes when opened and every hour. */
  readonly retention?: Retention;
  readonly clock?: Clock;
  /** Makes the ids of approvals. */
  readonly ids?: Ids;
  /** Told of what no caller waits for: writing begins to fail, records were lost. A process warning where absent. */
  readonly onError?: (failure: FailureError) => void;
  /** How much may wait in memory for the disk; 100,000 records and 64 MiB where absent. */
  readonly buffer?: { readonly maxRecords?: number; readonly maxBytes?: number };
  /** How long the owner of a run may be silent before others may take the run; 15 s where absent. */
  readonly ownerSilenceMs?: number;
}

/**
 * Opens, or makes, a database for records, approvals and runs.
 *
 * One thread writes, in group commits that are on the disk when `flush()` resolves: the caller's own for its first few
 * milliseconds of work, then another. A third reads. Records that were
 * added and not flushed are written a moment later, also when the process ends by itself; `process.exit()` and a crash
 * lose them, so call `flush()` or `close()` before. While the disk is slow and the buffer is full, `add()` holds its
 * caller for a moment; while the disk is full or fails, up to the buffer's size is kept and written once it can be, and
 * what comes beyond is lost and reported. Several processes may use one file.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ file: ".windlass/journal.db", redactor: createRedactor([]) });
 * store.records.add(record);
 * await store.close();
 * ```
 */
export function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  return open(options, { urlOf: workerUrl, atOnce: false });
}

/** Opens with threads of one's own, for tests of what happens when they fail. */
export function openSqliteWith(options: SqliteOptions, urlOf: Threads["urlOf"]): Promise<SqliteStore> {
  return open(options, { urlOf, atOnce: true });
}

interface Threads {
  readonly urlOf: (role: WorkerRole) => URL;
  /** Start the one that writes at once. */
  readonly atOnce: boolean;
}

async function open(options: SqliteOptions, { urlOf, atOnce }: Threads): Promise<SqliteStore> {
  const { clock = systemClock, ids = createIds(), redactor, retention, buffer = {} } = options;
  if (retention !== undefined) checkRetention(retention);
  const file = resolve(options.file);
  const onError = quietly(options.onError ?? warn);
  // Not from the ids given: two writers of one name would take each other's batches for their own.
  const name = createIds().next();
  const thread = await WriterThread.open({ url: urlOf("writer"), file, clock, onDeath: onError, atOnce });
  const { maxRecords = 100_000, maxBytes = 64 * 1024 * 1024 } = buffer;
  const writer = new BatchWriter({ thread, name, clock, onError, maxWrites: maxRecords, maxBytes });
  const startReader = (): ReaderThread => new ReaderThread({ url: urlOf("reader"), file, clock });
  const reader = startReader();
  const pruner = new Pruner(thread, clock);
  const records = new SqliteRecords({ writer, reader, pruner, redactor, clock });
  const silenceMs = options.ownerSilenceMs ?? ownerSilenceMs;
  const runs = new SqliteRuns({ thread, writer, reader, records, redactor, clock, silenceMs });
  const approvals = new SqliteApprovals({ thread, redactor: knownOnly(redactor), ids, clock });
  if (retention !== undefined) pruner.keep(retention, onError);
  return new OpenStore({ file, name, clock, thread, writer, reader, startReader, pruner, records, runs, approvals });
}

/** Nobody can decide on what is hidden from them: what only looks like a secret stays. */
function knownOnly({ knownText, known }: SqliteRedactor): RecordRedactor {
  return { text: knownText, value: known };
}

/** A listener that throws must not harm the store. */
function quietly(listener: (failure: FailureError) => void): (failure: FailureError) => void {
  return (failure) => {
    try {
      listener(failure);
    } catch (error) {
      process.emitWarning(`onError of the SQLite store threw: ${String(error)}`);
    }
  };
}

function warn(failure: FailureError): void {
  process.emitWarning(failure.message, { type: "WindlassStoreWarning", code: failure.code });
}

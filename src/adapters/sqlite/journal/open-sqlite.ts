import { resolve } from "node:path";
import {
  type Clock,
  type FailureError,
  type IdGenerator,
  createIdGenerator,
  systemClock,
} from "../../../base/index.ts";
import {
  type RecordRedactor,
  type Retention,
  checkRetention,
  leaseTimeoutMs,
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
  unabridgedText,
} from "../../../store/index.ts";
import { failureListener } from "../database/store-failure.ts";
import type { Redactor } from "../../../secrets/index.ts";
import { sqliteDeliveries } from "./delivery-table.ts";
import { sqliteAccess } from "../access/sqlite-access.ts";
import { sqliteTriggers } from "../triggers/sqlite-triggers.ts";
import { BatchWriter } from "./batch-writer.ts";
import { Pruner } from "./pruner.ts";
import { SqliteChangeFeed } from "./sqlite-change-feed.ts";
import { SqliteRecords } from "./sqlite-records.ts";
import { SqliteRuns } from "./sqlite-run-journal.ts";
import { OpenStore, type SqliteStore } from "./sqlite-store.ts";
import { LazyThread, type ReaderThread, type WorkerRole, workerUrl } from "../thread/lazy-thread.ts";
import { WriterThread } from "./writer-thread.ts";

/** Approvals are redacted by known secrets only. */
type SqliteRedactor = RecordRedactor & Pick<Redactor, "knownText" | "known">;

/** Options of {@link openSqlite}. */
export interface SqliteOptions {
  /** The database file; it and its folder are created if missing, readable by this user only. */
  readonly file: string;
  /** Redacts secrets in records and approvals before they are written. */
  readonly redactor: SqliteRedactor;
  /** Prunes on opening and every hour. */
  readonly retention?: Retention;
  readonly clock?: Clock;
  /** Makes the ids of approvals. */
  readonly ids?: IdGenerator;
  /**
   * Called for failures without a waiting caller: writing begins to fail, records were lost. Default: a process
   * warning.
   */
  readonly onError?: (failure: FailureError) => void;
  /** Maximum of records that wait in memory for the disk. Default: 100,000 records and 64 MiB. */
  readonly buffer?: { readonly maxRecords?: number; readonly maxBytes?: number };
  /** Milliseconds without a sign of life after which an owner of runs is gone. Default: 15 s. */
  readonly leaseTimeoutMs?: number;
}

/**
 * Opens or creates a database for records, approvals and runs.
 *
 * One thread writes, in group commits that are on the disk when `flush()` resolves: the caller's own thread for its first
 * few milliseconds of work, then a worker. Another worker reads. Records that were added and not flushed are written a
 * moment later, also when the process ends by itself; `process.exit()` and a crash lose them, so call `flush()` or
 * `close()` before. While the disk is slow and the buffer is full, `add()` blocks its caller for a moment; while the disk
 * is full or fails, records up to the buffer's size are retained and written later, and further ones are lost and
 * reported. Several processes may use one file.
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

/** Opens with custom threads, for tests of their failures. */
export function openSqliteWith(options: SqliteOptions, urlOf: Threads["urlOf"]): Promise<SqliteStore> {
  return open(options, { urlOf, atOnce: true });
}

interface Threads {
  readonly urlOf: (role: WorkerRole) => URL;
  /** Start the writer thread at once. */
  readonly atOnce: boolean;
}

async function open(options: SqliteOptions, { urlOf, atOnce }: Threads): Promise<SqliteStore> {
  const { clock = systemClock, ids = createIdGenerator(), redactor, retention, buffer = {} } = options;
  if (retention !== undefined) checkRetention(retention);
  const file = resolve(options.file);
  const onError = failureListener("the SQLite store", options.onError);
  // Not from the given ids: two writers with one name would confuse their batches.
  const name = createIdGenerator().next();
  const thread = await WriterThread.open({ url: urlOf("writer"), file, clock, onDeath: onError, atOnce });
  const { maxRecords = 100_000, maxBytes = 64 * 1024 * 1024 } = buffer;
  const writer = new BatchWriter({ thread, name, clock, onError, maxWrites: maxRecords, maxBytes });
  const startReader = (): ReaderThread => new LazyThread({ url: urlOf("reader"), file, clock });
  const reader = startReader();
  const pruner = new Pruner(thread, clock);
  const records = new SqliteRecords({ writer, reader, pruner, redactor, clock });
  const silenceMs = options.leaseTimeoutMs ?? leaseTimeoutMs;
  const runs = new SqliteRuns({ thread, writer, reader, records, redactor, clock, silenceMs });
  const approvals = new SqliteApprovals({ thread, redactor: knownOnly(redactor), ids, clock });
  if (retention !== undefined) pruner.schedule(retention, onError);
  return new OpenStore({
    file,
    name,
    clock,
    thread,
    writer,
    reader,
    startReader,
    pruner,
    records,
    runs,
    approvals,
    access: sqliteAccess(thread),
    changes: new SqliteChangeFeed(reader, runs),
    triggers: sqliteTriggers(thread),
    deliveries: sqliteDeliveries(thread),
  });
}

/** Redacts known secrets only: an approver must see values that merely look like a secret. */
export function knownOnly({ knownText, known }: SqliteRedactor): RecordRedactor {
  return { text: knownText, value: known };
}

/** Dependencies of {@link SqliteApprovals}. */
interface SqliteApprovalsDeps {
  readonly thread: Pick<WriterThread, "call">;
  readonly redactor: RecordRedactor;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** Approvals in SQLite. Each answer is returned after its commit, and processes that share the file agree on it. */
export class SqliteApprovals implements ApprovalStore {
  readonly #parts: SqliteApprovalsDeps;

  constructor(parts: SqliteApprovalsDeps) {
    this.#parts = parts;
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    const { thread, redactor, ids, clock } = this.#parts;
    const { args, message, ...rest } = request;
    const stored = { ...rest, args: unabridgedText(args, redactor), message: redactor.text(message) };
    return thread.call("requestApproval", { id: ids.next(), now: clock.now(), request: stored });
  }

  async consume(key: string, now: number): Promise<boolean> {
    return this.#parts.thread.call("consumeApproval", { key, now });
  }

  async restore(key: string): Promise<void> {
    await this.#parts.thread.call("restoreApproval", { key });
  }

  async decide(id: string, decision: Decision, now: number): Promise<Approval | undefined> {
    return this.#parts.thread.call("decideApproval", { id, decision, now });
  }

  async get(id: string, now: number): Promise<Approval | undefined> {
    return this.#parts.thread.call("getApproval", { id, now });
  }

  async list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]> {
    return this.#parts.thread.call("listApprovals", { now, status });
  }
}

import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type FailureError, createIdGenerator, isFailureError, systemClock } from "../../../base/index.ts";
import { leaseTimeoutMs } from "../../../store/index.ts";
import { databaseFailure } from "../database/store-failure.ts";
import { closedFailure } from "../thread/worker-link.ts";
import type { ReaderOps, WriterOps } from "../thread/worker-ops.ts";
import { createDeliveryOps, sqliteDeliveries } from "./delivery-table.ts";
import { createAccessReadOps } from "../access/access-ops.ts";
import { sqliteAccess } from "../access/sqlite-access.ts";
import { sqliteTriggers } from "../triggers/sqlite-triggers.ts";
import { createTriggerReadOps } from "../triggers/trigger-table.ts";
import { ApprovalTable } from "./approval-table.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { isOutdated } from "./migrate.ts";
import { openToRead } from "./open-database.ts";
import { SqliteApprovals, type SqliteOptions, knownOnly } from "./open-sqlite.ts";
import { createReaderOps } from "./reader-ops.ts";
import { SqliteChangeFeed } from "./sqlite-change-feed.ts";
import { SqliteRecords } from "./sqlite-records.ts";
import { SqliteRuns } from "./sqlite-run-journal.ts";
import { type SqliteStats, type SqliteStore, storeBytes } from "./sqlite-store.ts";
import type { WriterThread } from "./writer-thread.ts";

/**
 * Opens an existing database for reading, on the calling thread: starting threads costs more than most queries. Works in
 * a read-only folder and on a full disk; everything that writes fails. Undefined if the tables are those of an earlier
 * version, which {@link openSqlite} has to migrate first.
 */
export function openSqliteReadOnly(
  options: Pick<SqliteOptions, "file" | "redactor" | "clock">,
): SqliteStore | undefined {
  const { redactor, clock = systemClock } = options;
  const file = resolve(options.file);
  const db = openToRead(file);
  if (isOutdated(db)) {
    db.close();
    return undefined;
  }
  const reader = new MainThreadReader(db, file);
  const refusal = databaseFailure(`the database ${file} was opened for reading only`, { reason: "read_only" });
  const writer = refusingWriter(refusal);
  const thread = approvalReader(db, refusal);
  const pruner = { prune: () => Promise.reject(refusal) };
  const records = new SqliteRecords({ writer, reader, pruner, redactor, clock });
  const runs = new SqliteRuns({ thread, writer, reader, records, redactor, clock, silenceMs: leaseTimeoutMs });
  const approvals = new SqliteApprovals({ thread, redactor: knownOnly(redactor), ids: createIdGenerator(), clock });
  return {
    file,
    records,
    runs,
    approvals,
    ...sqliteAccess(thread),
    changes: new SqliteChangeFeed(reader, runs),
    triggers: sqliteTriggers(thread),
    deliveries: sqliteDeliveries(thread),
    finishedRuns: (query) => runs.finished(query),
    backup: () => Promise.reject(refusal),
    stats: () => statsOf(reader, file),
    check: () => reader.call("check", null),
    close: () => reader.close(),
  };
}

/** Executes the operations of the reader thread on this thread. */
class MainThreadReader {
  readonly #work: ReturnType<typeof createReaderOps>;
  readonly #db: DatabaseSync;
  #isClosed = false;

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#work = createReaderOps(() => db);
    this.#work.ops.open({ file });
  }

  async call<K extends keyof ReaderOps>(op: K, body: Parameters<ReaderOps[K]>[0]): Promise<ReturnType<ReaderOps[K]>> {
    if (this.#isClosed) throw closedFailure();
    try {
      // Each operation takes its own body type.
      return (this.#work.ops[op] as (body: unknown) => ReturnType<ReaderOps[K]>)(body);
    } catch (error) {
      throw isFailureError(error) ? error : this.#work.explain(error);
    }
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#db.close();
    this.#isClosed = true;
  }
}

function refusingWriter(
  refusal: FailureError,
): Pick<BatchWriter, "push" | "send" | "hurry" | "settle" | "flush" | "lose"> {
  const nothing = (): void => {};
  const settled = (): Promise<void> => Promise.resolve();
  return {
    push: (_write, _bytes, done) => done?.({ failure: refusal }),
    send: nothing,
    hurry: nothing,
    lose: nothing,
    settle: settled,
    flush: settled,
  };
}

/** Approvals, tokens, deliveries, triggers and the audit log are read by operations of the writer; all others are refused. */
function approvalReader(db: DatabaseSync, refusal: FailureError): Pick<WriterThread, "call"> {
  const table = new ApprovalTable(db);
  const { listDeliveries } = createDeliveryOps(() => db);
  const ops: Partial<WriterOps> = {
    ...createAccessReadOps(db),
    ...createTriggerReadOps(() => db),
    listDeliveries,
    getApproval: ({ id, now }) => table.get(id, now),
    listApprovals: ({ now, status }) => table.list(now, status),
  };
  return {
    call: async <K extends keyof WriterOps>(op: K, body: Parameters<WriterOps[K]>[0]) => {
      const run = ops[op] as ((body: unknown) => ReturnType<WriterOps[K]>) | undefined;
      if (run === undefined) throw refusal;
      return run(body);
    },
  };
}

async function statsOf(reader: MainThreadReader, file: string): Promise<SqliteStats> {
  const counts = await reader.call("counts", null);
  return { ...counts, bytes: await storeBytes(file), waiting: 0, lost: 0 };
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createAccessOps, removeAccessBefore } from "../access/access-ops.ts";
import { createTriggerOps, removeFiringsBefore } from "../triggers/trigger-table.ts";
import { ApprovalTable } from "./approval-table.ts";
import { createDeliveryOps, removeDeliveriesBefore } from "./delivery-table.ts";
import { openDatabase } from "./open-database.ts";
import { LeaseHolderTable } from "./lease-holder-table.ts";
import { lastRecord, removeOldest, shrink } from "./prune-records.ts";
import { lastRun } from "./prune-runs.ts";
import { RunFence } from "./run-fence.ts";
import { RunTable } from "./run-table.ts";
import { RunWrites, type WriteRefusal } from "./run-writes.ts";
import type { Served } from "../thread/serve-ops.ts";
import { storeFailure } from "../database/store-failure.ts";
import type { WriterOps, WriteAnswer, Batch, Write } from "../thread/worker-ops.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { recordColumns } from "./record-columns.ts";

/** Time to retain the rows of stores that did not close, in case they return with their last batch. */
const writerMemoryMs = 24 * 3600 * 1000;

interface Opened {
  readonly db: DatabaseSync;
  readonly batches: BatchCommitter;
  readonly approvals: ApprovalTable;
  readonly runs: RunTable;
  readonly owners: LeaseHolderTable;
}

/** The operations on the database. */
export interface WriterOperations extends Served<WriterOps> {
  /** Closes the file for another connection of this store; returns the lease holders that it has to `open` with. */
  handOver(): readonly string[];
}

/** Executes the operations on the calling thread. */
export function createWriterOps(open: (file: string) => DatabaseSync = openDatabase): WriterOperations {
  let file = "";
  let opened: Opened | undefined;
  // Retries an earlier failed opening: the obstacle may have been removed.
  const database = (): Opened => {
    return (opened ??= tablesOf(open(file)));
  };
  const ops: WriterOps = {
    open(at) {
      file = at.file;
      const { db, owners } = database();
      db.prepare("DELETE FROM writers WHERE at < ?").run(at.now - writerMemoryMs);
      owners.removeBefore(at.now - writerMemoryMs);
      owners.adopt(at.owners);
    },
    commit: (batch) => database().batches.commit(batch),
    claimRun: (query) => database().runs.claim(query),
    getRun: ({ runId, events }) => database().runs.get(runId, events),
    addTurn: (turn) => database().runs.addTurn(turn),
    deliverEvent: (event) => database().runs.deliver(event),
    inbox: ({ runId, after }) => database().runs.inbox(runId, after),
    removeConversation: ({ conversationId }) => database().runs.removeConversation(conversationId),
    removePruned: () => database().runs.removePruned(),
    cancelRun: ({ runId, by }) => database().runs.cancel(runId, by),
    heartbeat: ({ owner, now }) => database().runs.heartbeat(owner, now),
    requestApproval: (query) => database().approvals.request(query),
    consumeApproval: ({ key, now }) => database().approvals.consume(key, now),
    restoreApproval: ({ key }) => database().approvals.restore(key),
    decideApproval: ({ id, decision, now }) => database().approvals.decide(id, decision, now),
    getApproval: ({ id, now }) => database().approvals.get(id, now),
    listApprovals: ({ now, status }) => database().approvals.list(now, status),
    ...createAccessOps(() => database().db),
    ...createDeliveryOps(() => database().db),
    ...createTriggerOps(() => database().db),
    lastNumbers: () => ({ upTo: lastRecord(database().db), upToRun: lastRun(database().db) }),
    removeOldest(limits) {
      const { approvals, db } = database();
      approvals.removeBefore(limits.before);
      removeOthersBefore(db, limits.before);
      return removeOldest(db, limits);
    },
    shrink: (size) => shrink(database().db, size),
    close({ writer }) {
      try {
        opened?.db.prepare("DELETE FROM writers WHERE id = ?").run(writer);
        opened?.owners.removeOwn();
      } finally {
        opened?.db.close();
      }
    },
  };
  const handOver = (): readonly string[] => {
    const own = opened?.owners.listOwn() ?? [];
    opened?.db.close();
    opened = undefined;
    return own;
  };
  return { ops, explain: (error) => storeFailure(error, file), handOver };
}

/** Removes what is neither a record nor a run. */
function removeOthersBefore(db: DatabaseSync, time: number): void {
  removeAccessBefore(db, time);
  removeFiringsBefore(db, time);
  removeDeliveriesBefore(db, time);
}

function tablesOf(db: DatabaseSync): Opened {
  const fence = new RunFence(db);
  const owners = new LeaseHolderTable(db);
  return {
    db,
    batches: new BatchCommitter(db, new RunWrites(db, fence, owners)),
    approvals: new ApprovalTable(db),
    runs: new RunTable(db, fence, owners),
    owners,
  };
}

/** Commits batches atomically, and a repeated batch only once. */
export class BatchCommitter {
  readonly #db: DatabaseSync;
  readonly #runs: RunWrites;
  readonly #mark: StatementSync;
  readonly #storeAnswers: StatementSync;
  readonly #readAnswers: StatementSync;
  readonly #insertRecord: StatementSync;

  constructor(db: DatabaseSync, runs: RunWrites) {
    this.#db = db;
    this.#runs = runs;
    this.#mark = db.prepare(
      `INSERT INTO writers (id, batch, at) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, at = excluded.at, answers = NULL WHERE excluded.batch > batch`,
    );
    this.#storeAnswers = db.prepare("UPDATE writers SET answers = ? WHERE id = ?");
    this.#readAnswers = db.prepare("SELECT answers FROM writers WHERE id = ?");
    const placeholders = recordColumns.map(() => "?").join(", ");
    this.#insertRecord = db.prepare(`INSERT INTO records (${recordColumns.join(", ")}) VALUES (${placeholders})`);
  }

  /** Returns the rejected writes; all others are committed. */
  commit(batch: Batch): readonly WriteAnswer[] {
    try {
      return inTransaction(this.#db, () => this.#write(batch));
    } catch (error) {
      this.#runs.undo();
      throw error;
    }
  }

  #write({ writer, number, now, writes }: Batch): readonly WriteAnswer[] {
    // The thread may have died after a commit and before it could report it.
    const isNew = this.#mark.run(writer, number, now).changes === 1;
    if (!isNew) return this.#answersOf(writer);
    this.#runs.begin();
    const answers: WriteAnswer[] = [];
    for (const [index, write] of writes.entries()) {
      const refusal = this.#one(write, now);
      if (refusal !== undefined) answers.push([index, ...refusal]);
    }
    if (answers.length > 0) this.#storeAnswers.run(JSON.stringify(answers), writer);
    return answers;
  }

  #one(write: Write, now: number): WriteRefusal | undefined {
    switch (write[0]) {
      case "record": {
        const [, ...values] = write;
        this.#insertRecord.run(...values);
        return undefined;
      }
      case "run":
        return this.#runs.run(write, now);
      case "event":
        return this.#runs.event(write);
      case "end":
        return this.#runs.end(write);
    }
  }

  #answersOf(writer: string): readonly WriteAnswer[] {
    const stored = this.#readAnswers.get(writer)?.["answers"];
    // Written above.
    return typeof stored === "string" ? (JSON.parse(stored) as WriteAnswer[]) : [];
  }
}

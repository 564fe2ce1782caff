import type { DatabaseSync } from "node:sqlite";
import { ApprovalTable } from "./approval-table.ts";
import { BatchCommitter } from "./commit-batch.ts";
import { openDatabase } from "./open-database.ts";
import { OwnerTable } from "./owner-table.ts";
import { lastRecord, removeOldest, shrink } from "./prune-records.ts";
import { lastRun } from "./prune-runs.ts";
import { RunFence } from "./run-fence.ts";
import { RunTable } from "./run-table.ts";
import { RunWrites } from "./run-writes.ts";
import type { Served } from "./serve-ops.ts";
import { storeFailure } from "./store-failure.ts";
import type { WriterOps } from "./worker-ops.ts";

/** The rows of stores that ended without saying so are kept this long, in case they come back with their last batch. */
const writerMemoryMs = 24 * 3600 * 1000;

interface Opened {
  readonly db: DatabaseSync;
  readonly batches: BatchCommitter;
  readonly approvals: ApprovalTable;
  readonly runs: RunTable;
  readonly owners: OwnerTable;
}

/** The work on the database. */
export interface WriterWork extends Served<WriterOps> {
  /** Lets go of the file for another connection of this store; gives the owners that it has to `open` with. */
  leave(): readonly string[];
}

/** Does the work on the database on the thread that calls it. */
export function createWriterOps(open: (file: string) => DatabaseSync = openDatabase): WriterWork {
  let file = "";
  let opened: Opened | undefined;
  // Opens again what could not be opened before: what was in the way may be gone.
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
    claimRun: (asked) => database().runs.claim(asked),
    getRun: ({ runId, events }) => database().runs.get(runId, events),
    addTurn: (turn) => database().runs.addTurn(turn),
    cancelRun: ({ runId, by }) => database().runs.cancel(runId, by),
    attend: ({ owner, now }) => database().runs.attend(owner, now),
    requestApproval: (asked) => database().approvals.request(asked),
    consumeApproval: ({ key, now }) => database().approvals.consume(key, now),
    restoreApproval: ({ key }) => database().approvals.restore(key),
    decideApproval: ({ id, decision, now }) => database().approvals.decide(id, decision, now),
    getApproval: ({ id, now }) => database().approvals.get(id, now),
    listApprovals: ({ now, status }) => database().approvals.list(now, status),
    lastNumbers: () => ({ upTo: lastRecord(database().db), upToRun: lastRun(database().db) }),
    removeOldest(limits) {
      database().approvals.removeBefore(limits.before);
      return removeOldest(database().db, limits);
    },
    shrink: () => shrink(database().db),
    close({ writer }) {
      try {
        opened?.db.prepare("DELETE FROM writers WHERE id = ?").run(writer);
        opened?.owners.removeOwn();
      } finally {
        opened?.db.close();
      }
    },
  };
  const leave = (): readonly string[] => {
    const own = opened?.owners.own() ?? [];
    opened?.db.close();
    opened = undefined;
    return own;
  };
  return { ops, explain: (error) => storeFailure(error, file), leave };
}

function tablesOf(db: DatabaseSync): Opened {
  const fence = new RunFence(db);
  const owners = new OwnerTable(db);
  return {
    db,
    batches: new BatchCommitter(db, new RunWrites(db, fence, owners)),
    approvals: new ApprovalTable(db),
    runs: new RunTable(db, fence, owners),
    owners,
  };
}

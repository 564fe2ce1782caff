import type { DatabaseSync } from "node:sqlite";
import { readChanges, readFeedHead, readFeedStart } from "./change-queries.ts";
import { isOwnerGone } from "./lease-holder-table.ts";
import { pragma } from "./migrate.ts";
import { readPage, readSummary, readTallies } from "./record-queries.ts";
import {
  listConversations,
  listExecutable,
  listFinishedRuns,
  listRuns,
  listTurns,
  readRun,
  readUpdates,
} from "./run-queries.ts";
import type { Served } from "../thread/serve-ops.ts";
import { serveFile } from "../database/set-up.ts";
import type { FileCheck, ReaderOps, RowCounts } from "../thread/worker-ops.ts";

/** The operations that read the database, executed on the calling thread. Opens the file on first use. */
export function createReaderOps(open: (file: string) => DatabaseSync): Served<ReaderOps> {
  return serveFile<ReaderOps>(open, (database) => ({
    page: (query) => readPage(database(), query),
    summary: ({ conversationId }) => readSummary(database(), conversationId),
    statistics: (which) => readTallies(database(), which),
    run: ({ runId }) => atOnce(database(), (db) => readRun(db, runId, true)),
    runs: (query) => listRuns(database(), query),
    executable: (query) => listExecutable(database(), query),
    updates: (query) => atOnce(database(), (db) => readUpdates(db, query)),
    feedHead: () => atOnce(database(), readFeedHead),
    feedStart: ({ runIds }) => atOnce(database(), (db) => readFeedStart(db, runIds)),
    feedChanges: (query) => atOnce(database(), (db) => readChanges(db, query)),
    dataVersion: () => pragma(database(), "data_version"),
    finishedRuns: (query) => listFinishedRuns(database(), query),
    conversations: (query) => listConversations(database(), query),
    turns: (query) => listTurns(database(), query),
    isOwnerGone: (query) => isOwnerGone(database(), query),
    counts: () => readCounts(database()),
    check: () => checkFile(database()),
    copy({ target }) {
      database().prepare("VACUUM INTO ?").run(target);
    },
  }));
}

function readCounts(db: DatabaseSync): RowCounts {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM records) AS records, (SELECT count(*) FROM approvals) AS approvals,
         (SELECT count(*) FROM runs WHERE status <> 'pruned') AS runs`,
    )
    .get();
  const statuses = db
    .prepare(`SELECT status, count(*) AS count FROM runs WHERE status <> 'pruned' GROUP BY status`)
    .all();
  return {
    records: Number(row?.["records"]),
    approvals: Number(row?.["approvals"]),
    runs: Number(row?.["runs"]),
    runsByStatus: Object.fromEntries(statuses.map(({ status, count }) => [String(status), Number(count)])),
  };
}

/** Reads a consistent snapshot, regardless of concurrent commits. */
function atOnce<T>(db: DatabaseSync, read: (db: DatabaseSync) => T): T {
  db.exec("BEGIN");
  try {
    return read(db);
  } finally {
    db.exec("COMMIT");
  }
}

function checkFile(db: DatabaseSync): FileCheck {
  const rows = db.prepare("PRAGMA quick_check(10)").all();
  const faults = rows.map((row) => String(row["quick_check"])).filter((text) => text !== "ok");
  return { version: pragma(db, "user_version"), faults };
}

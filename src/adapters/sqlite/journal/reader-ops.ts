// The entry of the reader thread.
import type { DatabaseSync } from "node:sqlite";
import { pragma } from "./migrate.ts";
import { openForReading } from "./open-database.ts";
import { readPage, readSummary, readTallies } from "./record-queries.ts";
import { listRuns, listTurns, readRun } from "./run-queries.ts";
import { serveOps } from "./serve-ops.ts";
import { storeFailure } from "./store-failure.ts";
import type { FileCheck, ReaderOps, RowCounts } from "./worker-ops.ts";

let file = "";
let opened: DatabaseSync | undefined;

function database(): DatabaseSync {
  return (opened ??= openForReading(file));
}

function readCounts(db: DatabaseSync): RowCounts {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM records) AS records, (SELECT count(*) FROM approvals) AS approvals,
         (SELECT count(*) FROM runs WHERE status <> 'pruned') AS runs`,
    )
    .get();
  return { records: Number(row?.["records"]), approvals: Number(row?.["approvals"]), runs: Number(row?.["runs"]) };
}

/** Reads as of one moment, whatever is committed meanwhile. */
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

const ops: ReaderOps = {
  open(at) {
    file = at.file;
  },
  page: (asked) => readPage(database(), asked),
  summary: ({ conversationId }) => readSummary(database(), conversationId),
  statistics: (which) => readTallies(database(), which),
  run: ({ runId }) => atOnce(database(), (db) => readRun(db, runId, true)),
  runs: (asked) => listRuns(database(), asked),
  turns: (asked) => listTurns(database(), asked),
  counts: () => readCounts(database()),
  check: () => checkFile(database()),
  copy({ target }) {
    database().prepare("VACUUM INTO ?").run(target);
  },
  close() {
    opened?.close();
  },
};

serveOps({ ops, explain: (error) => storeFailure(error, file) });

import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./in-transaction.ts";
import { pragma } from "./migrate.ts";
import { firstEnd, giveUpRuns, removeGivenUp } from "./prune-runs.ts";
import type { PruneLimits, PruneStep } from "./worker-ops.ts";

/** So few at a time that a commit waiting behind them hardly notices. */
const rowsPerStep = 500;
const pagesPerStep = 500;

/** The number of the newest record. */
export function lastRecord(db: DatabaseSync): number {
  return Number(db.prepare("SELECT max(number) AS last FROM records").get()?.["last"] ?? 0);
}

/** Removes some of the oldest records and runs: those before a time, and while the content is larger than allowed. */
export function removeOldest(db: DatabaseSync, limits: PruneLimits): PruneStep {
  return inTransaction(db, () => {
    const rest = removeGivenUp(db);
    if (rest.rows > 0) return { records: rest.records, runs: 0, done: false };
    const records = removeLate(db, limits);
    const runs = giveUpRuns(db, { before: limits.before, upTo: limits.upToRun });
    if (records + runs > 0) return { records, runs, done: false };
    return removeExcess(db, contentBytes(db) - limits.maxBytes, limits);
  });
}

function removeLate(db: DatabaseSync, { before, upTo }: PruneLimits): number {
  const late = db
    .prepare(
      `DELETE FROM records WHERE number IN
         (SELECT number FROM records WHERE created_at < ? AND number <= ? ORDER BY created_at LIMIT ${rowsPerStep})`,
    )
    .run(before, upTo);
  return Number(late.changes);
}

/** Removes the oldest, whether records or a run: a run is as old as its end. */
function removeExcess(db: DatabaseSync, excess: number, limits: PruneLimits): PruneStep {
  if (excess <= 0) return { records: 0, runs: 0, done: true };
  const end = firstEnd(db, limits.upToRun) ?? Infinity;
  const records = removeRecords(db, { excess, before: end, upTo: limits.upTo });
  if (records > 0) return { records, runs: 0, done: false };
  const runs = giveUpRuns(db, { before: Infinity, upTo: limits.upToRun, most: 1 });
  return { records: 0, runs, done: runs === 0 };
}

/**
 * Removes the oldest records that make up half of these bytes, or as many as fit into one step. A record can take
 * twice its size, pages being what they are: by halves, the steps come close and do not remove too many.
 */
function removeRecords(
  db: DatabaseSync,
  { excess, before, upTo }: { readonly excess: number; readonly before: number; readonly upTo: number },
): number {
  const oldest = db
    .prepare(
      `SELECT number, 200 + ifnull(octet_length(args), 0) + ifnull(octet_length(output), 0)
         + ifnull(octet_length(error), 0) + ifnull(octet_length(reported), 0) AS bytes
       FROM records WHERE created_at < ? AND number <= ? ORDER BY created_at, number LIMIT ${rowsPerStep}`,
    )
    .all(before, upTo);
  const remove = db.prepare("DELETE FROM records WHERE number = ?");
  let removed = 0;
  let freed = 0;
  for (const { number, bytes } of oldest) {
    if (freed >= excess / 2) break;
    remove.run(number ?? null);
    removed++;
    freed += Number(bytes);
  }
  return removed;
}

/** Gives free pages back to the disk; says how many bytes, 0 when none are left. */
export function shrink(db: DatabaseSync): number {
  const before = pragma(db, "freelist_count");
  if (before === 0) return 0;
  db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
  const left = pragma(db, "freelist_count");
  if (left === 0 || left >= before) moveLog(db);
  return Math.max(0, before - left) * pragma(db, "page_size");
}

/** In WAL mode the file gets shorter when the log is moved into it. A reader in the way is not waited for: it is done later. */
function moveLog(db: DatabaseSync): void {
  const patience = pragma(db, "busy_timeout");
  db.exec("PRAGMA busy_timeout = 50");
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}

/** What the database holds, free pages not counted. */
function contentBytes(db: DatabaseSync): number {
  return (pragma(db, "page_count") - pragma(db, "freelist_count")) * pragma(db, "page_size");
}

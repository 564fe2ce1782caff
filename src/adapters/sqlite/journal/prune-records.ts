import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "../database/in-transaction.ts";
import { pragma } from "./migrate.ts";
import { firstEnd, markRunsPruned, removePrunedRuns, removeUnreadableChanges } from "./prune-runs.ts";
import type { PruneLimits, PruneStep, PruneStepSize } from "../thread/worker-ops.ts";

/** The number of the newest record. */
export function lastRecord(db: DatabaseSync): number {
  return Number(db.prepare("SELECT max(number) AS last FROM records").get()?.["last"] ?? 0);
}

/** Removes some of the oldest records and runs: those before a time, and while the content is larger than allowed. */
export function removeOldest(db: DatabaseSync, limits: PruneLimits & PruneStepSize): PruneStep {
  if (limits.isTight) moveLog(db);
  return inTransaction(db, () => {
    const rest = removePrunedRuns(db, limits.rows);
    removeUnreadableChanges(db, limits.rows);
    if (rest.rows > 0) return { records: rest.records, runs: 0, done: false };
    const records = removeLate(db, limits);
    const runs = markRunsPruned(db, { before: limits.before, upTo: limits.upToRun, max: Math.ceil(limits.rows / 10) });
    if (records + runs > 0) return { records, runs, done: false };
    return removeExcess(db, contentBytes(db) - limits.maxBytes, limits);
  });
}

function removeLate(db: DatabaseSync, { before, upTo, rows }: PruneLimits & PruneStepSize): number {
  const late = db
    .prepare(
      `DELETE FROM records WHERE number IN
         (SELECT number FROM records WHERE created_at < ? AND number <= ? ORDER BY created_at LIMIT ?)`,
    )
    .run(before, upTo, rows);
  return Number(late.changes);
}

/** Removes the oldest records or runs: the age of a run counts from its end. */
function removeExcess(db: DatabaseSync, excess: number, limits: PruneLimits & PruneStepSize): PruneStep {
  if (excess <= 0) return { records: 0, runs: 0, done: true };
  const end = firstEnd(db, limits.upToRun) ?? Infinity;
  const records = removeRecords(db, { ...limits, excess, before: end });
  if (records > 0) return { records, runs: 0, done: false };
  const runs = markRunsPruned(db, { before: Infinity, upTo: limits.upToRun, max: 1 });
  return { records: 0, runs, done: runs === 0 };
}

/**
 * Removes the oldest records that make up half of these bytes, or as many as fit into one step. A record can take twice
 * its size because of page overhead: halving approaches the goal without removing too many.
 */
function removeRecords(
  db: DatabaseSync,
  { excess, before, upTo, rows }: PruneLimits & PruneStepSize & { readonly excess: number },
): number {
  const oldest = db
    .prepare(
      `SELECT number, 200 + ifnull(octet_length(args), 0) + ifnull(octet_length(output), 0)
         + ifnull(octet_length(error), 0) + ifnull(octet_length(reported), 0) AS bytes
       FROM records WHERE created_at < ? AND number <= ? ORDER BY created_at, number LIMIT ?`,
    )
    .all(before, upTo, rows);
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

/** Returns free pages to the file system; returns the number of bytes, 0 if there are no more. */
export function shrink(db: DatabaseSync, { rows, isTight }: PruneStepSize): number {
  if (isTight) moveLog(db);
  const before = pragma(db, "freelist_count");
  if (before === 0) return 0;
  db.exec(`PRAGMA incremental_vacuum(${rows})`);
  const left = pragma(db, "freelist_count");
  if (left === 0 || left >= before) moveLog(db);
  return Math.max(0, before - left) * pragma(db, "page_size");
}

/** In WAL mode the file shrinks at a checkpoint. A reader that blocks it is not awaited: it happens later. */
function moveLog(db: DatabaseSync): void {
  const patience = pragma(db, "busy_timeout");
  db.exec("PRAGMA busy_timeout = 50");
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}

/** Size of the database's content, without free pages. */
function contentBytes(db: DatabaseSync): number {
  return (pragma(db, "page_count") - pragma(db, "freelist_count")) * pragma(db, "page_size");
}

import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { conversationHasRun } from "./run-queries.ts";

/** Few enough rows per step that a waiting commit is hardly delayed. */
export const rowsPerStep = 500;

/** The number of the newest run. */
export function lastRun(db: DatabaseSync): number {
  return Number(db.prepare("SELECT max(number) AS last FROM runs").get()?.["last"] ?? 0);
}

/** The end of the run that ended first; undefined if none has ended. */
export function firstEnd(db: DatabaseSync, upTo: number): number | undefined {
  const row = db
    .prepare("SELECT finished_at FROM runs WHERE finished_at IS NOT NULL AND number <= ? ORDER BY finished_at LIMIT 1")
    .get(upTo);
  return row && Number(row["finished_at"]);
}

/** Hides a run: it disappears for all readers at once, and its id becomes free. */
export const asPruned = "status = 'pruned', finished_at = NULL, id = 'pruned/' || number || '/' || hex(randomblob(8))";

/**
 * Marks some of the runs that ended before this time as pruned, oldest first; returns their number. They disappear for
 * all readers at once, and their ids become free; {@link removePrunedRuns} removes their data. Unfinished runs are
 * never touched.
 */
export function markRunsPruned(
  db: DatabaseSync,
  { before, upTo, max }: { readonly before: number; readonly upTo: number; readonly max: number },
): number {
  const updated = db
    .prepare(
      `UPDATE runs SET ${asPruned}
       WHERE number IN (SELECT number FROM runs WHERE finished_at < ? AND number <= ?
                        ORDER BY finished_at LIMIT ?)`,
    )
    .run(before, upTo, max);
  return Number(updated.changes);
}

/**
 * Removes some data of pruned runs: events, the records of their steps, blobs without other references; and for the
 * last run of a conversation also its turns.
 */
export function removePrunedRuns(
  db: DatabaseSync,
  max: number = rowsPerStep,
): { readonly rows: number; readonly records: number } {
  const run = db
    .prepare("SELECT number, definition, output_blob, conversation FROM runs WHERE status = 'pruned' LIMIT 1")
    .get();
  if (run === undefined) return { rows: 0, records: 0 };
  const number = run["number"] ?? null;
  const events = db.prepare(`SELECT number, record, blob FROM run_events WHERE run = ? LIMIT ?`).all(number, max);
  const records = removeEvents(db, events);
  const blobs = events.map((event) => event["blob"]);
  const turns = Math.ceil(max / 5);
  if (events.length < max && removeTurns(db, run["conversation"] ?? null, turns) < turns) {
    db.prepare("DELETE FROM external_events WHERE run = ?").run(number);
    db.prepare("DELETE FROM runs WHERE number = ?").run(number);
    blobs.push(run["definition"], run["output_blob"]);
  }
  for (const blob of blobs) releaseBlob(db, blob ?? null);
  return { rows: events.length + 1, records };
}

/** Removes some of the changes that the feed cannot read any more, but never the newest one. */
export function removeUnreadableChanges(db: DatabaseSync, max: number): void {
  db.prepare(
    `DELETE FROM changes WHERE number IN (
       SELECT number FROM changes
       WHERE number < (SELECT number FROM changes WHERE event >= (SELECT event FROM feed) ORDER BY number LIMIT 1)
       ORDER BY number LIMIT ?)`,
  ).run(max);
}

/** Removes events, and the records of their steps; returns the number of records. */
function removeEvents(db: DatabaseSync, events: readonly Record<string, SQLOutputValue>[]): number {
  const removeEvent = db.prepare("DELETE FROM run_events WHERE number = ?");
  const removeRecord = db.prepare("DELETE FROM records WHERE number = ?");
  let records = 0;
  for (const event of events) {
    removeEvent.run(event["number"] ?? null);
    if (event["record"] !== null) records += Number(removeRecord.run(event["record"] ?? null).changes);
  }
  return records;
}

/** Removes some turns of a conversation that has no runs any more; returns their number. */
function removeTurns(db: DatabaseSync, conversation: SQLOutputValue, max: number): number {
  if (conversation === null) return 0;
  const removed = db
    .prepare(
      `DELETE FROM turns WHERE NOT ${conversationHasRun}
         AND number IN (SELECT number FROM turns WHERE conversation = :of LIMIT :max)`,
    )
    .run({ of: conversation, max });
  return Number(removed.changes);
}

function releaseBlob(db: DatabaseSync, blob: SQLOutputValue): void {
  if (blob === null) return;
  db.prepare(
    `DELETE FROM blobs WHERE number = :blob
       AND NOT EXISTS (SELECT 1 FROM run_events WHERE blob = :blob)
       AND NOT EXISTS (SELECT 1 FROM runs WHERE definition = :blob)
       AND NOT EXISTS (SELECT 1 FROM runs WHERE output_blob = :blob)`,
  ).run({ blob });
}

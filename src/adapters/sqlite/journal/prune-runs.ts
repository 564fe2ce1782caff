import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { hasRun } from "./run-queries.ts";

/** So few at a time that a commit waiting behind them hardly notices. */
const runsPerStep = 50;
const eventsPerStep = 500;
const turnsPerStep = 100;

/** The number of the newest run. */
export function lastRun(db: DatabaseSync): number {
  return Number(db.prepare("SELECT max(number) AS last FROM runs").get()?.["last"] ?? 0);
}

/** The end of the run that has been over for longest; undefined when none is over. */
export function firstEnd(db: DatabaseSync, upTo: number): number | undefined {
  const row = db
    .prepare("SELECT finished_at FROM runs WHERE finished_at IS NOT NULL AND number <= ? ORDER BY finished_at LIMIT 1")
    .get(upTo);
  return row && Number(row["finished_at"]);
}

/**
 * Gives up some of the runs that were over before this time, longest first; says how many. They are gone for everybody
 * at once, and their ids free; {@link removeGivenUp} removes what they leave. What is not over is never touched.
 */
export function giveUpRuns(
  db: DatabaseSync,
  { before, upTo, most = runsPerStep }: { readonly before: number; readonly upTo: number; readonly most?: number },
): number {
  const given = db
    .prepare(
      `UPDATE runs SET status = 'pruned', finished_at = NULL, id = 'pruned/' || number || '/' || hex(randomblob(8))
       WHERE number IN (SELECT number FROM runs WHERE finished_at < ? AND number <= ?
                        ORDER BY finished_at LIMIT ?)`,
    )
    .run(before, upTo, most);
  return Number(given.changes);
}

/**
 * Removes some of what a run leaves that was given up: events, the records of its steps, texts nobody else refers to; and
 * of the last run of a conversation also the turns.
 */
export function removeGivenUp(db: DatabaseSync): { readonly rows: number; readonly records: number } {
  const run = db
    .prepare("SELECT number, definition, output_blob, conversation FROM runs WHERE status = 'pruned' LIMIT 1")
    .get();
  if (run === undefined) return { rows: 0, records: 0 };
  const number = run["number"] ?? null;
  const events = db
    .prepare(`SELECT number, record, blob FROM run_events WHERE run = ? LIMIT ${eventsPerStep}`)
    .all(number);
  const removeEvent = db.prepare("DELETE FROM run_events WHERE number = ?");
  const removeRecord = db.prepare("DELETE FROM records WHERE number = ?");
  let records = 0;
  for (const event of events) {
    removeEvent.run(event["number"] ?? null);
    if (event["record"] !== null) records += Number(removeRecord.run(event["record"] ?? null).changes);
  }
  const blobs = events.map((event) => event["blob"]);
  if (events.length < eventsPerStep && removeTurns(db, run["conversation"] ?? null) < turnsPerStep) {
    db.prepare("DELETE FROM runs WHERE number = ?").run(number);
    blobs.push(run["definition"], run["output_blob"]);
  }
  for (const blob of blobs) releaseBlob(db, blob ?? null);
  return { rows: events.length + 1, records };
}

/** Removes some turns of a conversation of which no run is left; says how many. */
function removeTurns(db: DatabaseSync, conversation: SQLOutputValue): number {
  if (conversation === null) return 0;
  const removed = db
    .prepare(
      `DELETE FROM turns WHERE NOT ${hasRun}
         AND number IN (SELECT number FROM turns WHERE conversation = :of LIMIT ${turnsPerStep})`,
    )
    .run({ of: conversation });
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

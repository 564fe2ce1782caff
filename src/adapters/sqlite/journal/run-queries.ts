import type { DatabaseSync } from "node:sqlite";
import { isGone } from "./owner-table.ts";
import { eventColumns, runColumns, runTables, toRun, turnColumns, wholeRunColumns } from "./run-columns.ts";
import type { RunRows, RunsAsked, SqlRow, SqlValue, TurnsAsked } from "./worker-ops.ts";

/** A run and, if wanted, its events in order. Consistent when called within a transaction. */
export function readRun(db: DatabaseSync, runId: string, withEvents: boolean): RunRows | undefined {
  const find = db.prepare(
    `SELECT ${wholeRunColumns.join(", ")}, runs.number FROM ${runTables} WHERE runs.id = ? AND status <> 'pruned'`,
  );
  find.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  const run = find.get(runId) as unknown as SqlRow | undefined;
  if (run === undefined || !withEvents) return run && { run, events: [] };
  const list = db.prepare(`SELECT ${eventColumns.join(", ")} FROM run_events WHERE run = ? ORDER BY seq`);
  list.setReturnArrays(true);
  // As above.
  return { run, events: list.all(run[runColumns.length] ?? null) as unknown as SqlRow[] };
}

/** The newest runs that fit. */
export function listRuns(db: DatabaseSync, asked: RunsAsked): SqlRow[] {
  const terms = ["runs.status <> 'pruned'"];
  const values: SqlValue[] = [];
  const add = (column: string, wanted: string | undefined): void => {
    if (wanted === undefined) return;
    terms.push(`${column} = ?`);
    values.push(wanted);
  };
  add("runs.chain", asked.chain);
  add("runs.status", asked.status);
  add("runs.conversation", asked.conversation);
  if (asked.abandoned === true) add("runs.status", "running");
  const list = db.prepare(
    `SELECT ${runColumns.join(", ")}, owners.renewed_at FROM ${runTables}
     WHERE ${terms.join(" AND ")} ORDER BY runs.started_at DESC, runs.number DESC`,
  );
  list.setReturnArrays(true);
  const found: SqlRow[] = [];
  for (const row of list.iterate(...values)) {
    if (found.length === asked.limit) break;
    // setReturnArrays() was called, and the columns hold no blobs.
    const run = row as unknown as SqlRow;
    if (asked.abandoned !== true || isAbandoned(run, asked)) found.push(run);
  }
  return found;
}

/**
 * For statements about the conversation `:of`: a run of it is there. Its turns go with the last one, at once for everybody,
 * though they are removed in steps.
 */
export const hasRun = "EXISTS (SELECT 1 FROM runs WHERE conversation = :of AND status <> 'pruned')";

/** Turns of a conversation, in order. */
export function listTurns(db: DatabaseSync, { conversationId, from, to }: TurnsAsked): SqlRow[] {
  const list = db.prepare(
    `SELECT ${turnColumns.join(", ")} FROM turns
     WHERE conversation = :of AND number BETWEEN :from AND :to AND ${hasRun} ORDER BY number`,
  );
  list.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  return list.all({ of: conversationId, from, to }) as unknown as SqlRow[];
}

function isAbandoned(row: SqlRow, { now, silenceMs }: RunsAsked): boolean {
  const { owner } = toRun(row);
  const renewedAt = row[runColumns.length];
  if (owner === undefined || typeof renewedAt !== "number") return true;
  return isGone({ ...owner, renewedAt }, now, silenceMs);
}

import type { DatabaseSync } from "node:sqlite";
import type { FinishedRunQuery } from "../../../store/index.ts";
import { isOwnerGone } from "./lease-holder-table.ts";
import { eventColumns, finishedRunColumns, runColumns, toRun, turnColumns, wholeRunColumns } from "./run-columns.ts";
import type { RunRows, RunsQueryRow, SqlRow, SqlValue, TurnsQueryRow } from "../thread/worker-ops.ts";

/** A run and, if requested, its events in order. Consistent when called within a transaction. */
export function readRun(db: DatabaseSync, runId: string, withEvents: boolean): RunRows | undefined {
  const find = db.prepare(
    `SELECT ${wholeRunColumns.join(", ")}, runs.number FROM runs WHERE runs.id = ? AND status <> 'pruned'`,
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

/** The newest matching runs. */
export function listRuns(db: DatabaseSync, query: RunsQueryRow): SqlRow[] {
  const terms = ["runs.status <> 'pruned'"];
  const values: SqlValue[] = [];
  const add = (column: string, requested: string | undefined): void => {
    if (requested === undefined) return;
    terms.push(`${column} = ?`);
    values.push(requested);
  };
  add("runs.kind", query.kind);
  add("runs.name", query.name);
  add("runs.status", query.status);
  add("runs.conversation", query.conversation);
  if (query.abandoned === true) add("runs.status", "running");
  if (query.executable === true) {
    terms.push(
      "(runs.status = 'running' OR (runs.status = 'waiting' AND (ready = 1 OR json_extract(waits_for, '$.until') <= ?)))",
    );
    values.push(query.now);
  }
  const isFreeOnly = query.abandoned === true || query.executable === true;
  const list = db.prepare(
    `SELECT ${runColumns.join(", ")} FROM runs
     WHERE ${terms.join(" AND ")} ORDER BY runs.started_at DESC, runs.number DESC`,
  );
  list.setReturnArrays(true);
  const found: SqlRow[] = [];
  for (const row of list.iterate(...values)) {
    if (found.length === query.limit) break;
    // setReturnArrays() was called, and the columns hold no blobs.
    const run = row as unknown as SqlRow;
    if (!isFreeOnly || isFree(db, run, query)) found.push(run);
  }
  return found;
}

/** The finished runs of chains that started in this period; no reruns, which reuse results of another run. */
export function listFinishedRuns(db: DatabaseSync, { since, until }: Required<FinishedRunQuery>): SqlRow[] {
  const list = db.prepare(
    `SELECT ${finishedRunColumns.join(", ")} FROM runs
     WHERE status IN ('success', 'failed', 'cancelled') AND started_at >= ? AND started_at < ?
       AND kind = 'chain' AND rerun_of IS NULL`,
  );
  list.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  return list.all(since, until) as unknown as SqlRow[];
}

/**
 * For statements about the conversation `:of`: true if it has a run. Its turns disappear with the last run, for all
 * readers at once, though they are removed in steps.
 */
export const conversationHasRun = "EXISTS (SELECT 1 FROM runs WHERE conversation = :of AND status <> 'pruned')";

/** Turns of a conversation, in order. */
export function listTurns(db: DatabaseSync, { conversationId, from, to, last }: TurnsQueryRow): SqlRow[] {
  const list = db.prepare(
    `SELECT ${turnColumns.join(", ")} FROM turns
     WHERE conversation = :of AND number BETWEEN :from AND :to AND ${conversationHasRun}
     ORDER BY number DESC LIMIT :last`,
  );
  list.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  return (list.all({ of: conversationId, from, to, last }) as unknown as SqlRow[]).toReversed();
}

/** True if no living process holds the run. */
function isFree(db: DatabaseSync, row: SqlRow, { now, silenceMs }: RunsQueryRow): boolean {
  const { leaseHolder: owner } = toRun(row);
  return owner === undefined || isOwnerGone(db, { owner, now, silenceMs });
}

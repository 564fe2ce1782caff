import type { DatabaseSync } from "node:sqlite";
import { type FinishedRunQuery, type StoredConversation, eventsPerUpdate, textInJson } from "../../../store/index.ts";
import { isOwnerGone } from "./lease-holder-table.ts";
import { eventColumns, finishedRunColumns, runColumns, turnColumns, wholeRunColumns } from "./run-columns.ts";
import type {
  ConversationsQueryRow,
  ExecutableQueryRow,
  ExecutableRow,
  RunRows,
  RunsQueryRow,
  SqlRow,
  SqlValue,
  TurnsQueryRow,
  UpdateRow,
  UpdatesQueryRow,
} from "../thread/worker-ops.ts";

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
  const addTerm = (term: string, ...requested: SqlValue[]): void => {
    terms.push(term);
    values.push(...requested);
  };
  const add = (column: string, requested: string | undefined): void => {
    if (requested !== undefined) addTerm(`${column} = ?`, requested);
  };
  add("runs.id", query.id);
  add("runs.kind", query.kind);
  add("runs.name", query.name);
  add("runs.status", query.status);
  add("runs.conversation", query.conversation);
  add("runs.called_by", query.calledBy);
  if (query.abandoned === true) {
    add("runs.status", "running");
    addTerm("(lease_holder IS NULL OR lease_holder IN (SELECT value FROM json_each(?)))", goneOwners(db, query));
  }
  if (query.since !== undefined) addTerm("runs.started_at >= ?", query.since);
  if (query.text !== undefined) {
    const like = "LIKE ? ESCAPE '\\'";
    const patterns = [query.text, query.text, textInJson(query.text)].map(containing);
    addTerm(`(runs.id ${like} OR runs.name ${like} OR runs.error ${like})`, ...patterns);
  }
  if (query.after !== undefined) {
    const { id, startedAt } = query.after;
    addTerm("runs.started_at <= ?", startedAt);
    // A run that was removed in the meantime has no number: those that started with it are listed again.
    addTerm(
      "(runs.started_at < ? OR runs.number < ifnull((SELECT number FROM runs AS last WHERE last.id = ?), 9e18))",
      startedAt,
      id,
    );
  }
  const list = db.prepare(
    `SELECT ${runColumns.join(", ")} FROM runs
     WHERE ${terms.join(" AND ")} ORDER BY runs.started_at DESC, runs.number DESC LIMIT ?`,
  );
  list.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  return list.all(...values, query.limit) as unknown as SqlRow[];
}

/** A pattern for texts that contain this one. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** The executable runs, by indexes without finished runs. No run is in two of these lists. */
const executable = [
  "runs INDEXED BY runs_free WHERE lease_holder IS NULL AND (status = 'running' OR ready = 1)",
  "runs INDEXED BY runs_until WHERE waits_for IS NOT NULL AND ready = 0 AND json_extract(waits_for, '$.until') <= :now",
  "runs INDEXED BY runs_lease_holder WHERE lease_holder IN (SELECT value FROM json_each(:gone))",
];

/** A page of executable runs. */
export function listExecutable(db: DatabaseSync, query: ExecutableQueryRow): ExecutableRow[] {
  const { kinds, after, limit, now } = query;
  const pages = executable.map(
    (runs) =>
      `SELECT * FROM (SELECT number, id, kind, deaths + (lease_holder IS NOT NULL) AS deaths FROM ${runs}
         AND number > :after AND called_by IS NULL AND kind IN (SELECT value FROM json_each(:kinds))
       ORDER BY number LIMIT :limit)`,
  );
  const list = db.prepare(`${pages.join(" UNION ALL ")} ORDER BY number LIMIT :limit`);
  const rows = list.all({ kinds: JSON.stringify(kinds), after, limit, now, gone: goneOwners(db, query) });
  // Only this store writes the columns.
  return rows as unknown as ExecutableRow[];
}

/** The states and new events of these runs; null for a run that does not exist. Call it in a transaction. */
export function readUpdates(db: DatabaseSync, { cursors, now }: UpdatesQueryRow): (UpdateRow | null)[] {
  const find = db.prepare(
    `SELECT number, kind, status, epoch,
       status = 'waiting' AND ready = 0 AND ifnull(json_extract(waits_for, '$.until') > ?, 1) AS suspended
     FROM runs WHERE id = ? AND status <> 'pruned'`,
  );
  const list = db.prepare(
    `SELECT ${eventColumns.join(", ")} FROM run_events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ${eventsPerUpdate}`,
  );
  list.setReturnArrays(true);
  return cursors.map(({ runId, after }) => {
    const state = find.get(now, runId);
    if (state === undefined) return null;
    // setReturnArrays() was called, and the columns hold no blobs.
    const events = after === undefined ? [] : (list.all(state["number"] ?? null, after) as unknown as SqlRow[]);
    // Only this store writes the columns.
    return { state: state as unknown as UpdateRow["state"], events };
  });
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

/** Conversations, the one with the newest run first. */
export function listConversations(
  db: DatabaseSync,
  { id, before, limit }: ConversationsQueryRow,
): StoredConversation[] {
  const list = db.prepare(
    `SELECT listed.id, runs, newest AS position, first.id AS firstRun, last.id AS lastRun
     FROM (SELECT conversation AS id, count(*) AS runs, min(number) AS oldest, max(number) AS newest FROM runs
           WHERE ${id === undefined ? "conversation IS NOT NULL" : "conversation = :id"} AND status <> 'pruned'
           GROUP BY conversation HAVING newest < :before ORDER BY newest DESC LIMIT :limit) AS listed
       JOIN runs AS first ON first.number = oldest JOIN runs AS last ON last.number = newest
     ORDER BY newest DESC`,
  );
  // Only this store writes the columns.
  return list.all({ before, limit, ...(id !== undefined && { id }) }) as unknown as StoredConversation[];
}

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

/** JSON: the owners of runs that have lost them. */
function goneOwners(db: DatabaseSync, { now, silenceMs }: Pick<RunsQueryRow, "now" | "silenceMs">): string {
  // Skips from one owner to the next in the index: an owner may have many runs.
  const next = "SELECT min(lease_holder) FROM runs WHERE lease_holder";
  const owners = db
    .prepare(
      `WITH RECURSIVE owners (id) AS (${next} > '' UNION ALL SELECT (${next} > owners.id) FROM owners WHERE id IS NOT NULL)
       SELECT id FROM owners WHERE id IS NOT NULL`,
    )
    .all()
    .map(({ id }) => String(id));
  return JSON.stringify(owners.filter((owner) => isOwnerGone(db, { owner, now, silenceMs })));
}

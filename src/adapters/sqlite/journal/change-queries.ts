import type { DatabaseSync } from "node:sqlite";
import { type FeedFilter, type FeedPosition, changesPerPage, maxFeedData } from "../../../store/index.ts";
import { approvalOf } from "./approval-table.ts";
import { lastEventNumber } from "./change-feed-tables.ts";
import type { ChangeRow, ChangesQueryRow, ChangesRows, FeedHeadRow, SqlRow } from "../thread/worker-ops.ts";

/** The end of the feed, its id, and the last event that was removed. */
export function readFeedHead(db: DatabaseSync): FeedHeadRow {
  const head = db
    .prepare(
      `SELECT id, event AS floor, ${lastEventNumber} AS event, (SELECT ifnull(max(number), 0) FROM changes) AS change
       FROM feed`,
    )
    .get();
  // Only the migration and a trigger write the table.
  return head as unknown as FeedHeadRow;
}

/**
 * The position before the first change of these runs. Runs of earlier versions have no changes before their next one:
 * then it is the position before their first event.
 */
export function readFeedStart(db: DatabaseSync, runIds: readonly string[]): FeedPosition {
  const runs = JSON.stringify([...runNumbers(db, runIds).keys()]);
  const first = db
    .prepare("SELECT number, event FROM changes WHERE run IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1")
    .get(runs);
  const event = db
    .prepare(
      `SELECT min((SELECT number FROM run_events WHERE run = value ORDER BY seq LIMIT 1)) AS first FROM json_each(?)`,
    )
    .get(runs)?.["first"];
  if (first === undefined && typeof event !== "number") return readFeedHead(db);
  const change = first === undefined ? readFeedHead(db).change : Number(first["number"]) - 1;
  const before = Math.min(Number(first?.["event"] ?? Infinity), typeof event === "number" ? event - 1 : Infinity);
  return { event: before, change };
}

/** Beyond this number of changes, those of single runs are found by their indexes. */
const nearby = 5_000;

/** A page of changes; undefined if they are not all there. Call it in a transaction. */
export function readChanges(db: DatabaseSync, { after: cursor, filter }: ChangesQueryRow): ChangesRows | undefined {
  const head = readFeedHead(db);
  const after = { event: cursor.event, change: cursor.change ?? lastChangeBefore(db, cursor.event) };
  if (!isReadable(head, after, filter)) return undefined;
  const isFar = head.event - after.event > nearby || head.change - after.change > nearby;
  const numbers = runNumbers(db, filter.runIds);
  const query = { runs: JSON.stringify([...numbers.keys()]), after, filter, isFar };
  const events = numbers.size === 0 ? [] : readEvents(db, query);
  const others = isWide(filter) || numbers.size > 0 ? readOthers(db, query) : [];
  return toPage({ head, after, numbers, events, others });
}

/** The last change before an event. */
function lastChangeBefore(db: DatabaseSync, event: number): number {
  const last = db.prepare("SELECT number FROM changes WHERE event < ? ORDER BY number DESC LIMIT 1").get(event);
  return Number(last?.["number"] ?? 0);
}

interface RowsQuery extends Pick<ChangesQueryRow, "filter"> {
  readonly after: FeedPosition;
  /** JSON: the numbers of the runs. */
  readonly runs: string;
  readonly isFar: boolean;
}

function isReadable({ event, change, floor }: FeedHeadRow, after: FeedPosition, filter: FeedFilter): boolean {
  if (after.event > event || after.change > change) return false;
  return !isWide(filter) || after.event >= floor;
}

/** True if it is not about single runs only. */
function isWide({ runs, approvals }: FeedFilter): boolean {
  return runs || approvals;
}

/** Joins both lists, as far as both are complete. */
function toPage({
  head,
  after,
  numbers,
  events,
  others,
}: Pick<RowsQuery, "after"> & {
  readonly head: FeedHeadRow;
  readonly numbers: RunNumbers;
  readonly events: readonly SqlRow[];
  readonly others: readonly Row[];
}): ChangesRows {
  const moreEvents = events.length === changesPerPage;
  const moreOthers = others.length === changesPerPage;
  const until = Math.min(
    moreEvents ? Number(events.at(-1)?.[0]) : head.event,
    moreOthers ? Number(others.at(-1)?.["event"]) : Infinity,
  );
  const complete = others.filter((row) => Number(row["event"]) <= until);
  const rows = merged(
    events.filter(([number]) => Number(number) <= until),
    complete,
    { numbers, change: after.change },
  );
  const isLast = !moreEvents && !moreOthers;
  // Not that of the last row: rows of removed runs are left out.
  const position = isLast ? head : { event: until, change: Number(complete.at(-1)?.["number"] ?? after.change) };
  return { rows, isLast, position: { event: Math.max(after.event, position.event), change: position.change } };
}

type RunNumbers = ReadonlyMap<number, { readonly id: string; readonly kind: string }>;

/** Runs by their numbers. */
function runNumbers(db: DatabaseSync, runIds: readonly string[]): RunNumbers {
  if (runIds.length === 0) return new Map();
  const rows = db
    .prepare("SELECT number, id, kind FROM runs WHERE id IN (SELECT value FROM json_each(?)) AND status <> 'pruned'")
    .all(JSON.stringify(runIds));
  return new Map(rows.map(({ number, id, kind }) => [Number(number), { id: String(id), kind: String(kind) }]));
}

function readEvents(db: DatabaseSync, { runs, after, isFar }: RowsQuery): SqlRow[] {
  // A plus sign keeps SQLite from using that index.
  const [byNumber, byRun] = isFar ? ["+number", "run"] : ["number", "+run"];
  const list = db.prepare(
    `SELECT number, run, length(data) > :max OR blob IS NOT NULL, seq, kind, key, at,
       CASE WHEN blob IS NOT NULL AND output_at IS NULL
           THEN json_remove((SELECT data FROM blobs WHERE blobs.number = run_events.blob), '$.result.output')
         WHEN length(data) > :max THEN json_remove(data, '$.result.output') ELSE data END
     FROM run_events WHERE ${byNumber} > :after AND ${byRun} IN (SELECT value FROM json_each(:runs))
     ORDER BY ${byNumber} LIMIT ${changesPerPage}`,
  );
  list.setReturnArrays(true);
  // setReturnArrays() was called, and the columns hold no blobs.
  return list.all({ max: maxFeedData, after: after.event, runs }) as unknown as SqlRow[];
}

type Row = Record<string, unknown>;

function readOthers(db: DatabaseSync, { runs, filter, after, isFar }: RowsQuery): Row[] {
  const byRun = isFar && !isWide(filter);
  const ofRuns = `changes.run IN (SELECT value FROM json_each(:runs))`;
  const condition = byRun
    ? `+changes.number > :change AND ${ofRuns}`
    : `changes.number > :change AND (+${ofRuns}
         OR (changes.approval IS NULL AND :allRuns) OR (changes.approval IS NOT NULL AND :allApprovals))`;
  const list = db.prepare(
    `SELECT changes.number AS number, changes.event AS event, changes.status AS changed_to, changes.ready AS is_ready,
       changes.approval AS approval_number, runs.id AS run, runs.kind AS run_kind, runs.name AS run_name,
       runs.started_at AS started_at, runs.finished_at AS finished_at, runs.error AS error, runs.rerun_of AS rerun_of,
       runs.called_by AS called_by, runs.conversation AS conversation
     FROM changes LEFT JOIN runs ON runs.number = changes.run AND runs.status <> 'pruned'
     WHERE ${condition} ORDER BY ${byRun ? "+" : ""}changes.number LIMIT ${changesPerPage}`,
  );
  const rows = byRun
    ? list.all({ runs, change: after.change })
    : list.all({
        runs,
        change: after.change,
        allRuns: Number(filter.runs),
        allApprovals: Number(filter.approvals),
      });
  const find = db.prepare("SELECT *, iif(length(args) > ?, NULL, args) AS args FROM approvals WHERE number = ?");
  return rows.map((row) => {
    const number = row["approval_number"] ?? null;
    return number === null ? row : { ...row, approval: find.get(maxFeedData, number) };
  });
}

/** Both lists in the order of their commits; `change` is the last change before them. */
function merged(
  events: readonly SqlRow[],
  others: readonly Row[],
  { numbers, change }: { readonly numbers: RunNumbers; readonly change: number },
): ChangeRow[] {
  const rows: ChangeRow[] = [];
  let next = 0;
  let last = change;
  const addOthers = (before: number): void => {
    for (; next < others.length && Number(others[next]?.["event"]) < before; next++) {
      const row = others[next] as Row;
      last = Number(row["number"]);
      const shown = changeOf(row, { event: Number(row["event"]), change: last });
      if (shown !== undefined) rows.push(shown);
    }
  };
  for (const [number, run, isCut, ...event] of events) {
    addOthers(Number(number));
    const { id = "", kind = "" } = numbers.get(Number(run)) ?? {};
    const position = { event: Number(number), change: last };
    rows.push({ kind: "event", position, runId: id, runKind: kind, isCut: isCut === 1, event });
  }
  addOthers(Infinity);
  return rows;
}

/** Undefined if the run or the approval was removed. */
function changeOf(row: Row, position: FeedPosition): ChangeRow | undefined {
  const status = String(row["changed_to"]);
  if (row["approval_number"] !== null) {
    const approval = row["approval"] as Parameters<typeof approvalOf>[0] | undefined;
    return approval && { kind: "approval", position, status, approval: approvalOf(approval) };
  }
  const text = (name: string): string | undefined => (typeof row[name] === "string" ? row[name] : undefined);
  const id = text("run");
  if (id === undefined) return undefined;
  const finishedAt = row["finished_at"];
  return {
    kind: "run",
    position,
    status,
    isSuspended: status === "waiting" && row["is_ready"] === 0,
    run: {
      id,
      kind: text("run_kind") ?? "",
      name: text("run_name") ?? "",
      startedAt: Number(row["started_at"]),
      finishedAt: typeof finishedAt === "number" ? finishedAt : undefined,
      error: text("error"),
      rerunOf: text("rerun_of"),
      calledBy: text("called_by"),
      conversationId: text("conversation"),
    },
  };
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  CallCounter,
  type Tallies,
  type ToolTally,
  toStoredLabel,
  maxPageSize,
  waitingCode,
} from "../../../store/index.ts";
import { readOutput } from "./extracted-output.ts";
import { recordColumns } from "./record-columns.ts";
import type { PageQueryRow, PageRows, ReaderOps, SqlRow, SqlValue } from "../thread/worker-ops.ts";

const createdAtColumn = recordColumns.indexOf("created_at");
const outputColumn = recordColumns.indexOf("output");
const textColumns = ["args", "output", "error", "reported"].map((name) => recordColumns.indexOf(name));

/** One page, newest first. Every filter is a range of an index in that order. */
export function readPage(db: DatabaseSync, query: PageQueryRow): PageRows {
  const where = new Conditions(query);
  if (query.after !== undefined) where.add("(created_at, number) < (?, ?)", query.after.createdAt, query.after.number);
  const statement = db.prepare(
    `SELECT ${recordColumns.join(", ")}, number, event FROM records ${where.sql} ORDER BY created_at DESC, number DESC LIMIT ?`,
  );
  statement.setReturnArrays(true);
  const outputs = db.prepare("SELECT data, output_at FROM run_events WHERE number = ?");
  const rows: SqlRow[] = [];
  let size = 0;
  for (const row of statement.iterate(...where.values, query.limit + 1)) {
    if (rows.length === query.limit || size > maxPageSize) return { rows, next: positionOf(rows.at(-1)) };
    // setReturnArrays() was called, and the columns hold no blobs.
    const values = withOutput(row as unknown as SqlValue[], outputs);
    rows.push(values);
    for (const column of textColumns) size += String(values[column] ?? "").length;
  }
  return { rows, next: undefined };
}

/** The output of a step's call is in the event that settled it. */
function withOutput(row: SqlValue[], outputs: StatementSync): SqlRow {
  const event = row.pop() ?? null;
  if (event === null || row[outputColumn] !== null) return row;
  const found = outputs.get(event);
  if (typeof found?.["data"] === "string" && typeof found["output_at"] === "string") {
    row[outputColumn] = readOutput({ data: found["data"], outputPath: found["output_at"], large: null });
  }
  return row;
}

/** Calls per tool of one conversation. */
export function readSummary(db: DatabaseSync, conversationId: string): ToolTally[] {
  const where = new Conditions({ conversationId });
  where.add("code IS NOT ?", waitingCode);
  const rows = db
    .prepare(`SELECT tool, count(*) AS calls, sum(success = 0) AS failures FROM records ${where.sql} GROUP BY tool`)
    .all(...where.values);
  return rows.map((row) => ({
    tool: String(row["tool"]),
    calls: Number(row["calls"]),
    failures: Number(row["failures"]),
  }));
}

/** Tallies per tool and per failure code. Counting here takes a quarter of the time of SQLite's window functions. */
export function readTallies(db: DatabaseSync, which: Parameters<ReaderOps["statistics"]>[0]): Tallies {
  const where = new Conditions(which);
  const statement = db.prepare(`SELECT tool, duration_ms, code FROM records ${where.sql}`);
  statement.setReturnArrays(true);
  const counter = new CallCounter();
  for (const row of statement.iterate(...where.values)) {
    // setReturnArrays() was called, and these are the types of the columns.
    const [tool, durationMs, code] = row as unknown as [string, number, string | null];
    counter.count(tool, durationMs, code);
  }
  return counter.tallies();
}

function positionOf(row: SqlRow | undefined): PageRows["next"] {
  return row && { createdAt: Number(row[createdAtColumn]), number: Number(row[recordColumns.length]) };
}

type Filter = Partial<Omit<PageQueryRow, "limit" | "after">>;

/** The conditions of a query and their values. */
class Conditions {
  readonly values: SqlValue[] = [];
  readonly #terms: string[] = [];

  constructor(filter: Filter) {
    const byText: readonly (readonly [column: string, value: string | undefined])[] = [
      ["conversation_id", filter.conversationId],
      ["caller_id", filter.callerId],
      ["id", filter.id],
      ["tool", filter.tool],
      ["caller_type", filter.callerType],
    ];
    // SQLite has no statistics to choose an index by: the narrowest one is offered to it, and a + disables the others.
    for (const [column, requested] of byText)
      if (requested !== undefined) this.add(`${this.#plus}${column} = ?`, toStoredLabel(requested));
    if (filter.status === "success") this.add("+success = 1");
    if (filter.status === "failure" || filter.code !== undefined) this.add(`${this.#plus}success = 0`);
    if (filter.code !== undefined) this.add("+code = ?", filter.code);
    if (filter.since !== undefined) this.add("created_at >= ?", filter.since);
    if (filter.until !== undefined) this.add("created_at < ?", filter.until);
  }

  add(term: string, ...values: SqlValue[]): void {
    this.#terms.push(term);
    this.values.push(...values);
  }

  get sql(): string {
    return this.#terms.length === 0 ? "" : `WHERE ${this.#terms.join(" AND ")}`;
  }

  get #plus(): string {
    return this.#terms.length === 0 ? "" : "+";
  }
}

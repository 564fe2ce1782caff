import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isLarge } from "../../store/index.ts";
import { BlobTable } from "./blob-table.ts";
import type { OwnerTable } from "./owner-table.ts";
import { recordColumns } from "./record-columns.ts";
import { newRunColumns } from "./run-columns.ts";
import type { RunFence } from "./run-fence.ts";
import { hasRun } from "./run-queries.ts";
import type { Answer, EndWrite, EventWrite, RunWrite } from "./worker-ops.ts";

/** Why a write was not done, and the number of the run's last event. */
export type Refusal = readonly [what: Answer[1], last: number];

const lost: Refusal = ["lost", 0];
const taken: Refusal = ["taken", 0];

const conversationAt = newRunColumns.indexOf("conversation");

/** Writes what happens to runs, within the transaction of a batch. What a lease does not allow is refused alone. */
export class RunWrites {
  readonly #fence: RunFence;
  readonly #owners: OwnerTable;
  readonly #blobs: BlobTable;
  readonly #findRun: StatementSync;
  readonly #insertRun: StatementSync;
  readonly #lastEvent: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #insertRecord: StatementSync;
  readonly #end: StatementSync;
  readonly #insertTurn: StatementSync;
  readonly #removeTurns: StatementSync;
  #nextEvent = 0;

  constructor(db: DatabaseSync, fence: RunFence, owners: OwnerTable) {
    this.#fence = fence;
    this.#owners = owners;
    this.#blobs = new BlobTable(db);
    const columns = [...newRunColumns, "definition", "owner"];
    this.#findRun = db.prepare("SELECT 1 FROM runs WHERE id = ?");
    this.#insertRun = db.prepare(
      `INSERT INTO runs (${columns.join(", ")}, status, epoch) VALUES (${places(columns)}, 'running', 1)`,
    );
    this.#lastEvent = db.prepare("SELECT max(number) AS last FROM run_events");
    this.#insertEvent = db.prepare(
      `INSERT INTO run_events (number, run, seq, kind, key, at, data, output_at, blob, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertRecord = db.prepare(
      `INSERT INTO records (${recordColumns.join(", ")}, event) VALUES (${places(recordColumns)}, ?)`,
    );
    this.#end = db.prepare(
      `UPDATE runs SET status = ?, finished_at = ?, output = ?, output_blob = ?, error = ?, owner = NULL WHERE number = ?`,
    );
    this.#insertTurn = db.prepare(
      `INSERT INTO turns (conversation, after, run_id, at, data)
       SELECT conversation, after_turn, id, ?, ? FROM runs WHERE number = ? AND conversation IS NOT NULL`,
    );
    this.#removeTurns = db.prepare(`DELETE FROM turns WHERE conversation = :of AND NOT ${hasRun}`);
  }

  /** To be called when a transaction begins. */
  begin(): void {
    this.#fence.begin();
    this.#nextEvent = 0;
  }

  /** To be called when a transaction was undone. */
  undo(): void {
    this.#fence.undo();
    this.#owners.undo();
  }

  run([, values, definition, owner, events]: RunWrite, now: number): Refusal | undefined {
    // Before anything is kept for it.
    if (this.#findRun.get(values[0] ?? null) !== undefined) return taken;
    const of = values[conversationAt] ?? null;
    // What is left of the turns of runs that were given up does not come back with this one.
    if (of !== null) this.#removeTurns.run({ of });
    const { lastInsertRowid } = this.#insertRun.run(...values, this.#blobs.keep(definition), owner.id);
    this.#owners.hear(owner, now);
    for (const event of events) this.#write(Number(lastInsertRowid), event, null);
    return undefined;
  }

  event([, runId, epoch, values, record]: EventWrite): Refusal | undefined {
    const run = this.#fence.find(runId, epoch);
    if (run === undefined) return lost;
    if (values[0] !== run.last + 1) return ["gap", run.last];
    this.#write(run.number, values, record);
    run.last++;
    return undefined;
  }

  end([, runId, epoch, status, finishedAt, output, error, turn]: EndWrite): Refusal | undefined {
    const run = this.#fence.find(runId, epoch);
    if (run === undefined) return lost;
    const blob = output !== null && isLarge(output) ? this.#blobs.keep(output) : null;
    this.#end.run(status, finishedAt, blob === null ? output : null, blob, error, run.number);
    if (turn !== null) this.#insertTurn.run(finishedAt, turn, run.number);
    this.#fence.forget(runId);
    return undefined;
  }

  #write(run: number, values: EventWrite[3], record: EventWrite[4]): void {
    const [seq, kind, key, at, data, outputAt, large] = values;
    const number = this.#newNumber();
    const blob = large === null ? null : this.#blobs.keep(large);
    // A record whose output lies here refers to it; one that has its own, or whose output is large, does not.
    const holds = outputAt !== null && large === null;
    const recorded = record === null ? null : this.#insertRecord.run(...record, holds ? number : null).lastInsertRowid;
    this.#insertEvent.run(number, run, seq, kind, key, at, data, outputAt, blob, recorded);
  }

  /** Given here, so that an event and its record can name each other. */
  #newNumber(): number {
    if (this.#nextEvent === 0) this.#nextEvent = Number(this.#lastEvent.get()?.["last"] ?? 0) + 1;
    return this.#nextEvent++;
  }
}

function places(columns: readonly string[]): string {
  return columns.map(() => "?").join(", ");
}

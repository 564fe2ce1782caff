import type { DatabaseSync, StatementSync } from "node:sqlite";
import { endSubject, isLargePayload } from "../../../store/index.ts";
import { lastEventNumber } from "./change-feed-tables.ts";
import type { LeaseHolderTable } from "./lease-holder-table.ts";
import { recordColumns } from "./record-columns.ts";
import { newRunColumns } from "./run-columns.ts";
import type { RunFence } from "./run-fence.ts";
import { conversationHasRun } from "./run-queries.ts";
import type { WriteAnswer, EndWrite, EventWrite, RunWrite } from "../thread/worker-ops.ts";
import { createHash } from "node:crypto";

/** Why a write was rejected, and the number of the run's last event. */
export type WriteRefusal = readonly [reason: WriteAnswer[1], last: number];

const lost: WriteRefusal = ["lost", 0];
const taken: WriteRefusal = ["taken", 0];
const woken: WriteRefusal = ["woken", 0];

const conversationAt = newRunColumns.indexOf("conversation");

/** Writes events of runs within the transaction of a batch. A write that its lease does not allow is rejected alone. */
export class RunWrites {
  readonly #fence: RunFence;
  readonly #owners: LeaseHolderTable;
  readonly #blobs: BlobTable;
  readonly #findRun: StatementSync;
  readonly #insertRun: StatementSync;
  readonly #lastEvent: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #insertRecord: StatementSync;
  readonly #end: StatementSync;
  readonly #wakeDecided: StatementSync;
  readonly #forgetDeaths: StatementSync;
  readonly #insertTurn: StatementSync;
  readonly #removeTurns: StatementSync;
  readonly #insertDeliveries: StatementSync;
  #nextEvent = 0;

  constructor(db: DatabaseSync, fence: RunFence, owners: LeaseHolderTable) {
    this.#fence = fence;
    this.#owners = owners;
    this.#blobs = new BlobTable(db);
    const columns = [...newRunColumns, "definition", "lease_holder"];
    this.#findRun = db.prepare("SELECT 1 FROM runs WHERE id = ?");
    this.#insertRun = db.prepare(
      `INSERT INTO runs (${columns.join(", ")}, status, epoch, ready) VALUES (${placeholders(columns)}, ?, ?, ?)`,
    );
    this.#lastEvent = db.prepare(`SELECT ${lastEventNumber} AS last`);
    this.#insertEvent = db.prepare(
      `INSERT INTO run_events (number, run, seq, kind, key, at, data, output_at, blob, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertRecord = db.prepare(
      `INSERT INTO records (${recordColumns.join(", ")}, event) VALUES (${placeholders(recordColumns)}, ?)`,
    );
    // If nothing says what a run waits for, the next worker executes it.
    this.#end = db.prepare(
      `UPDATE runs SET status = ?1, finished_at = ?2, output = ?3, output_blob = ?4, error = ?5, metrics = ?6,
         waits_for = ?7, ready = (?1 = 'waiting' AND ?7 IS NULL), lease_holder = NULL
       WHERE number = ?8`,
    );
    // A decision or an event that came before the run was suspended, and that it has not seen.
    this.#wakeDecided = db.prepare(
      `UPDATE runs SET ready = 1 WHERE number = ? AND (cancel_requested = 1 OR EXISTS (
         SELECT 1 FROM json_each(waits_for, '$.approvals') JOIN approvals ON approvals.id = value
         WHERE approvals.status <> 'pending') OR EXISTS (
         SELECT 1 FROM json_each(waits_for, '$.events') AS wait JOIN external_events AS event
           ON event.run = runs.number AND event.name = json_extract(wait.value, '$.name')
         WHERE event.number > json_extract(wait.value, '$.after')))`,
    );
    this.#forgetDeaths = db.prepare("UPDATE runs SET deaths = 0 WHERE number = ?");
    this.#insertTurn = db.prepare(
      `INSERT INTO turns (conversation, after, run_id, at, data)
       SELECT conversation, after_turn, id, ?, ? FROM runs WHERE number = ? AND conversation IS NOT NULL`,
    );
    this.#insertDeliveries = db.prepare(
      `INSERT OR IGNORE INTO deliveries (channel, subject, created_at, status, attempts, next_at)
       SELECT value, :subject, :at, 'pending', 0, :at FROM json_each(:channels)`,
    );
    this.#removeTurns = db.prepare(`DELETE FROM turns WHERE conversation = :of AND NOT ${conversationHasRun}`);
  }

  /** To be called when a transaction begins. */
  begin(): void {
    this.#fence.begin();
    this.#nextEvent = 0;
  }

  /** To be called after a rollback. */
  undo(): void {
    this.#fence.undo();
    this.#owners.undo();
  }

  run([, values, definition, owner, events]: RunWrite, now: number): WriteRefusal | undefined {
    // Before anything is stored for it.
    if (this.#findRun.get(values[0] ?? null) !== undefined) return taken;
    const of = values[conversationAt] ?? null;
    // Remaining turns of pruned runs must not reappear with this one.
    if (of !== null) this.#removeTurns.run({ of });
    const state = owner === null ? (["waiting", 0, 1] as const) : (["running", 1, 0] as const);
    const definitionBlob = this.#blobs.store(definition);
    const { lastInsertRowid } = this.#insertRun.run(...values, definitionBlob, owner, ...state);
    if (owner !== null) this.#owners.heartbeat(owner, now);
    for (const event of events) this.#write(Number(lastInsertRowid), event, null);
    return undefined;
  }

  event([, runId, epoch, values, record]: EventWrite): WriteRefusal | undefined {
    const run = this.#fence.find(runId, epoch);
    if (run === undefined) return lost;
    if (values[0] !== run.last + 1) return ["gap", run.last];
    this.#write(run.number, values, record);
    run.last++;
    if (run.deaths > 0 && values[1] === "settled") {
      this.#forgetDeaths.run(run.number);
      run.deaths = 0;
    }
    return undefined;
  }

  end(write: EndWrite): WriteRefusal | undefined {
    const [, runId, epoch, status, finishedAt, output, error, turn, metrics, waitsFor, channels] = write;
    const run = this.#fence.find(runId, epoch);
    if (run === undefined) return lost;
    const blob = output !== null && isLargePayload(output) ? this.#blobs.store(output) : null;
    this.#end.run(status, finishedAt, blob === null ? output : null, blob, error, metrics, waitsFor, run.number);
    if (turn !== null) this.#insertTurn.run(finishedAt, turn, run.number);
    if (channels !== null)
      this.#insertDeliveries.run({ channels, subject: endSubject({ runId, epoch }), at: finishedAt });
    this.#fence.forget(runId);
    if (status !== "waiting" || this.#wakeDecided.run(run.number).changes === 0) return undefined;
    return woken;
  }

  #write(run: number, values: EventWrite[3], record: EventWrite[4]): void {
    const [seq, kind, key, at, data, outputAt, large] = values;
    const number = this.#newNumber();
    const blob = large === null ? null : this.#blobs.store(large);
    // A record whose output is stored here refers to it; one with its own or a large output does not.
    const holds = outputAt !== null && large === null;
    const recorded = record === null ? null : this.#insertRecord.run(...record, holds ? number : null).lastInsertRowid;
    this.#insertEvent.run(number, run, seq, kind, key, at, data, outputAt, blob, recorded);
  }

  /** Assigned here, so that an event and its record can refer to each other. */
  #newNumber(): number {
    if (this.#nextEvent === 0) this.#nextEvent = Number(this.#lastEvent.get()?.["last"] ?? 0) + 1;
    return this.#nextEvent++;
  }
}

function placeholders(columns: readonly string[]): string {
  return columns.map(() => "?").join(", ");
}

/** Large texts, each stored once regardless of the number of references. */
class BlobTable {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare("SELECT number FROM blobs WHERE hash = ?");
    this.#insert = db.prepare("INSERT INTO blobs (hash, data) VALUES (?, ?) RETURNING number");
  }

  /** Returns the number of this text. References to it must be written in the same transaction. */
  store(text: string): number {
    const hash = createHash("sha256").update(text).digest("base64url");
    return Number((this.#find.get(hash) ?? this.#insert.get(hash, text))?.["number"]);
  }
}

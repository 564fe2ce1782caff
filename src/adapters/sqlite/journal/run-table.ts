import type { DatabaseSync } from "node:sqlite";
import { isOver } from "../../store/index.ts";
import { inTransaction } from "./in-transaction.ts";
import { type OwnerTable, isGone } from "./owner-table.ts";
import { toOwner, toRun } from "./run-columns.ts";
import type { RunFence } from "./run-fence.ts";
import { hasRun, readRun } from "./run-queries.ts";
import type { CancelAsked, ClaimAnswer, ClaimAsked, RunRows, TurnWrite } from "./worker-ops.ts";

/** Who executes which run. Every change is one transaction, so that processes sharing the file agree. */
export class RunTable {
  readonly #db: DatabaseSync;
  readonly #fence: RunFence;
  readonly #owners: OwnerTable;

  constructor(db: DatabaseSync, fence: RunFence, owners: OwnerTable) {
    this.#db = db;
    this.#fence = fence;
    this.#owners = owners;
  }

  /** Gives the run to this owner, if nobody else has it. */
  claim(asked: ClaimAsked): ClaimAnswer {
    try {
      const taken = inTransaction(this.#db, () => this.#take(asked));
      return { ...taken, found: readRun(this.#db, asked.runId, taken.kind !== "held") };
    } catch (error) {
      this.#owners.undo();
      throw error;
    } finally {
      this.#fence.forget(asked.runId);
    }
  }

  get(runId: string, withEvents: boolean): RunRows | undefined {
    return readRun(this.#db, runId, withEvents);
  }

  /** Adds a turn that is of no run, where there is a run of that conversation. */
  addTurn({ conversationId, after, at, data }: TurnWrite): void {
    this.#db
      .prepare(
        `INSERT INTO turns (conversation, after, at, data)
         SELECT :of, coalesce(:after, (SELECT max(number) FROM turns WHERE conversation = :of), 0), :at, :data
         WHERE ${hasRun}`,
      )
      .run({ of: conversationId, after, at, data });
  }

  /** Asks for the run to be cancelled; false when it is over or unknown. The first who asks is the one who is named. */
  cancel(runId: string, by: string | null): boolean {
    const open = "id = ? AND status IN ('running', 'waiting')";
    return inTransaction(this.#db, () => {
      this.#db
        .prepare(`UPDATE runs SET cancel_requested = 1, cancel_by = ? WHERE ${open} AND cancel_requested = 0`)
        .run(by, runId);
      return this.#db.prepare(`SELECT 1 FROM runs WHERE ${open}`).get(runId) !== undefined;
    });
  }

  /** Notes that the owner is alive; gives its runs that somebody wants cancelled. */
  attend(owner: Parameters<OwnerTable["hear"]>[0], now: number): CancelAsked[] {
    this.#owners.hear(owner, now);
    const rows = this.#db
      .prepare("SELECT id, cancel_by FROM runs WHERE owner = ? AND cancel_requested = 1")
      .all(owner.id);
    return rows.map((row) => ({
      runId: String(row["id"]),
      by: typeof row["cancel_by"] === "string" ? row["cancel_by"] : null,
    }));
  }

  #take({ runId, owner, now, silenceMs, gaveUp }: ClaimAsked): Omit<ClaimAnswer, "found"> {
    const found = readRun(this.#db, runId, false);
    if (found === undefined) return { kind: "unknown", was: "running" };
    const run = toRun(found.run);
    const was = run.status;
    if (isOver(was)) return { kind: "finished", was };
    const isOwn = gaveUp && run.owner?.id === owner.id;
    if (run.owner !== undefined && !isOwn && !this.#isGone(run.owner.id, now, silenceMs)) return { kind: "held", was };
    this.#owners.hear(owner, now);
    this.#db
      .prepare("UPDATE runs SET owner = ?, epoch = epoch + 1, status = 'running' WHERE id = ?")
      .run(owner.id, runId);
    return { kind: "claimed", was };
  }

  #isGone(id: string, now: number, silenceMs: number): boolean {
    const row = this.#db.prepare("SELECT * FROM owners WHERE id = ?").get(id);
    if (row === undefined) return true;
    const owner = toOwner([id, Number(row["pid"]), String(row["process_start"]), String(row["boot_id"])]);
    return isGone({ ...owner, renewedAt: Number(row["renewed_at"]) }, now, silenceMs);
  }
}

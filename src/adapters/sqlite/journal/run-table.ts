import type { DatabaseSync } from "node:sqlite";
import {
  type ConversationRemoval,
  type EventDelivery,
  type ExternalEvent,
  type NewExternalEvent,
  type RunStatus,
  isFinished,
  maxInboxEvents,
} from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { type LeaseHolderTable, isOwnerGone } from "./lease-holder-table.ts";
import { asPruned, removePrunedRuns } from "./prune-runs.ts";
import { toRun } from "./run-columns.ts";
import type { RunFence } from "./run-fence.ts";
import { conversationHasRun, readRun } from "./run-queries.ts";
import type { CancelRequestRow, ClaimReply, ClaimRequestRow, RunRows, TurnWrite } from "../thread/worker-ops.ts";

/** The leases of runs. Every change is one transaction, so that processes sharing the file agree. */
export class RunTable {
  readonly #db: DatabaseSync;
  readonly #fence: RunFence;
  readonly #owners: LeaseHolderTable;

  constructor(db: DatabaseSync, fence: RunFence, owners: LeaseHolderTable) {
    this.#db = db;
    this.#fence = fence;
    this.#owners = owners;
  }

  /** Gives the run to this lease holder, unless another one holds it. */
  claim(query: ClaimRequestRow): ClaimReply {
    try {
      const taken = inTransaction(this.#db, () => this.#take(query));
      return { ...taken, found: readRun(this.#db, query.runId, taken.kind !== "held") };
    } catch (error) {
      this.#owners.undo();
      throw error;
    } finally {
      this.#fence.forget(query.runId);
    }
  }

  get(runId: string, withEvents: boolean): RunRows | undefined {
    return readRun(this.#db, runId, withEvents);
  }

  /** Adds a turn without a run, if the conversation has a run. */
  addTurn({ conversationId, after, at, data }: TurnWrite): void {
    this.#db
      .prepare(
        `INSERT INTO turns (conversation, after, at, data)
         SELECT :of, coalesce(:after, (SELECT max(number) FROM turns WHERE conversation = :of), 0), :at, :data
         WHERE ${conversationHasRun}`,
      )
      .run({ of: conversationId, after, at, data });
  }

  /** Stores an external event, and wakes the run if it waits for it. */
  deliver({ runId, id, name, at, data }: NewExternalEvent): EventDelivery {
    return inTransaction(this.#db, () => {
      const run = this.#db.prepare("SELECT number, status FROM runs WHERE id = ? AND status <> 'pruned'").get(runId);
      if (run === undefined) return "unknown";
      const number = run["number"] ?? null;
      const known = this.#db.prepare("SELECT 1 FROM external_events WHERE run = ? AND name = ? AND id = ?");
      if (known.get(number, name, id) !== undefined) return "repeated";
      if (isFinished(run["status"] as RunStatus)) return "ended";
      const count = this.#db.prepare("SELECT count(*) AS count FROM external_events WHERE run = ?").get(number);
      if (Number(count?.["count"]) >= maxInboxEvents) return "full";
      this.#db
        .prepare("INSERT INTO external_events (run, id, name, at, data) VALUES (?, ?, ?, ?, ?)")
        .run(number, id, name, at, data);
      this.#db
        .prepare(
          `UPDATE runs SET ready = 1 WHERE number = ? AND status = 'waiting' AND EXISTS (
             SELECT 1 FROM json_each(waits_for, '$.events') WHERE json_extract(value, '$.name') = ?)`,
        )
        .run(number, name);
      return "delivered";
    });
  }

  /** The external events of a run after a position. */
  inbox(runId: string, after: number): ExternalEvent[] {
    const list = this.#db.prepare(
      `SELECT number AS position, id, name, at, data FROM external_events
       WHERE run = (SELECT number FROM runs WHERE id = ?) AND number > ? ORDER BY number`,
    );
    // Only this class writes the columns.
    return list.all(runId, after) as unknown as ExternalEvent[];
  }

  /** Hides the runs of a conversation and those that they called, unless one of them has not ended. */
  removeConversation(conversationId: string): ConversationRemoval {
    const all = `WITH RECURSIVE called (id) AS (
        SELECT id FROM runs WHERE conversation = :of AND status <> 'pruned'
        UNION SELECT runs.id FROM runs JOIN called ON runs.called_by = called.id WHERE status <> 'pruned')`;
    return inTransaction(this.#db, () => {
      const statuses = this.#db
        .prepare(`${all} SELECT DISTINCT status FROM runs WHERE id IN (SELECT id FROM called)`)
        .all({ of: conversationId })
        // Only this store writes the column.
        .map(({ status }) => status as RunStatus);
      if (statuses.length === 0) return "unknown";
      if (!statuses.every(isFinished)) return "unfinished";
      this.#db
        .prepare(`${all} UPDATE runs SET ${asPruned} WHERE id IN (SELECT id FROM called)`)
        .run({ of: conversationId });
      return "removed";
    });
  }

  /** Removes some data of hidden runs; returns the number of rows, 0 if there are no more. */
  removePruned(): number {
    return inTransaction(this.#db, () => removePrunedRuns(this.#db).rows);
  }

  /** Requests cancellation of the run; false if it is over or unknown. The first requester is recorded. */
  cancel(runId: string, by: string | null): boolean {
    const open = "id = ? AND status IN ('running', 'waiting')";
    return inTransaction(this.#db, () => {
      this.#db
        .prepare(
          `UPDATE runs SET cancel_requested = 1, cancel_by = ?, ready = (status = 'waiting')
           WHERE ${open} AND cancel_requested = 0`,
        )
        .run(by, runId);
      return this.#db.prepare(`SELECT 1 FROM runs WHERE ${open}`).get(runId) !== undefined;
    });
  }

  /** Records a heartbeat of the lease holder; returns its runs with a cancellation request. */
  heartbeat(owner: string, now: number): CancelRequestRow[] {
    this.#owners.heartbeat(owner, now);
    const rows = this.#db
      .prepare("SELECT id, cancel_by FROM runs WHERE lease_holder = ? AND cancel_requested = 1")
      .all(owner);
    return rows.map((row) => ({
      runId: String(row["id"]),
      by: typeof row["cancel_by"] === "string" ? row["cancel_by"] : null,
    }));
  }

  #take({ runId, owner, now, silenceMs, gaveUp, reopen }: ClaimRequestRow): Omit<ClaimReply, "found"> {
    const found = readRun(this.#db, runId, false);
    if (found === undefined) return { kind: "unknown", was: "running" };
    const { status: was, leaseHolder } = toRun(found.run);
    if (reopen && was === "failed") return this.#give(runId, owner, { now, was, deaths: "0" });
    if (isFinished(was)) return { kind: "finished", was };
    // A process that was stopped for long is still executing its own run.
    const isFree =
      leaseHolder === undefined ||
      (leaseHolder === owner ? gaveUp : isOwnerGone(this.#db, { owner: leaseHolder, now, silenceMs }));
    if (!isFree) return { kind: "held", was };
    const hasDied = leaseHolder !== undefined && leaseHolder !== owner;
    return this.#give(runId, owner, { now, was, deaths: hasDied ? "deaths + 1" : "deaths" });
  }

  #give(
    runId: string,
    owner: string,
    { now, was, deaths }: { readonly now: number; readonly was: RunStatus; readonly deaths: string },
  ): Omit<ClaimReply, "found"> {
    this.#owners.heartbeat(owner, now);
    this.#db
      .prepare(
        `UPDATE runs SET lease_holder = ?, epoch = epoch + 1, status = 'running', waits_for = NULL, ready = 0,
           deaths = ${deaths}, finished_at = NULL, output = NULL, output_blob = NULL, error = NULL, metrics = NULL
         WHERE id = ?`,
      )
      .run(owner, runId);
    return { kind: "claimed", was };
  }
}

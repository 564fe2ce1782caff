import { type FailureError, createIdGenerator, fail } from "../../../base/index.ts";
import {
  type CancelRequest,
  type Claim,
  type ConversationRemoval,
  type EventDelivery,
  type ExternalEvent,
  type JournalEvent,
  type Liveness,
  type NewConversationTurn,
  type NewExternalEvent,
  type NewJournalEvent,
  type NewRun,
  type RecordRedactor,
  type RecordStore,
  type RunEnd,
  type RunLease,
  type RunStore,
  type StoredRun,
  checkSequence,
  isFinished,
  leaseLostFailure,
  sequenceGapFailure,
} from "../../../store/index.ts";
import type { BatchWriter, WriteDone } from "./batch-writer.ts";
import { checkStorable } from "../database/check-storable.ts";
import { eventSize, toEventValues, toEventWrite, valuesSize } from "./event-write.ts";
import { toRun, toRunAndEvents, toRunWrite } from "./run-columns.ts";
import { type SqliteRunReaderDeps, SqliteRunReader } from "./sqlite-run-reader.ts";
import { type OpOutcome, closedFailure, promiseOutcome } from "../thread/worker-link.ts";
import type { WriteAnswer, EndWrite, EventValues, EventWrite, Write } from "../thread/worker-ops.ts";
import type { WriterThread } from "./writer-thread.ts";

/** Dependencies of {@link SqliteRuns}. */
export interface SqliteRunsDeps extends SqliteRunReaderDeps {
  readonly thread: Pick<WriterThread, "call">;
  readonly writer: Pick<BatchWriter, "push" | "hurry" | "settle">;
  readonly records: Pick<RecordStore, "add">;
  readonly redactor: RecordRedactor;
}

/**
 * Runs in SQLite. Concurrent writes of many runs are committed together; each caller is notified when its own write is
 * on the disk.
 */
export class SqliteRuns extends SqliteRunReader implements RunStore {
  readonly #parts: SqliteRunsDeps;
  /** The epochs of the runs that are executed through this store. */
  readonly #held = new Map<string, number>();
  /** The epochs of runs whose last write failed: their execution has stopped, but the database does not show it. */
  readonly #pruned = new Map<string, number>();
  /** Owners of runs in this process that are to stop when others consider them gone. */
  readonly #owners = new Map<string, { seenAt: number; readonly stop: () => void }>();
  #scheduled = false;
  #closed = false;

  constructor(parts: SqliteRunsDeps) {
    super(parts);
    this.#parts = parts;
  }

  join(): Liveness {
    const { clock, reader, silenceMs } = this.#parts;
    const owner = `${process.pid}-${createIdGenerator().next()}`;
    return {
      owner,
      isGone: (other) => reader.call("isOwnerGone", { owner: other, now: clock.now(), silenceMs }),
      onLost: (stop) => {
        this.#owners.set(owner, { seenAt: clock.elapsed(), stop });
        return () => this.#owners.delete(owner);
      },
    };
  }

  async create(
    run: NewRun,
    owner: string,
    events: readonly JournalEvent[] = [],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }> {
    const existing = await this.#store(run, owner, events);
    this.#seen(owner);
    return existing ?? { lease: this.#hold(run.id, 1) };
  }

  submit(run: NewRun, events: readonly JournalEvent[] = []): Promise<{ readonly existing: StoredRun } | undefined> {
    return this.#store(run, null, events);
  }

  /** Stores a new run; returns the run that has its id if there is one. */
  async #store(
    run: NewRun,
    owner: string | null,
    events: readonly JournalEvent[],
  ): Promise<{ readonly existing: StoredRun } | undefined> {
    checkSequence(run.id, events);
    const values = events.map(writable);
    let size = 500 + run.definition.length + run.input.length + run.context.length + run.fingerprints.length;
    for (const event of values) size += valuesSize(event);
    const answer = await promiseOutcome<WriteAnswer | undefined>((done) =>
      this.#push(toRunWrite(run, owner, values), size, done),
    );
    if (answer === undefined) return undefined;
    const found = await this.#parts.thread.call("getRun", { runId: run.id, events: false });
    // It was pruned a moment ago.
    if (found === undefined) return this.#store(run, owner, events);
    return { existing: toRun(found.run) };
  }

  async claim(runId: string, owner: string, reopen: boolean = false): Promise<Claim> {
    const { thread, clock, silenceMs } = this.#parts;
    const gaveUp = this.#pruned.has(runId);
    const query = { runId, owner, now: clock.now(), silenceMs, gaveUp, reopen };
    const { kind, was, found } = await thread.call("claimRun", query).catch((error: unknown) => {
      // Perhaps it was claimed by this owner and only the reply was lost.
      if (!this.#held.has(runId)) this.#pruned.set(runId, 0);
      throw error;
    });
    this.#seen(owner);
    if (found === undefined) return { kind: "unknown" };
    const { run, events } = toRunAndEvents(found);
    if (kind === "claimed") return { kind, lease: this.#hold(runId, run.epoch), run, was, events };
    return kind === "finished" ? { kind, run, events } : { kind: "held", run };
  }

  append(lease: RunLease, event: NewJournalEvent): Promise<void> {
    let write: EventWrite;
    try {
      write = toEventWrite(lease, event, this.#parts.redactor);
    } catch (error) {
      this.#storeRecord(event);
      return Promise.reject(unwritable(error));
    }
    return new Promise((resolve, reject) => {
      this.#push(write, eventSize(write), (outcome) => {
        const failure = this.#failureOf(outcome, lease, event.seq);
        if (failure === undefined) {
          this.runWatch.changed(lease.runId);
          resolve();
          return;
        }
        this.#storeRecord(event);
        reject(failure);
      });
    });
  }

  finish(lease: RunLease, end: RunEnd): Promise<"finished" | "woken"> {
    return new Promise((resolve, reject) => {
      const write = toEndWrite(lease, end);
      this.#push(write, endSize(write), (outcome) => {
        const failure = this.#failureOf(outcome, lease, 0);
        this.#letGo(lease);
        this.runWatch.changed(lease.runId);
        if (failure !== undefined) reject(failure);
        else resolve(outcome.failure === undefined && outcome.value?.[1] === "woken" ? "woken" : "finished");
      });
    });
  }

  async requestCancel(runId: string, by: string | undefined): Promise<boolean> {
    return this.#parts.thread.call("cancelRun", { runId, by: by ?? null });
  }

  async deliver(event: NewExternalEvent): Promise<EventDelivery> {
    checkStorable(Object.values(event));
    // The run may have been stored a moment ago.
    await this.#parts.writer.settle();
    const delivery = await this.#parts.thread.call("deliverEvent", event);
    if (delivery === "delivered") this.runWatch.changed(event.runId);
    return delivery;
  }

  inbox(runId: string, after: number): Promise<readonly ExternalEvent[]> {
    return this.#parts.thread.call("inbox", { runId, after });
  }

  async changes(owner: string, runIds: readonly string[]): Promise<readonly CancelRequest[]> {
    const { thread, clock } = this.#parts;
    const query = await thread.call("heartbeat", { owner, now: clock.now() }).catch((error: unknown) => {
      this.#unseen(owner);
      throw error;
    });
    this.#seen(owner);
    if (query.length === 0) return [];
    const requested = new Set(runIds);
    return query.filter(({ runId }) => requested.has(runId)).map(({ runId, by }) => ({ runId, by: by ?? undefined }));
  }

  async addTurn(conversationId: string, { after, at, data }: NewConversationTurn): Promise<void> {
    checkStorable([conversationId, after ?? null, at, data]);
    await this.#parts.writer.settle();
    await this.#parts.thread.call("addTurn", { conversationId, after: after ?? null, at, data });
  }

  async removeConversation(conversationId: string): Promise<ConversationRemoval> {
    const { writer, thread } = this.#parts;
    await writer.settle();
    const removal = await thread.call("removeConversation", { conversationId });
    // In steps, so that other writes are not delayed; pruning completes them if this process ends.
    if (removal === "removed") while ((await thread.call("removePruned", null)) > 0);
    return removal;
  }

  /** Releases the runs that are still executed through this store, so that others can claim them without waiting. */
  close(): void {
    this.#closed = true;
    for (const [runId, epoch] of [...this.#held, ...this.#pruned]) {
      this.#parts.writer.push(toEndWrite({ runId, epoch }, { status: "running", at: 0 }), 200, () => {});
    }
    this.#held.clear();
    this.#pruned.clear();
  }

  /** A sign of life of this owner was stored. */
  #seen(name: string): void {
    const owner = this.#owners.get(name);
    if (owner !== undefined) owner.seenAt = this.#parts.clock.elapsed();
  }

  /** A sign of life could not be stored: after some time, other processes consider the owner gone. */
  #unseen(name: string): void {
    const { clock, silenceMs } = this.#parts;
    const owner = this.#owners.get(name);
    if (owner !== undefined && clock.elapsed() - owner.seenAt > silenceMs) owner.stop();
  }

  #push(write: Write, bytes: number, done: WriteDone): void {
    if (this.#closed) {
      done({ failure: closedFailure() });
      return;
    }
    this.#parts.writer.push(write, bytes, done);
    this.#schedule();
  }

  /** Writes of the same turn of the event loop go into one batch. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#parts.writer.hurry();
    });
  }

  /** The event is not written, but its call was made, so the record is stored. */
  #storeRecord({ record }: NewJournalEvent): void {
    if (record !== undefined) this.#parts.records.add(record);
  }

  /** Why a write failed, if it did, and the effect on the lease. */
  #failureOf(outcome: OpOutcome<WriteAnswer | undefined>, lease: RunLease, seq: number): FailureError | undefined {
    if (outcome.failure !== undefined) {
      if (this.#letGo(lease)) this.#pruned.set(lease.runId, lease.epoch);
      return outcome.failure;
    }
    const [, reason, last] = outcome.value ?? [];
    if (reason === undefined || reason === "woken") return undefined;
    if (reason === "gap") return sequenceGapFailure(lease.runId, seq, last ?? 0);
    this.#letGo(lease);
    return leaseLostFailure(lease.runId);
  }

  #hold(runId: string, epoch: number): RunLease {
    this.#pruned.delete(runId);
    this.#held.set(runId, epoch);
    return { runId, epoch };
  }

  #letGo({ runId, epoch }: RunLease): boolean {
    return this.#held.get(runId) === epoch && this.#held.delete(runId);
  }
}

function toEndWrite(
  { runId, epoch }: RunLease,
  { status, at, output, error, turn, metrics, waitsFor, channels }: RunEnd,
): EndWrite {
  const over = isFinished(status);
  const written = typeof turn === "function" && over ? turn() : turn;
  const ending = [
    output ?? null,
    error ?? null,
    over && typeof written === "string" ? written : null,
    metrics ?? null,
    jsonOrNull(status === "waiting" ? waitsFor : undefined),
    jsonOrNull(over ? channels : undefined),
  ] as const;
  const values = [runId, epoch, status, over ? at : null, ...ending] as const;
  checkStorable(values);
  return ["end", ...values];
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function endSize([, , , , , ...ending]: EndWrite): number {
  return ending.reduce((size, text) => size + (text?.length ?? 0), 200);
}

function writable(event: JournalEvent): EventValues {
  try {
    return toEventValues(event);
  } catch (error) {
    throw unwritable(error);
  }
}

function unwritable(cause: unknown): FailureError {
  const why = cause instanceof Error ? cause.message.split("\n", 1).join("") : String(cause);
  return fail(`the event cannot be written, its data must be plain JSON: ${why}`, {
    code: "store_failed",
    reason: "unwritable",
    retry: "never",
    cause,
  });
}

import { type Clock, type FailureError, type Timer, fail } from "../../../base/index.ts";
import { toFiniteNumber } from "../../../store/index.ts";
import { type Done, type OpOutcome, closedFailure } from "../thread/worker-link.ts";
import type { WriteAnswer, Write } from "../thread/worker-ops.ts";
import type { WriterThread } from "./writer-thread.ts";

/** Options of {@link BatchWriter}. */
export interface BatchWriterOptions {
  readonly thread: WriterThread;
  /** Identifies this writer among all writers of the database. */
  readonly name: string;
  readonly clock: Clock;
  /** Called when writing begins to fail, and with the number of lost writes once it is known. Must not throw. */
  readonly onError: (failure: FailureError) => void;
  /** Maximum number of writes that wait for the disk. */
  readonly maxWrites: number;
  readonly maxBytes: number;
}

/** Receives the outcome of one write: undefined once it is committed, or an answer if it was rejected. */
export type WriteDone = Done<WriteAnswer | undefined>;

/** A pending write, and its callback: none for a record. */
interface Waiting {
  readonly write: Write;
  readonly bytes: number;
  readonly done: WriteDone | undefined;
}

interface Pending {
  /** 0 until it is first sent. */
  number: number;
  waiting: Waiting[];
  bytes: number;
}

const written: OpOutcome<undefined> = { value: undefined };

interface Waiter {
  /** Waits until this number of writes is committed. */
  readonly upTo: number;
  /** Called once; with the reason if they could not be committed, or if writes were lost. */
  readonly done: (failure: FailureError | undefined) => void;
}

/** Maximum size of a batch. A batch is sent when the one before is committed, so batches grow with the load. */
const batchWrites = 2000;
const batchBytes = 4 * 1024 * 1024;
/** Delay before a failed batch is retried, unless a flush retries it earlier. */
const retryMs = 1000;
/** Maximum time that a full buffer blocks the thread that fills it before the disk counts as dead. */
const holdMs = 2000;

/**
 * Sends writes to the writer thread in ordered batches, one at a time, and retains each until it is committed. While
 * the disk is slow, the buffer is bounded by blocking the thread that adds to it. While it fails, writes with a waiting
 * caller are rejected and dropped; those without one are retained and retried, and those beyond the buffer's capacity
 * are lost, counted and reported.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  /** The oldest batch: with the thread, or waiting for a retry. */
  #head: Pending | undefined;
  #inFlight = false;
  #full: Pending[] = [];
  #open: Pending = emptyBatch();
  #lastNumber = 0;
  #pushed = 0;
  #committed = 0;
  #bytes = 0;
  /** Why the last attempt failed; until one succeeds. */
  #failure: FailureError | undefined;
  #retry: Timer | undefined;
  /** True if blocking did not help; until something is committed. */
  #stalled = false;
  #lostInAll = 0;
  readonly #lostSinceFlush = new LostRecordCounter();
  readonly #lostUnreported = new LostRecordCounter();
  #waiters: Waiter[] = [];

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /** Number of writes that wait for the disk. */
  get waiting(): number {
    return this.#pushed - this.#committed;
  }

  /** Number of writes lost since the store was opened. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Puts a write into the next batch; {@link send} or {@link hurry} sends it. */
  push(write: Write, bytes: number, done?: WriteDone): void {
    if (this.#isFull() && !this.#dropOldest()) {
      if (done === undefined) this.lose(1, "the buffer was full and the database accepted no writes");
      else done({ failure: this.#failure ?? bufferFull() });
      return;
    }
    this.#open.waiting.push({ write, bytes, done });
    this.#open.bytes += bytes;
    this.#bytes += bytes;
    this.#pushed++;
    if (this.#open.waiting.length < batchWrites && this.#open.bytes < batchBytes) return;
    this.#full.push(this.#open);
    this.#open = emptyBatch();
  }

  /** Counts writes that are lost, and why. */
  lose(count: number, why: LossCause): void {
    this.#lostInAll += count;
    this.#lostSinceFlush.add(count, why);
    this.#lostUnreported.add(count, why);
  }

  /** Sends the next batch, if the thread is free. */
  send(): void {
    // A loop that never yields to the event loop receives no messages, so they are polled.
    if (this.#inFlight) this.#options.thread.poll();
    if (this.#head !== undefined) return;
    const next = this.#full.shift() ?? this.#takeOpen();
    if (next === undefined) return;
    next.number = ++this.#lastNumber;
    this.#post(next);
  }

  /** Sends the next batch, or retries the failed one at once, because a caller is waiting. */
  hurry(): void {
    if (this.#failure === undefined) this.send();
    else this.#resend();
  }

  /** Resolves when all that was pushed before is committed; rejects when it could not be, or when writes were lost. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wait((failure) => {
        if (failure === undefined) resolve();
        else reject(failure);
      });
    });
  }

  /** Resolves when all that was pushed before is committed, or when that fails. */
  async settle(): Promise<void> {
    // After a failure, a batch that is retried later is not awaited; one that has not been attempted yet is.
    if (this.waiting === 0 || (this.#failure !== undefined && this.#head !== undefined)) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push({ upTo: this.#pushed, done: () => resolve() });
      this.send();
    });
  }

  /** Discards pending writes, and reports what was lost. */
  close(): void {
    this.#retry?.cancel();
    this.#drop(closedFailure());
    this.lose(this.waiting, "the store was closed before writing succeeded");
    this.#reportLoss();
  }

  #wait(done: Waiter["done"]): void {
    if (this.waiting === 0) {
      done(this.#lostSinceFlush.take());
      return;
    }
    this.#waiters.push({ upTo: this.#pushed, done: (failure) => done(failure ?? this.#lostSinceFlush.take()) });
    this.hurry();
  }

  #takeOpen(): Pending | undefined {
    if (this.#open.waiting.length === 0) return undefined;
    const batch = this.#open;
    this.#open = emptyBatch();
    return batch;
  }

  #post(batch: Pending): void {
    this.#head = batch;
    this.#inFlight = true;
    const { thread, name, clock } = this.#options;
    const { number } = batch;
    const writes = batch.waiting.map(({ write }) => write);
    thread.send("commit", { writer: name, number, now: toFiniteNumber(clock.now()), writes }, (outcome) =>
      this.#answered(batch, outcome),
    );
  }

  #answered(batch: Pending, outcome: OpOutcome<readonly WriteAnswer[]>): void {
    this.#inFlight = false;
    if (outcome.failure === undefined) this.#succeeded(batch, outcome.value);
    // After a restart, the thread knows by the number whether this batch was committed before it died.
    else if (outcome.failure.reason === "thread_died" && this.#options.thread.alive) this.#post(batch);
    else this.#failed(outcome.failure);
  }

  #succeeded(batch: Pending, answers: readonly WriteAnswer[]): void {
    this.#options.thread.proven();
    this.#head = undefined;
    this.#failure = undefined;
    this.#stalled = false;
    this.#committed += batch.waiting.length;
    this.#bytes -= batch.bytes;
    this.#reportLoss();
    this.send();
    resolveWaiting(batch, answers);
    const served = this.#waiters.filter(({ upTo }) => upTo <= this.#committed);
    if (served.length === 0) return;
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#committed);
    for (const { done } of served) done(undefined);
  }

  #failed(failure: FailureError): void {
    if (this.#failure?.reason !== failure.reason) this.#options.onError(failure);
    this.#failure = failure;
    this.#retry?.cancel();
    if (this.#options.thread.alive) {
      this.#retry = this.#options.clock.after(retryMs, () => this.#resend());
      this.#retry.hold(false);
    }
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#drop(failure);
    for (const { done } of waiters) done(failure);
  }

  /** Rejects all writes with a waiting caller and discards them: they must not be committed later. */
  #drop(failure: FailureError): void {
    const reported: WriteDone[] = [];
    for (const batch of [this.#head, ...this.#full, this.#open]) {
      if (batch === undefined) continue;
      const dropped = batch.waiting.filter(({ done }) => done !== undefined);
      if (dropped.length === 0) continue;
      batch.waiting = batch.waiting.filter(({ done }) => done === undefined);
      for (const { bytes, done } of dropped) {
        batch.bytes -= bytes;
        this.#bytes -= bytes;
        if (done !== undefined) reported.push(done);
      }
      this.#committed += dropped.length;
    }
    if (this.#head?.waiting.length === 0) this.#head = undefined;
    this.#full = this.#full.filter(({ waiting }) => waiting.length > 0);
    for (const done of reported) done({ failure });
  }

  #resend(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    if (this.#inFlight) return;
    if (this.#head === undefined) this.send();
    else this.#post(this.#head);
  }

  #isFull(): boolean {
    return this.waiting >= this.#options.maxWrites || this.#bytes >= this.#options.maxBytes;
  }

  /**
   * Blocks the whole thread until the disk catches up, as an unbuffered write would. Not on a failing disk: its failure
   * is known, and waiting does not fix it.
   */
  #dropOldest(): boolean {
    this.send();
    while (this.#isFull() && this.#failure === undefined && !this.#stalled) {
      this.#stalled = !this.#options.thread.waitForReply(holdMs);
    }
    return !this.#isFull();
  }

  #reportLoss(): void {
    const failure = this.#lostUnreported.take();
    if (failure !== undefined) this.#options.onError(failure);
  }
}

function emptyBatch(): Pending {
  return { number: 0, waiting: [], bytes: 0 };
}

function resolveWaiting({ waiting }: Pending, answers: readonly WriteAnswer[]): void {
  const byIndex = new Map(answers.map((answer) => [answer[0], answer]));
  for (const [index, { done }] of waiting.entries()) {
    if (done === undefined) continue;
    const answer = byIndex.get(index);
    done(answer === undefined ? written : { value: answer });
  }
}

function bufferFull(): FailureError {
  return fail("too many writes wait for the database. Try again when the disk has caught up", {
    code: "store_failed",
    reason: "buffer_full",
  });
}

/** Why a record was lost, as text for the message. */
type LossCause =
  | "the buffer was full and the database accepted no writes"
  | "the store was closed before writing succeeded"
  | "added after the store was closed";

/** Counts the records lost since the last report, and why. */
class LostRecordCounter {
  #count = 0;
  readonly #causes = new Set<LossCause>();

  add(count: number, why: LossCause): void {
    if (count === 0) return;
    this.#count += count;
    this.#causes.add(why);
  }

  /** Returns the failure that reports them, and resets the count; undefined if there are none. */
  take(): FailureError | undefined {
    if (this.#count === 0) return undefined;
    const records = this.#count === 1 ? "1 record was" : `${this.#count} records were`;
    const message = `${records} lost: ${[...this.#causes].join("; ")}`;
    this.#count = 0;
    this.#causes.clear();
    return fail(message, { code: "store_failed", reason: "records_lost", retry: "never" });
  }
}

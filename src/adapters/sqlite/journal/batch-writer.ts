import { type Clock, type FailureError, type Timer, fail } from "../../base/index.ts";
import { finite } from "../../store/index.ts";
import { type LossCause, LossTally } from "./loss-tally.ts";
import { type Done, type Outcome, closedFailure } from "./worker-link.ts";
import type { Answer, Write } from "./worker-ops.ts";
import type { WriterThread } from "./writer-thread.ts";

/** What a {@link BatchWriter} needs. */
export interface BatchWriterOptions {
  readonly thread: WriterThread;
  /** Names this writer among all that write to the database. */
  readonly name: string;
  readonly clock: Clock;
  /** Told when writing begins to fail, and how much was lost once that is known. Must not throw. */
  readonly onError: (failure: FailureError) => void;
  /** How much may wait for the disk. */
  readonly maxWrites: number;
  readonly maxBytes: number;
}

/** Takes what came of one write: nothing special when it is on the disk, or an answer when it was refused. */
export type WriteDone = Done<Answer | undefined>;

/** A write that waits, and who waits for it: nobody for a record. */
interface Waiting {
  readonly write: Write;
  readonly bytes: number;
  readonly done: WriteDone | undefined;
}

interface Pending {
  /** 0 until it is sent for the first time. */
  number: number;
  waiting: Waiting[];
  bytes: number;
}

const written: Outcome<undefined> = { value: undefined };

interface Waiter {
  /** Waits until so many writes are committed. */
  readonly upTo: number;
  /** Called once; with the reason when they could not be, or when writes were lost. */
  readonly done: (failure: FailureError | undefined) => void;
}

/** A batch is sent when the one before is committed, so batches grow with the load; but not beyond this. */
const batchWrites = 2000;
const batchBytes = 4 * 1024 * 1024;
/** A batch that failed is tried again after this, or as soon as somebody flushes. */
const retryMs = 1000;
/** How long a full buffer holds the thread that fills it before it takes the disk for dead. */
const holdMs = 2000;

/**
 * Sends writes to the writer thread in ordered batches, one at a time, and keeps each until it is committed.
 * While the disk is slow, what waits is bounded by holding the thread that adds more. While it fails, who waits for a
 * write is told and the write dropped; what nobody waits for is kept and tried again, and what finds no room any more
 * is lost, counted and reported.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions;
  /** The oldest batch: with the thread, or waiting to be tried again. */
  #head: Pending | undefined;
  #inFlight = false;
  #full: Pending[] = [];
  #open: Pending = emptyBatch();
  #lastNumber = 0;
  #pushed = 0;
  #committed = 0;
  #bytes = 0;
  /** Why the last try failed; until one succeeds. */
  #failure: FailureError | undefined;
  #retry: Timer | undefined;
  /** Holding did not help; until something is committed. */
  #stalled = false;
  #lostInAll = 0;
  readonly #lostSinceFlush = new LossTally();
  readonly #lostUntold = new LossTally();
  #waiters: Waiter[] = [];

  constructor(options: BatchWriterOptions) {
    this.#options = options;
  }

  /** How many writes wait for the disk. */
  get waiting(): number {
    return this.#pushed - this.#committed;
  }

  /** How many writes were lost since the store was opened. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Puts a write into the next batch; {@link send} or {@link hurry} sends it. */
  push(write: Write, bytes: number, done?: WriteDone): void {
    if (this.#isFull() && !this.#makeRoom()) {
      if (done === undefined) this.lose(1, "the buffer was full and the database took nothing");
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
    this.#lostUntold.add(count, why);
  }

  /** Sends the next batch, if the thread is free. */
  send(): void {
    // A loop that never lets go of the event loop gets no messages: look for them.
    if (this.#inFlight) this.#options.thread.poll();
    if (this.#head !== undefined) return;
    const next = this.#full.shift() ?? this.#takeOpen();
    if (next === undefined) return;
    next.number = ++this.#lastNumber;
    this.#post(next);
  }

  /** Sends the next batch, or tries the one again at once that failed: somebody waits. */
  hurry(): void {
    if (this.#failure === undefined) this.send();
    else this.#tryAgain();
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
    // After a failure nobody waits for the batch that is tried again later; but for one that was not tried yet.
    if (this.waiting === 0 || (this.#failure !== undefined && this.#head !== undefined)) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push({ upTo: this.#pushed, done: () => resolve() });
      this.send();
    });
  }

  /** Gives up what is still waiting, and tells what was lost. */
  close(): void {
    this.#retry?.cancel();
    this.#drop(closedFailure());
    this.lose(this.waiting, "the store was closed before writing succeeded");
    this.#tellLoss();
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
    thread.send("commit", { writer: name, number, now: finite(clock.now()), writes }, (outcome) =>
      this.#answered(batch, outcome),
    );
  }

  #answered(batch: Pending, outcome: Outcome<readonly Answer[]>): void {
    this.#inFlight = false;
    if (outcome.failure === undefined) this.#succeeded(batch, outcome.value);
    // Started again, the thread knows by the number whether this batch was committed before it died.
    else if (outcome.failure.reason === "thread_died" && this.#options.thread.alive) this.#post(batch);
    else this.#failed(outcome.failure);
  }

  #succeeded(batch: Pending, answers: readonly Answer[]): void {
    this.#options.thread.proven();
    this.#head = undefined;
    this.#failure = undefined;
    this.#stalled = false;
    this.#committed += batch.waiting.length;
    this.#bytes -= batch.bytes;
    this.#tellLoss();
    this.send();
    tellWaiting(batch, answers);
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
      this.#retry = this.#options.clock.after(retryMs, () => this.#tryAgain());
      this.#retry.hold(false);
    }
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#drop(failure);
    for (const { done } of waiters) done(failure);
  }

  /** Tells everybody who waits for a write that it failed, and forgets those writes: nobody must find them done later. */
  #drop(failure: FailureError): void {
    const told: WriteDone[] = [];
    for (const batch of [this.#head, ...this.#full, this.#open]) {
      if (batch === undefined) continue;
      const dropped = batch.waiting.filter(({ done }) => done !== undefined);
      if (dropped.length === 0) continue;
      batch.waiting = batch.waiting.filter(({ done }) => done === undefined);
      for (const { bytes, done } of dropped) {
        batch.bytes -= bytes;
        this.#bytes -= bytes;
        if (done !== undefined) told.push(done);
      }
      this.#committed += dropped.length;
    }
    if (this.#head?.waiting.length === 0) this.#head = undefined;
    this.#full = this.#full.filter(({ waiting }) => waiting.length > 0);
    for (const done of told) done({ failure });
  }

  #tryAgain(): void {
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
   * Waits for the disk with the whole thread, as a write without a buffer would. Not on a disk that fails: its failure
   * is known, and waiting does not mend it.
   */
  #makeRoom(): boolean {
    this.send();
    while (this.#isFull() && this.#failure === undefined && !this.#stalled) {
      this.#stalled = !this.#options.thread.waitForReply(holdMs);
    }
    return !this.#isFull();
  }

  #tellLoss(): void {
    const failure = this.#lostUntold.take();
    if (failure !== undefined) this.#options.onError(failure);
  }
}

function emptyBatch(): Pending {
  return { number: 0, waiting: [], bytes: 0 };
}

function tellWaiting({ waiting }: Pending, answers: readonly Answer[]): void {
  const byIndex = new Map(answers.map((answer) => [answer[0], answer]));
  for (const [index, { done }] of waiting.entries()) {
    if (done === undefined) continue;
    const answer = byIndex.get(index);
    done(answer === undefined ? written : { value: answer });
  }
}

function bufferFull(): FailureError {
  return fail("too much waits for the database already. Try again when the disk has caught up", {
    code: "store_failed",
    reason: "buffer_full",
  });
}

import { type Clock, type FailureError, type Timer, isFailureError } from "../../base/index.ts";
import { type Pruned, type Retention, checkRetention } from "../../store/index.ts";
import { closedFailure } from "./worker-link.ts";
import type { WriterThread } from "./writer-thread.ts";

const hourMs = 3600 * 1000;

/** Removes old records and runs in small steps, between which the writer thread commits what has come meanwhile. */
export class Pruner {
  readonly #thread: WriterThread;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(thread: WriterThread, clock: Clock) {
    this.#thread = thread;
    this.#clock = clock;
  }

  /** Prunes now, after a pruning that is under way. */
  async prune(retention: Retention): Promise<Pruned> {
    checkRetention(retention);
    const pruned = this.#last.then(() => this.#run(retention));
    this.#last = pruned.catch(() => {});
    return pruned;
  }

  /** Prunes now and every hour. */
  keep(retention: Retention, onError: (failure: FailureError) => void): void {
    this.prune(retention).catch((error: unknown) => {
      if (isFailureError(error) && !this.#closed) onError(error);
    });
    this.#timer = this.#clock.after(hourMs, () => this.keep(retention, onError));
    this.#timer.hold(false);
  }

  /** Ends a pruning after its current step. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#last;
  }

  async #run({ maxAgeMs, maxBytes = Infinity }: Retention): Promise<Pruned> {
    const before = maxAgeMs === undefined ? -Infinity : this.#clock.now() - maxAgeMs;
    // What comes meanwhile is not touched, or a busy store would be pruned for ever.
    const numbers = await this.#thread.call("lastNumbers", null);
    const limits = { before, maxBytes, ...numbers };
    const pruned = { records: 0, runs: 0, bytes: 0 };
    for (let done = false; !done;) {
      const step = await this.#step(() => this.#thread.call("removeOldest", limits));
      pruned.records += step.records;
      pruned.runs += step.runs;
      done = step.done;
    }
    for (let freed = -1; freed !== 0;) {
      freed = await this.#step(() => this.#thread.call("shrink", null));
      pruned.bytes += freed;
    }
    return pruned;
  }

  async #step<T>(step: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedFailure();
    return step();
  }
}

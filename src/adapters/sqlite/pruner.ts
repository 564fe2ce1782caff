import { type Clock, type FailureError, type Timer, isFailureError } from "../../base/index.ts";
import { type Pruned, type Retention, checkRetention } from "../../store/index.ts";
import { closedFailure } from "./worker-link.ts";
import type { WriterThread } from "./writer-thread.ts";

const hourMs = 3600 * 1000;

/** Removes old records in small steps, between which the writer thread commits what has come meanwhile. */
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
    const upTo = await this.#thread.call("lastNumber", null);
    const records = await this.#repeat(() => this.#thread.call("removeOldest", { before, maxBytes, upTo }));
    const bytes = await this.#repeat(() => this.#thread.call("shrink", null));
    return { records, bytes };
  }

  /** Adds up what the steps did, until one finds nothing left to do. */
  async #repeat(step: () => Promise<number>): Promise<number> {
    for (let total = 0; ;) {
      if (this.#closed) throw closedFailure();
      const count = await step();
      if (count === 0) return total;
      total += count;
    }
  }
}

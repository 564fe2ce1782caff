import { type Clock, type FailureError, type Timer, isFailureError } from "../../../base/index.ts";
import { type PruneResult, type Retention, checkRetention } from "../../../store/index.ts";
import { closedFailure } from "../thread/worker-link.ts";
import type { PruneStepSize } from "../thread/worker-ops.ts";
import { rowsPerStep } from "./prune-runs.ts";
import type { WriterThread } from "./writer-thread.ts";

const hourMs = 3600 * 1000;

/** Removes old records and runs in small steps, between which the writer thread commits new writes. */
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

  /** Prunes now, after a pruning in progress. */
  async prune(retention: Retention): Promise<PruneResult> {
    checkRetention(retention);
    const pruned = this.#last.then(() => this.#run(retention));
    this.#last = pruned.catch(() => {});
    return pruned;
  }

  /** Prunes now and every hour. */
  schedule(retention: Retention, onError: (failure: FailureError) => void): void {
    this.prune(retention).catch((error: unknown) => {
      if (isFailureError(error) && !this.#closed) onError(error);
    });
    this.#timer = this.#clock.after(hourMs, () => this.schedule(retention, onError));
    this.#timer.hold(false);
  }

  /** Ends a pruning after its current step. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#last;
  }

  async #run({ maxAgeMs, maxBytes = Infinity }: Retention): Promise<PruneResult> {
    const before = maxAgeMs === undefined ? -Infinity : this.#clock.now() - maxAgeMs;
    // Data added in the meantime is not touched, or pruning a busy store would never end.
    const numbers = await this.#thread.call("lastNumbers", null);
    const limits = { before, maxBytes, ...numbers };
    const pruned = { records: 0, runs: 0, bytes: 0 };
    const steps = new StepSize();
    for (let done = false; !done;) {
      const step = await this.#step(steps, (size) => this.#thread.call("removeOldest", { ...limits, ...size }));
      pruned.records += step.records;
      pruned.runs += step.runs;
      done = step.done;
    }
    for (let freed = -1; freed !== 0;) {
      freed = await this.#step(steps, (size) => this.#thread.call("shrink", size));
      pruned.bytes += freed;
    }
    return pruned;
  }

  async #step<T>(steps: StepSize, step: (size: PruneStepSize) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#closed) throw closedFailure();
      try {
        const result = await step(steps.size);
        steps.succeeded();
        return result;
      } catch (error) {
        if (!isFailureError(error) || error.code !== "store_full" || !steps.shorten()) throw error;
      }
    }
  }
}

/** The size of pruning steps: smaller on a full disk, because removing rows first writes to the log. */
class StepSize {
  #rows = rowsPerStep;
  #isTight = false;

  get size(): PruneStepSize {
    return { rows: this.#rows, isTight: this.#isTight };
  }

  succeeded(): void {
    this.#rows = Math.min(rowsPerStep, this.#rows * 2);
  }

  /** Makes steps smaller; false if they cannot be. */
  shorten(): boolean {
    if (this.#rows === 1 && this.#isTight) return false;
    this.#isTight = true;
    this.#rows = Math.max(1, this.#rows >> 3);
    return true;
  }
}

import type { Clock } from "../../base/index.ts";
import type { RunKindId, RunReader, StoredRun } from "../../store/index.ts";

/** A run that a worker can claim. */
export type ExecutableRun = Pick<StoredRun, "id" | "kind">;

/**
 * Decides who executes a run next: when it is submitted, woken by a decision, a time or a cancellation, or its worker
 * has died. It only offers runs; the claim in the journal decides.
 */
export interface RunDispatcher {
  /** Offers executable runs of these kinds until the signal is aborted. A run that stays executable is offered again. */
  serve(kinds: readonly RunKindId[], offer: (run: ExecutableRun) => void, signal: AbortSignal): Promise<void>;
  /** Called when a run has become executable in this process, so that it is offered at once. */
  notify(): void;
}

/** Interval at which a journal that other processes write to is read. */
const pollMs = 250;

/** Dispatches the runs of a journal on one machine: each worker reads the journal, and its own process notifies it. */
export class LocalDispatcher implements RunDispatcher {
  readonly #journal: Pick<RunReader, "list">;
  readonly #clock: Clock;
  readonly #pollMs: number;
  /** Ends the pause between two reads. */
  #next: (() => void) | undefined;

  constructor(parts: { readonly journal: Pick<RunReader, "list">; readonly clock: Clock; readonly pollMs?: number }) {
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#pollMs = parts.pollMs ?? pollMs;
  }

  async serve(kinds: readonly RunKindId[], offer: (run: ExecutableRun) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // A journal that cannot be read now may be readable later.
      const runs = await this.#journal.list({ executable: true, limit: 1000 }).catch(() => []);
      for (const run of runs) {
        // The run that called it executes it, within its own limits.
        const isOwn = run.calledBy === undefined;
        if (isOwn && kinds.includes(run.kind) && !signal.aborted) offer(run);
      }
      await this.#pause(signal);
    }
  }

  notify(): void {
    this.#next?.();
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", done);
        this.#next = undefined;
        resolve();
      };
      const timer = this.#clock.after(this.#pollMs, done);
      signal.addEventListener("abort", done, { once: true });
      this.#next = done;
      if (signal.aborted) done();
    });
  }
}

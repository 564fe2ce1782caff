import type { Clock } from "../../base/index.ts";
import type { ExecutableRun, RunKindId, RunReader } from "../../store/index.ts";

/** Receives the runs that a dispatcher offers. */
export interface RunOffers {
  offer(run: ExecutableRun): void;
  /** The dispatcher cannot find runs, and tries again; called once for each reason. */
  failed(error: unknown): void;
}

/**
 * Decides who executes a run next: when it is submitted, woken by a decision, a time or a cancellation, or its worker
 * has died. It only offers runs; the claim in the journal decides.
 */
export interface RunDispatcher {
  /** Offers executable runs of these kinds until the signal is aborted. A run that stays executable is offered again. */
  serve(kinds: readonly RunKindId[], to: RunOffers, signal: AbortSignal): Promise<void>;
  /** Called when a run has become executable in this process, so that it is offered at once. */
  notify(): void;
}

/** Interval at which a journal that other processes write to is read. */
const pollMs = 250;
/** Maximum number of runs that are read at once. */
const pageSize = 500;

/** Dispatches the runs of a journal on one machine: each worker reads the journal, and its own process notifies it. */
export class LocalDispatcher implements RunDispatcher {
  readonly #journal: Pick<RunReader, "executable">;
  readonly #clock: Clock;
  readonly #pollMs: number;
  /** Ends the pause between two reads. */
  #next: (() => void) | undefined;

  constructor(parts: {
    readonly journal: Pick<RunReader, "executable">;
    readonly clock: Clock;
    readonly pollMs?: number;
  }) {
    this.#journal = parts.journal;
    this.#clock = parts.clock;
    this.#pollMs = parts.pollMs ?? pollMs;
  }

  async serve(kinds: readonly RunKindId[], to: RunOffers, signal: AbortSignal): Promise<void> {
    let reported: string | undefined;
    while (!signal.aborted) {
      try {
        await this.#offerAll(kinds, to, signal);
        reported = undefined;
      } catch (error) {
        const reason = String(error);
        if (reason !== reported) to.failed(error);
        reported = reason;
      }
      await this.#pause(signal);
    }
  }

  async #offerAll(kinds: readonly RunKindId[], to: RunOffers, signal: AbortSignal): Promise<void> {
    let page: readonly ExecutableRun[];
    let after = 0;
    do {
      page = await this.#journal.executable({ kinds, after, limit: pageSize });
      for (const run of page) {
        if (signal.aborted) return;
        to.offer(run);
        after = run.position;
      }
    } while (page.length === pageSize);
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

import { type Clock, Roster, type Timer } from "../../base/index.ts";
import type { RunJournal, RunOwner } from "../../store/index.ts";

/** A run that this process executes. */
export interface KeptRun {
  readonly runId: string;
  cancelRun(by: string | undefined): void;
  poll(): Promise<void>;
}

/** What a {@link RunKeeper} needs. */
export interface RunKeeperParts {
  readonly journal: Pick<RunJournal, "attend">;
  readonly owner: RunOwner;
  readonly clock: Clock;
  /** How often it looks around; 250 ms where absent. */
  readonly everyMs?: number;
}

/** While this process executes runs: says that it is alive, and hears what other processes want of them. */
export class RunKeeper {
  readonly #parts: RunKeeperParts;
  readonly #runs = new Roster<KeptRun>();
  #timer: Timer | undefined;
  #looking = false;

  constructor(parts: RunKeeperParts) {
    this.#parts = parts;
  }

  add(run: KeptRun): void {
    this.#runs.add(run);
    if (this.#timer === undefined && !this.#looking) this.#schedule();
  }

  remove(run: KeptRun): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    const { clock, everyMs = 250 } = this.#parts;
    this.#timer = clock.after(everyMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { journal, owner } = this.#parts;
    this.#timer = undefined;
    this.#looking = true;
    try {
      const cancelled = await journal.attend(
        owner,
        Array.from(this.#runs, ({ runId }) => runId),
      );
      for (const { runId, by } of cancelled) {
        for (const run of this.#runs) if (run.runId === runId) run.cancelRun(by);
      }
      for (const run of this.#runs) await run.poll();
    } catch {
      // A store that cannot be read says so where it is written to; here the next look may go better.
    }
    this.#looking = false;
    if (this.#runs.size > 0) this.#schedule();
  }
}

import { type Clock, Roster, type Timer, fail } from "../../base/index.ts";
import type { Claim, RunJournal, RunOwner, StoredRun } from "../../store/index.ts";

/** A run that this process executes. */
export interface KeptRun {
  readonly runId: string;
  cancelRun(by: string | undefined): void;
  poll(): Promise<void>;
  /** Begins nothing more: somebody else goes on with it. */
  leave(): void;
  /** Stops what is under way as well. */
  abandon(): void;
}

/** A claim on a run that nobody else executes. */
export type FreeClaim = Exclude<Claim, { readonly kind: "held" }>;

/** How often runs are looked at which others execute. */
const lookMs = 250;

/** What a {@link RunKeeper} needs. */
export interface RunKeeperParts {
  readonly journal: Pick<RunJournal, "attend">;
  readonly owner: RunOwner;
  readonly clock: Clock;
  /** How often it looks around; 250 ms where absent. */
  readonly everyMs?: number;
}

/**
 * The runs of this process. While it executes some, it says that it is alive, and hears what others want of them; when
 * it closes, they are left to whoever comes next.
 */
export class RunKeeper {
  readonly #parts: RunKeeperParts;
  readonly #runs = new Roster<KeptRun>();
  /** Everything that is done for runs, also before one is there and after it ended. */
  readonly #work = new Roster<Promise<unknown>>();
  #timer: Timer | undefined;
  #looking = false;
  #closing = false;

  constructor(parts: RunKeeperParts) {
    this.#parts = parts;
  }

  /** Nothing is to be begun any more. */
  get isClosing(): boolean {
    return this.#closing;
  }

  add(run: KeptRun): void {
    this.#runs.add(run);
    if (this.#closing) run.leave();
    if (this.#timer === undefined && !this.#looking) this.#schedule();
  }

  remove(run: KeptRun): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Cancels a run if this process executes it; false where it does not. */
  cancel(runId: string, by: string | undefined): boolean {
    const own = [...this.#runs].filter((run) => run.runId === runId);
    for (const run of own) run.cancelRun(by);
    return own.length > 0;
  }

  /** What was claimed, as soon as nobody else executes it. */
  async whenFree(claim: () => Promise<Claim>, signal: AbortSignal | undefined): Promise<FreeClaim> {
    for (;;) {
      const claimed = await claim();
      if (claimed.kind !== "held") return claimed;
      if (signal?.aborted === true || this.#closing)
        throw fail("stopped waiting for the run; it goes on", { code: "cancelled" });
      await new Promise<void>((resolve) => this.#parts.clock.after(lookMs, resolve));
    }
  }

  /** For what is to begin: refuses when nothing is to any more. */
  checkOpen(): void {
    if (this.#closing) throw fail("closed: no run is begun here any more", { code: "not_available" });
  }

  /** Closing waits for this work. */
  track<T>(work: Promise<T>): Promise<T> {
    const settled = work.finally(() => this.#work.delete(settled));
    this.#work.add(settled);
    return settled;
  }

  /** Starts nothing more, waits for what is under way so long, and leaves the runs to whoever comes next. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    for (const run of this.#runs) run.leave();
    const timer = this.#parts.clock.after(drainMs, () => {
      for (const run of this.#runs) run.abandon();
    });
    await Promise.allSettled(this.#work);
    timer.cancel();
  }

  #schedule(): void {
    const { clock, everyMs = lookMs } = this.#parts;
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
      for (const { runId, by } of cancelled) this.cancel(runId, by);
      // One that cannot be looked at keeps nobody from hearing of the others.
      for (const run of this.#runs) await run.poll().catch(() => {});
    } catch {
      // A store that cannot be read says so where it is written to; here the next look may go better.
    }
    this.#looking = false;
    if (this.#runs.size > 0) this.#schedule();
  }
}

/** For whoever wants a run that somebody executes. */
export function heldBy({ id, owner }: Pick<StoredRun, "id" | "owner">): Error {
  return fail(`run ${id} is being executed by process ${owner?.pid ?? "?"}`, { code: "run_held" });
}

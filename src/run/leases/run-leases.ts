import { type Clock, type Timer, fail, sleep } from "../../base/index.ts";
import type { Claim, Liveness, RunJournal, StoredRun } from "../../store/index.ts";

/** A run that this process executes. */
export interface LeasedRun {
  readonly runId: string;
  cancelRun(by: string | undefined): void;
  poll(): Promise<void>;
  /** Stops scheduling work so that another process can claim the run. */
  release(): void;
  /** Also aborts the running calls. */
  releaseNow(): void;
}

/** A claim on a run that no other process holds. */
export type AvailableClaim = Exclude<Claim, { readonly kind: "held" }>;

/** Interval at which runs held by other processes are checked. */
const pollIntervalMs = 250;

/** Dependencies of {@link RunLeases}. */
export interface RunLeasesDeps {
  readonly journal: Pick<RunJournal, "changes">;
  readonly liveness: Pick<Liveness, "owner" | "onLost">;
  readonly clock: Clock;
  /** Interval of polls. Default: 250 ms. */
  readonly pollIntervalMs?: number;
}

/**
 * The runs that this process holds. While there are any, it polls for cancellations and decisions from other processes,
 * which is a sign of life; on close, or once other processes consider it gone, it releases them for the next owner.
 *
 * @see docs/guide/durable-runs.md
 */
export class RunLeases {
  readonly #parts: RunLeasesDeps;
  readonly #runs = new SmallSet<LeasedRun>();
  readonly #work = new SmallSet<Promise<unknown>>();
  #timer: Timer | undefined;
  #polling = false;
  readonly #closing = new AbortController();

  /** Set while it holds runs: ends the wait for the loss of its owner. */
  #forgetLoss: (() => void) | undefined;

  constructor(parts: RunLeasesDeps) {
    this.#parts = parts;
  }

  /** Aborted once no run may be started any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  add(run: LeasedRun): void {
    this.#runs.add(run);
    this.#forgetLoss ??= this.#parts.liveness.onLost(() => {
      for (const run of this.#runs) run.releaseNow();
    });
    if (this.closing.aborted) run.release();
    if (this.#timer === undefined && !this.#polling) this.#schedule();
  }

  remove(run: LeasedRun): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#forgetLoss?.();
    this.#forgetLoss = undefined;
  }

  /** Cancels a run if this process holds it; returns false otherwise. */
  cancel(runId: string, by: string | undefined): boolean {
    const own = [...this.#runs].filter((run) => run.runId === runId);
    for (const run of own) run.cancelRun(by);
    return own.length > 0;
  }

  /** Polls a run at once if this process holds it. */
  async pollRun(runId: string): Promise<void> {
    for (const run of this.#runs) if (run.runId === runId) await run.poll().catch(() => {});
  }

  /** Retries the claim until no other process holds the run. */
  async claimWhenFree(claim: () => Promise<Claim>, signal: AbortSignal | undefined): Promise<AvailableClaim> {
    const stopped = signal === undefined ? this.closing : AbortSignal.any([signal, this.closing]);
    for (;;) {
      const claimed = await claim();
      if (claimed.kind !== "held") return claimed;
      await sleep(this.#parts.clock, pollIntervalMs, stopped, () =>
        fail("stopped waiting for the run; it continues in the process that holds it", { code: "cancelled" }),
      );
    }
  }

  /**
   * Does work for a run, from before the run is claimed until it has ended or is released; `close` waits for it. Rejects
   * if no run may be started any more.
   */
  track<T>(work: () => Promise<T>): Promise<T> {
    if (this.closing.aborted)
      return Promise.reject(fail("closed: no run can be started here any more", { code: "not_available" }));
    const settled = work().finally(() => this.#work.delete(settled));
    this.#work.add(settled);
    return settled;
  }

  /** Starts nothing more, waits up to `drainMs` for running calls, and releases the runs for the next lease holder. */
  async close(drainMs: number): Promise<void> {
    this.#closing.abort();
    for (const run of this.#runs) run.release();
    const timer = this.#parts.clock.after(drainMs, () => {
      for (const run of this.#runs) run.releaseNow();
    });
    await Promise.allSettled(this.#work);
    timer.cancel();
  }

  #schedule(): void {
    const { clock, pollIntervalMs: intervalMs = pollIntervalMs } = this.#parts;
    this.#timer = clock.after(intervalMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const { journal, liveness } = this.#parts;
    this.#timer = undefined;
    this.#polling = true;
    try {
      const cancelled = await journal.changes(
        liveness.owner,
        Array.from(this.#runs, ({ runId }) => runId),
      );
      for (const { runId, by } of cancelled) this.cancel(runId, by);
      // A run whose poll fails does not keep the others from being polled.
      for (const run of this.#runs) await run.poll().catch(() => {});
    } catch {
      // A store that cannot be read is reported when it is written to; the next poll may succeed.
    }
    this.#polling = false;
    if (this.#runs.size > 0) this.#schedule();
  }
}

/** Failure for a caller that needs a run which another process holds. */
export function runHeldFailure({ id, leaseHolder }: Pick<StoredRun, "id" | "leaseHolder">): Error {
  return fail(`run ${id} is held by another process${leaseHolder === undefined ? "" : ` (${leaseHolder})`}`, {
    code: "run_held",
  });
}

/**
 * The current items of a collection that changes all the time, and is small enough for a linear search. A `Set`
 * allocates new tables as it changes; each keeps the next one alive, with all former items, until a full garbage
 * collection.
 */
export class SmallSet<T> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  delete(item: T): void {
    const at = this.#items.indexOf(item);
    if (at !== -1) this.#items.splice(at, 1);
  }

  /** Iterates over a snapshot; items may be removed in the meantime. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items].values();
  }
}

/** Returns a caller's run id, or undefined if the caller chose none. Throws if it is not a valid run id. */
export function checkRunId(runId: string | undefined): string | undefined {
  if (runId === undefined || /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(runId)) return runId;
  const shown = JSON.stringify(runId.length > 40 ? `${runId.slice(0, 40).toWellFormed()}…` : runId);
  const message = `${shown} is not a valid run id: it must begin with a letter or digit, and contain only letters, digits and ._-, at most 128`;
  throw fail(message, { code: "validation_error", reason: "bad_run_id" });
}

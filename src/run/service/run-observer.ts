import { fail, raceAbort } from "../../base/index.ts";
import { type RunCursor, type RunReader, type RunUpdate, eventsPerUpdate } from "../../store/index.ts";

/** An observer that waits for news about a run. */
interface Waiter extends PromiseWithResolvers<RunUpdate | undefined> {
  readonly cursor: RunCursor;
  /** The state that it knows. */
  readonly seen: RunUpdate | undefined;
  /** True if the run may have changed since it was read. */
  isDue: boolean;
}

/**
 * Follows runs of a journal. Reads only what is new, once the journal has reported a change, and for all observers in
 * one request. Between two updates, an observer holds nothing.
 */
export class RunObserver {
  readonly #journal: Pick<RunReader, "updates" | "watch">;
  readonly #waiters = new Set<Waiter>();
  #unwatch: (() => void) | undefined;
  #isReading = false;

  constructor(journal: Pick<RunReader, "updates" | "watch">) {
    this.#journal = journal;
  }

  /**
   * The state of a run and its events after the cursor, now and whenever they change. Ends if there is no such run; if
   * the signal is aborted, throws.
   */
  async *follow(from: RunCursor, signal?: AbortSignal): AsyncGenerator<RunUpdate, void, undefined> {
    let cursor = from;
    for (let seen: RunUpdate | undefined; ;) {
      seen = await this.#next(cursor, seen, signal);
      if (seen === undefined) return;
      const last = seen.events.at(-1);
      if (last !== undefined) cursor = { ...cursor, after: last.seq };
      yield seen;
    }
  }

  async #next(
    cursor: RunCursor,
    seen: RunUpdate | undefined,
    signal: AbortSignal | undefined,
  ): Promise<RunUpdate | undefined> {
    const waiter: Waiter = { ...Promise.withResolvers<RunUpdate | undefined>(), cursor, seen, isDue: true };
    this.#waiters.add(waiter);
    this.#unwatch ??= this.#journal.watch((runId) => this.#changed(runId));
    void this.#read();
    try {
      return await raceAbort(waiter.promise, signal, () =>
        fail("stopped waiting for the run; it continues", { code: "cancelled" }),
      );
    } finally {
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0) {
        this.#unwatch?.();
        this.#unwatch = undefined;
      }
    }
  }

  #changed(runId: string | undefined): void {
    for (const waiter of this.#waiters) if (runId === undefined || runId === waiter.cursor.runId) waiter.isDue = true;
    void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // Changes of the same moment are read together.
    await Promise.resolve();
    for (;;) {
      const due = [...this.#waiters].filter(({ isDue }) => isDue);
      if (due.length === 0) break;
      for (const waiter of due) waiter.isDue = false;
      try {
        const updates = await this.#journal.updates(due.map(({ cursor }) => cursor));
        for (const [index, waiter] of due.entries()) {
          if (!isNews(updates[index], waiter.seen)) continue;
          this.#waiters.delete(waiter);
          waiter.resolve(updates[index]);
        }
      } catch (error) {
        for (const waiter of due) waiter.reject(error);
      }
    }
    this.#isReading = false;
  }
}

/** True if these are not all events after the cursor. */
export function hasMore({ events }: RunUpdate): boolean {
  return events.length === eventsPerUpdate;
}

function isNews(update: RunUpdate | undefined, seen: RunUpdate | undefined): boolean {
  if (update === undefined || seen === undefined || update.events.length > 0) return true;
  const { status, epoch, isSuspended } = update;
  // After a full page of events, their end is news.
  return hasMore(seen) || status !== seen.status || epoch !== seen.epoch || isSuspended !== seen.isSuspended;
}

import type { InMemoryRunJournalOptions } from "./in-memory-run-journal-options.ts";
import type { NewRun } from "./run-journal.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";

/** Retains the last finished runs of an in-memory journal, and removes the others. */
export class RetainedRuns {
  readonly #maxFinished: number;
  readonly #maxDetached: number | undefined;
  readonly #unfinished: UnfinishedRuns;
  readonly #forget: (runId: string) => void;
  /** Finished runs, in the order in which they ended. */
  readonly #finished = new Set<string>();
  /** Finished runs that are counted separately. */
  readonly #asides = new Set<string>();
  /** Finished runs by the unfinished run that called them, which may repeat the call on replay. */
  readonly #called = new Map<string, string[]>();

  constructor({ finished = 100, detached, unfinished }: InMemoryRunJournalOptions, forget: (runId: string) => void) {
    this.#maxFinished = checkedCount("finished", finished);
    this.#maxDetached = detached === undefined ? undefined : checkedCount("detached", detached);
    this.#unfinished = unfinished ?? new UnfinishedRuns();
    this.#forget = forget;
  }

  began(runId: string): void {
    this.#unfinished.began(runId);
  }

  /** A finished run continues. */
  reopened(runId: string): void {
    this.#finished.delete(runId);
    this.#asides.delete(runId);
    this.began(runId);
  }

  ended({ id, calledBy, conversation }: NewRun): void {
    this.#unfinished.ended(id);
    const isCalled = calledBy !== undefined && this.#unfinished.has(calledBy);
    if (isCalled && this.#called.get(calledBy)?.push(id) === undefined) this.#called.set(calledBy, [id]);
    const isAside = this.#maxDetached !== undefined && conversation === undefined;
    if (!isCalled) (isAside ? this.#asides : this.#finished).add(id);
    for (const [caller, called] of this.#called) {
      if (this.#unfinished.has(caller)) continue;
      this.#called.delete(caller);
      for (const each of called) this.#finished.add(each);
    }
    this.#forgetFirst(this.#finished, this.#maxFinished);
    this.#forgetFirst(this.#asides, this.#maxDetached ?? 0);
  }

  /** Removes a finished run. */
  remove(runId: string): void {
    this.#finished.delete(runId);
    this.#asides.delete(runId);
    for (const called of this.#called.values()) if (called.includes(runId)) called.splice(called.indexOf(runId), 1);
    this.#forget(runId);
  }

  #forgetFirst(finished: Set<string>, max: number): void {
    for (const first of finished) {
      if (finished.size <= max) break;
      finished.delete(first);
      this.#forget(first);
    }
  }
}

function checkedCount(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${count}`);
}

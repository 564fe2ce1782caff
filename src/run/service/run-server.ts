import { type Clock, LruMap, backoffMs, isFailureError } from "../../base/index.ts";
import type { ExecutableRun } from "../../store/index.ts";
import type { RunOffers } from "./run-dispatcher.ts";

/** Receives the errors of a process that serves runs. */
export type ServeErrorListener = (error: unknown, runId?: string) => void;

/** Dependencies of a {@link RunServer}. */
export interface RunServerDeps {
  /** Executes a run until it has ended or is suspended. */
  readonly execute: (run: ExecutableRun) => Promise<unknown>;
  readonly onError: ServeErrorListener | undefined;
  /** Called when a run that had to wait for another one may begin. */
  readonly onFree: () => void;
  /** Aborted when it stops serving. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** An offered run that could not be executed. */
interface FailedOffer {
  readonly message: string;
  readonly failures: number;
  /** Time of the next attempt, by the elapsed time of the clock. */
  readonly retryAt: number;
}

/** A run may be executable later, for example when its tool is registered again. */
const retries = { firstMs: 1000, maxMs: 60_000, random: () => 1 };
/** From this number of deaths on, a run may be the one that ends the processes, not only one that ends with them. */
const suspectDeaths = 2;
/** A run that has not ended the process by then lets others begin that may do so. */
const suspectMs = 10_000;
/** Of more failed runs, those that failed first are retried at once. */
const maxFailed = 10_000;

/**
 * Executes the runs that are offered to this process. One that fails is reported and retried, less and less often. Runs
 * whose last owners died begin one after the other, so that a run that ends its process does not take the others along
 * until all of them count as runs that do so.
 */
export class RunServer implements RunOffers {
  readonly #parts: RunServerDeps;
  readonly #busy = new Set<string>();
  /** The run that may end this process. */
  #suspect: string | undefined;
  readonly #failed = new LruMap<FailedOffer>({ maxEntries: maxFailed });

  constructor(parts: RunServerDeps) {
    this.#parts = parts;
  }

  offer(run: ExecutableRun): void {
    if (this.#busy.has(run.id)) return;
    const failed = this.#failed.get(run.id);
    if (failed !== undefined && failed.retryAt > this.#parts.clock.elapsed()) return;
    if (run.deaths < suspectDeaths) void this.#execute(run);
    else if (this.#suspect === undefined) void this.#executeSuspect(run);
  }

  async #executeSuspect(run: ExecutableRun): Promise<void> {
    this.#suspect = run.id;
    const proceed = (): void => {
      if (this.#suspect !== run.id) return;
      this.#suspect = undefined;
      this.#parts.onFree();
    };
    const timer = this.#parts.clock.after(suspectMs, proceed);
    await this.#execute(run);
    timer.cancel();
    proceed();
  }

  async #execute(run: ExecutableRun): Promise<void> {
    this.#busy.add(run.id);
    try {
      await this.#parts.execute(run);
      this.#failed.delete(run.id);
    } catch (error) {
      // Another process was faster.
      const isExpected = isFailureError(error) && error.code === "run_held";
      if (!isExpected && !this.#parts.signal.aborted) this.#fail(run.id, error);
    } finally {
      this.#busy.delete(run.id);
    }
  }

  #fail(runId: string, error: unknown): void {
    const before = this.#failed.get(runId);
    const message = messageOf(error);
    const failures = before === undefined ? 0 : before.failures + 1;
    this.#failed.set(runId, { message, failures, retryAt: this.#parts.clock.elapsed() + backoffMs(failures, retries) });
    if (before?.message !== message) this.failed(error, runId);
  }

  /** Reports an error; without a run, runs could not be listed. */
  failed(error: unknown, runId?: string): void {
    const { onError } = this.#parts;
    try {
      if (onError !== undefined) return onError(error, runId);
      const what = runId === undefined ? "runs cannot be listed" : `run ${runId} cannot be executed here`;
      process.emitWarning(`${what}, and will be retried: ${messageOf(error)}`);
    } catch (broke) {
      process.emitWarning(`onError of a process that serves runs threw: ${messageOf(broke)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

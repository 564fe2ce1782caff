import { Deadline } from "../base/index.ts";
import type { AbortCause } from "./handler-failure.ts";
import type { Execution } from "./execution.ts";
import { isChoosingJob } from "./job.ts";

/** The promise that an attempt awaits. */
export interface PendingWork {
  readonly work: PromiseLike<unknown>;
  /** A handler, or the check of its output. */
  readonly source: "handler" | "check";
  /** Start of the attempt, by the clock's elapsed time. */
  readonly since: number;
  /** Called once, with the result of the execution. */
  readonly resolve: (result: unknown) => void;
}

/**
 * An attempt whose handler returned a promise, with its deadline. The deadline aborts the attempt; if the handler then
 * ignores its signal for the grace period, it is abandoned and its late result is dropped.
 *
 * ```
 *   running ──► the cause of an abort, during the grace period ──► settled
 *      └──────────────────────────────────────────────────────────────▲
 * ```
 */
export class PendingAttempt extends Deadline {
  readonly #execution: Execution;
  readonly #resolve: (result: unknown) => void;
  #state: "running" | AbortCause | "settled";
  /** Open elicitations; `#remainingMs` is the time that remains when all are answered. */
  #pendingApprovals = 0;
  #remainingMs = 0;

  constructor(execution: Execution, { work, source, since, resolve }: PendingWork) {
    super();
    const { core, job, cause } = execution;
    this.#execution = execution;
    this.#resolve = resolve;
    // The handler may have caused its own abort before it returned its promise: then only the grace period remains.
    this.#state = cause ?? "running";
    if (cause === undefined) core.deadlines.start(this, job.timeoutMs, since);
    else core.deadlines.start(this, core.limits.graceMs);
    // A foreign promise may settle twice, synchronously, or throw.
    (work instanceof Promise ? work : Promise.resolve(work)).then(
      (value) => {
        if (this.#isRequested(this.#countsLate)) this.#resolve(this.#execution.returned(value, source));
      },
      (error: unknown) => {
        if (this.#isRequested(false)) this.#resolve(this.#execution.threw(error));
      },
    );
  }

  /** The deadline has passed, or the grace period after it. */
  expire(): void {
    if (this.#state === "running") this.#execution.abort("timeout");
    else if (this.#state !== "settled") this.#stop(this.#state, true);
  }

  /** Called after the signal was aborted: the handler has the grace period to settle. */
  aborted(cause: AbortCause): void {
    if (this.#state !== "running") return;
    const { deadlines, limits } = this.#execution.core;
    this.#state = cause;
    deadlines.cancel(this);
    deadlines.start(this, limits.graceMs);
  }

  /** Pauses the deadline until the returned function is called, because a person is answering an elicitation. */
  pause(): () => void {
    const { deadlines, clock } = this.#execution.core;
    if (this.#pendingApprovals++ === 0) this.#remainingMs = Math.max(1, this.dueAt - clock.elapsed());
    if (this.#state === "running") deadlines.cancel(this);
    return () => {
      const isLast = --this.#pendingApprovals === 0;
      if (isLast && this.#state === "running") deadlines.start(this, this.#remainingMs);
    };
  }

  /** True for a composite that chooses: results that some tools returned in time are not lost because others hang. */
  get #countsLate(): boolean {
    return this.#state === "timeout" && isChoosingJob(this.#execution.job);
  }

  /**
   * Settles the attempt and returns true if the value of the handler counts. After an abort it usually counts only that
   * the handler stopped.
   */
  #isRequested(countsLate: boolean): boolean {
    this.#execution.core.deadlines.cancel(this);
    const state = this.#state;
    if (state === "settled") return false;
    this.#state = "settled";
    if (state === "running" || countsLate) return true;
    this.#stop(state, false);
    return false;
  }

  #stop(cause: AbortCause, abandoned: boolean): void {
    this.#state = "settled";
    this.#resolve(this.#execution.stopped(cause, abandoned));
  }
}

type AnyGenerator = AsyncGenerator<unknown, unknown> | Generator<unknown, unknown>;

/** A generator that never awaits would keep all timers from firing, including its own deadline. */
const maxTurnMs = 10;

/** Runs a generator to its end: yielded values are progress, the return value is the output. */
export async function drainGenerator(generator: AnyGenerator, execution: Execution): Promise<unknown> {
  const { clock } = execution.core;
  for (let turnedAt = clock.elapsed(); ;) {
    const step = await generator.next();
    if (step.done === true) return step.value;
    if (execution.cause !== undefined) {
      // Lets its `finally` blocks run; their result is dropped.
      await generator.return(undefined);
      return undefined;
    }
    execution.progress(step.value);
    if (clock.elapsed() - turnedAt < maxTurnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnedAt = clock.elapsed();
  }
}

export function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== "object" || value === null || !("next" in value)) return false;
  return Symbol.asyncIterator in value || Object.prototype.toString.call(value) === "[object Generator]";
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

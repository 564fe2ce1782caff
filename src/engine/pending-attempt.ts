import { Deadline } from "../base/index.ts";
import type { AbortCause } from "./failed-attempt.ts";
import type { Execution } from "./execution.ts";
import { isChoice } from "./job.ts";

/** What an attempt waits for. */
export interface Promised {
  readonly work: PromiseLike<unknown>;
  /** When the attempt began, by the clock's elapsed time. */
  readonly since: number;
  /** Called once, with what the execution makes of the ending. */
  readonly resolve: (result: unknown) => void;
}

/**
 * An attempt whose handler answers later, and its deadline, which aborts it; when the handler then ignores its signal
 * for the grace period, it is left behind and whatever it still gives is dropped.
 */
export class PendingAttempt extends Deadline {
  readonly #execution: Execution;
  readonly #resolve: (result: unknown) => void;
  #settled = false;
  #cause: AbortCause | undefined;
  /** Questions that are open, and the time that is left when they are answered. */
  #questions = 0;
  #left = 0;

  constructor(execution: Execution, { work, since, resolve }: Promised) {
    super();
    const { core, job, cause } = execution;
    this.#execution = execution;
    this.#resolve = resolve;
    // The handler may have caused its own abort before it gave its promise: then only the grace period is left.
    this.#cause = cause;
    if (cause === undefined) core.deadlines.start(this, job.timeoutMs, since);
    else core.deadlines.start(this, core.limits.graceMs);
    // A foreign promise may settle twice, at once, or throw.
    (work instanceof Promise ? work : Promise.resolve(work)).then(
      (value) => {
        if (this.#isWanted(this.#countsLate)) this.#resolve(this.#execution.returned(value));
      },
      (error: unknown) => {
        if (this.#isWanted(false)) this.#resolve(this.#execution.threw(error));
      },
    );
  }

  /** The deadline passed, or the grace period after it. */
  expire(): void {
    if (this.#cause === undefined) this.#execution.abort("timeout");
    else this.#stop(this.#cause, true);
  }

  /** The signal has been aborted; the handler has the grace period to settle. */
  aborted(cause: AbortCause): void {
    if (this.#cause !== undefined) return;
    const { deadlines, limits } = this.#execution.core;
    this.#cause = cause;
    deadlines.cancel(this);
    deadlines.start(this, limits.graceMs);
  }

  /** Lets the time stand still until what it returns is called: a person is being asked. */
  pause(): () => void {
    const { deadlines, clock } = this.#execution.core;
    if (this.#questions++ === 0) this.#left = Math.max(1, this.dueAt - clock.elapsed());
    if (this.#cause === undefined) deadlines.cancel(this);
    return () => {
      const isLast = --this.#questions === 0;
      if (isLast && !this.#settled && this.#cause === undefined) deadlines.start(this, this.#left);
    };
  }

  /** What several tools gave before the time was over is not lost because others of them hang. */
  get #countsLate(): boolean {
    return this.#cause === "timeout" && isChoice(this.#execution.job);
  }

  /** The handler is through. What it gave counts, unless it was told to stop: then, most often, only that it did. */
  #isWanted(countsLate: boolean): boolean {
    this.#execution.core.deadlines.cancel(this);
    if (this.#cause !== undefined && !countsLate) this.#stop(this.#cause, false);
    const first = !this.#settled;
    this.#settled = true;
    return first;
  }

  #stop(cause: AbortCause, abandoned: boolean): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#resolve(this.#execution.stopped(cause, abandoned));
  }
}

type AnyGenerator = AsyncGenerator<unknown, unknown> | Generator<unknown, unknown>;

/** A generator that waits for nothing would keep every timer from firing, its own deadline among them. */
const longestTurnMs = 10;

/** Runs a generator to its end; what it yields is progress, what it returns the output. */
export async function drain(generator: AnyGenerator, execution: Execution): Promise<unknown> {
  const { clock } = execution.core;
  for (let turnedAt = clock.elapsed(); ;) {
    const step = await generator.next();
    if (step.done === true) return step.value;
    if (execution.cause !== undefined) {
      // Lets its `finally` blocks run; what they give is not wanted any more.
      await generator.return(undefined);
      return undefined;
    }
    execution.progress(step.value);
    if (clock.elapsed() - turnedAt < longestTurnMs) continue;
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

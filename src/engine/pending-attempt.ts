import { Deadline } from "../base/index.ts";
import type { AbortCause } from "./failed-attempt.ts";
import type { Execution } from "./execution.ts";

/** How a promised attempt ended. */
export type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  /** Told to stop; `abandoned` when the handler did not, within the grace period. */
  | { readonly kind: "stopped"; readonly cause: AbortCause; readonly abandoned: boolean };

/** What an attempt waits for. */
export interface Promised {
  readonly work: PromiseLike<unknown>;
  /** When the attempt began, by the clock's elapsed time. */
  readonly since: number;
  /** Called once, with what the execution makes of the ending; absent where nobody waits for a promise. */
  readonly resolve: ((result: unknown) => void) | undefined;
}

/**
 * An attempt whose handler answers later, and its deadline, which aborts it; when the handler then ignores its signal
 * for the grace period, it is left behind and whatever it still gives is dropped.
 */
export class PendingAttempt extends Deadline {
  readonly #execution: Execution;
  readonly #resolve: ((result: unknown) => void) | undefined;
  #settled = false;
  #cause: AbortCause | undefined;

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
      (value) => this.#end({ kind: "returned", value }),
      (error: unknown) => this.#end({ kind: "threw", error }),
    );
  }

  /** The deadline passed, or the grace period after it. */
  expire(): void {
    if (this.#cause === undefined) this.#execution.abort("timeout");
    else this.#settle({ kind: "stopped", cause: this.#cause, abandoned: true });
  }

  /** The signal has been aborted; the handler has the grace period to settle. */
  aborted(cause: AbortCause): void {
    if (this.#cause !== undefined) return;
    const { deadlines, limits } = this.#execution.core;
    this.#cause = cause;
    deadlines.cancel(this);
    deadlines.start(this, limits.graceMs);
  }

  #end(ending: Ending): void {
    this.#execution.core.deadlines.cancel(this);
    this.#settle(this.#cause === undefined ? ending : { kind: "stopped", cause: this.#cause, abandoned: false });
  }

  #settle(ending: Ending): void {
    if (this.#settled) return;
    this.#settled = true;
    const result = this.#execution.attemptEnded(ending);
    this.#resolve?.(result);
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

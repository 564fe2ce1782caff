import type { Failure } from "../../base/index.ts";
import type { Condition, Scope } from "../../expr/index.ts";
import type { Frame } from "./frame.ts";
import type { StepEntry } from "./frame-steps.ts";
import type { Evaluable } from "./run.ts";
import type { StepState } from "./step-state.ts";

/** One item of a `for_each`. */
export interface Item {
  readonly index: number;
  readonly item: unknown;
}

/** What the expressions of an item see. Written out, and always of one shape: there is one for every item of a list. */
export function itemScope({ input, steps, context, env, run }: Scope, { item, index }: Item): Scope {
  return { input, steps, context, env, run, item, index, error: undefined };
}

/** What the expressions of a step see while it goes on: its item, its round, its last output, its failure. */
export class StepView {
  readonly #frame: Frame;
  readonly #state: StepState;
  readonly #item: Item | undefined;
  /** How the step itself looks; undefined until there is something to see. */
  entry: StepEntry | undefined = undefined;

  constructor(frame: Frame, state: StepState, item: Item | undefined) {
    this.#frame = frame;
    this.#state = state;
    this.#item = item;
  }

  evaluate(what: Evaluable, now: ViewedAt): unknown {
    const scope = this.#scope(now);
    const evaluate = (): unknown => this.#frame.run.evaluate(this.#state, what, scope);
    return this.entry === undefined ? evaluate() : this.#showing(this.entry, evaluate);
  }

  holds(condition: Condition, now: ViewedAt): boolean {
    const scope = this.#scope(now);
    const holds = (): boolean => this.#frame.run.holds(this.#state, condition, scope);
    return this.entry === undefined ? holds() : this.#showing(this.entry, holds);
  }

  #showing<T>(entry: StepEntry, look: () => T): T {
    return this.#frame.scope.steps.showing(this.#state.step.id, entry, look);
  }

  /** Of the same shape as that of an item. What is undefined is missing. */
  #scope({ round, error }: ViewedAt): Scope {
    const { input, steps, context, env, run } = this.#frame.scope;
    const repeats = this.#item === undefined && this.#state.step.repeat !== undefined;
    const item = this.#item?.item;
    const index = repeats ? round : this.#item?.index;
    const failed = error && { code: error.code, message: error.message, retry: error.retry };
    return { input, steps, context, env, run, item, index, error: failed };
  }
}

/** When the step is looked at. */
export interface ViewedAt {
  /** Of `repeat`, from 0. */
  readonly round: number;
  /** What it failed with, for expressions about failures. */
  readonly error?: Failure | undefined;
}

import type { Failure } from "../../base/index.ts";
import type { Condition, Scope } from "../../expr/index.ts";
import type { ChainFrame } from "./chain-frame.ts";
import type { StepScopeEntry } from "./frame-steps.ts";
import type { Evaluable } from "./chain-run.ts";
import type { StepState } from "./step-state.ts";

/** One item of a `for_each`. */
export interface Item {
  readonly index: number;
  readonly item: unknown;
}

/** Scope of the expressions of an item. Written out, and always of one shape: there is one for every item of a list. */
export function itemScope({ input, steps, context, env, run }: Scope, { item, index }: Item): Scope {
  return { input, steps, context, env, run, item, index, error: undefined };
}

/** The running step as its expressions see it: its item, its round, its last output, its failure. */
export class StepView {
  readonly #frame: ChainFrame;
  readonly #state: StepState;
  readonly #item: Item | undefined;
  /** The step's own entry; undefined until there is something to see. */
  entry: StepScopeEntry | undefined = undefined;

  constructor(frame: ChainFrame, state: StepState, item: Item | undefined) {
    this.#frame = frame;
    this.#state = state;
    this.#item = item;
  }

  evaluate(value: Evaluable, now: ViewedAt): unknown {
    const scope = this.#scope(now);
    const evaluate = (): unknown => this.#frame.run.evaluate(this.#state, value, scope);
    return this.entry === undefined ? evaluate() : this.#showing(this.entry, evaluate);
  }

  holds(condition: Condition, now: ViewedAt): boolean {
    const scope = this.#scope(now);
    const holds = (): boolean => this.#frame.run.holds(this.#state, condition, scope);
    return this.entry === undefined ? holds() : this.#showing(this.entry, holds);
  }

  #showing<T>(entry: StepScopeEntry, look: () => T): T {
    return this.#frame.scope.steps.showing(this.#state.step.id, entry, look);
  }

  /** Has the same shape as the scope of an item. Undefined entries are missing. */
  #scope({ round, error }: ViewedAt): Scope {
    const { input, steps, context, env, run } = this.#frame.scope;
    const repeats = this.#item === undefined && this.#state.step.repeat !== undefined;
    const item = this.#item?.item;
    const index = repeats ? round : this.#item?.index;
    const failed = error && { code: error.code, message: error.message, retry: error.retry };
    return { input, steps, context, env, run, item, index, error: failed };
  }
}

/** The moment at which expressions see the step. */
export interface ViewedAt {
  /** Round of `repeat`, from 0. */
  readonly round: number;
  /** Its failure, for expressions about failures. */
  readonly error?: Failure | undefined;
}

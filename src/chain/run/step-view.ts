import type { Failure } from "../../base/index.ts";
import type { Condition, Scope } from "../../expr/index.ts";
import type { Frame, StepEntry } from "./frame.ts";
import type { Evaluable } from "./run.ts";
import type { StepState } from "./step-state.ts";

/** One item of a `for_each`. */
export interface Item {
  readonly index: number;
  readonly item: unknown;
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
    const before = this.#show();
    try {
      return this.#frame.run.evaluate(this.#state, what, this.#scope(now));
    } finally {
      this.#unshow(before);
    }
  }

  holds(condition: Condition, now: ViewedAt): boolean {
    const before = this.#show();
    try {
      return this.#frame.run.holds(this.#state, condition, this.#scope(now));
    } finally {
      this.#unshow(before);
    }
  }

  #show(): StepEntry | undefined {
    const { steps } = this.#frame.scope;
    const { id } = this.#state.step;
    const before = steps[id];
    if (this.entry !== undefined) steps[id] = this.entry;
    return before;
  }

  #unshow(before: StepEntry | undefined): void {
    const { steps } = this.#frame.scope;
    const { id } = this.#state.step;
    if (before === undefined) delete steps[id];
    else steps[id] = before;
  }

  #scope({ round, error }: ViewedAt): Scope {
    const { scope } = this.#frame;
    const turn = this.#item ?? (this.#state.step.repeat === undefined ? undefined : { index: round });
    if (turn === undefined && error === undefined) return scope;
    return {
      ...scope,
      ...turn,
      ...(error !== undefined && { error: { code: error.code, message: error.message, retry: error.retry } }),
    };
  }
}

/** When the step is looked at. */
export interface ViewedAt {
  /** Of `repeat`, from 0. */
  readonly round: number;
  /** What it failed with, for expressions about failures. */
  readonly error?: Failure | undefined;
}

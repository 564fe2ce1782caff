import { StepTable } from "../../expr/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { StepState, StepStatus } from "./step-state.ts";

/** Fields of a step that an expression sees. */
export interface StepScopeEntry {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** The steps of a chain as expressions see them: finished ones, and the visible part of a running one. */
export class FrameSteps extends StepTable {
  readonly #plan: Plan;
  readonly #states: readonly StepState[];
  /** The step that was read last: parameters mostly read one step several times. */
  #last: StepState | undefined = undefined;
  #shownId: string | undefined = undefined;
  #shown: StepScopeEntry | undefined = undefined;

  constructor(plan: Plan, states: readonly StepState[]) {
    super();
    this.#plan = plan;
    this.#states = states;
  }

  entry(id: string): StepScopeEntry | undefined {
    if (id === this.#shownId) return this.#shown;
    const state = this.#stateOf(id);
    if (state === undefined || !isOver(state.status)) return undefined;
    const { status, output, error } = state;
    if (error === undefined) return output === undefined ? { status } : { status, output };
    return { status, output, error: { code: error.code, message: error.message } };
  }

  output(id: string): unknown {
    if (id === this.#shownId) return this.#shown?.output;
    const state = this.#stateOf(id);
    return state !== undefined && isOver(state.status) ? state.output : undefined;
  }

  /** While `look` runs, expressions see the step with this entry. */
  showing<T>(id: string, entry: StepScopeEntry, look: () => T): T {
    this.#shownId = id;
    this.#shown = entry;
    try {
      return look();
    } finally {
      this.#shownId = undefined;
      this.#shown = undefined;
    }
  }

  #stateOf(id: string): StepState | undefined {
    if (this.#last?.step.id === id) return this.#last;
    const step = this.#plan.byId.get(id);
    return step && (this.#last = this.#states[step.index]);
  }
}

function isOver(status: StepStatus): boolean {
  return status !== "pending" && status !== "running" && status !== "waiting";
}

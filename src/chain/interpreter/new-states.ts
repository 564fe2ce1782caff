import type { PlanStep } from "../plan/plan.ts";
import type { ItemState, StepState, StepStatus } from "./step-state.ts";

// These are classes, because V8 allocates a literal in the old generation if earlier objects of that literal survived
// collections, as the states of long runs do. Every result written to a state would then be noted for the collector,
// and what it refers to would stay in memory until a full collection, even after the run: that doubled the cost of a
// step. Instances of classes always begin in the young generation.

/** Initial state of a step. */
export class NewStepState implements StepState {
  readonly step: PlanStep;
  readonly path: string;
  status: StepStatus = "pending";
  startedAt = 0;
  endedAt = 0;
  attempts = 0;
  input: unknown = undefined;
  output: unknown = undefined;
  error: StepState["error"] = undefined;
  cached = false;
  iterations = 0;
  workMs = 0;

  constructor(step: PlanStep, path: string) {
    this.step = step;
    this.path = path;
  }
}

/** Initial state of an item of a `for_each`. */
export class NewItemState implements ItemState {
  status: StepStatus = "pending";
  attempts = 0;
  durationMs = 0;
  workedFrom: number | undefined = undefined;
  endedAt: number | undefined = undefined;
}

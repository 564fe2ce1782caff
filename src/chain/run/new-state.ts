import type { PlanStep } from "../plan/plan.ts";
import type { StepState } from "./step-state.ts";

/** A step of which nothing is known yet. */
export function newState(step: PlanStep, path: string): StepState {
  return {
    step,
    path,
    status: "pending",
    startedAt: 0,
    endedAt: 0,
    attempts: 0,
    input: undefined,
    output: undefined,
    error: undefined,
    cached: false,
    iterations: 0,
    workMs: 0,
  };
}

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
    skip: undefined,
    cached: false,
    fallbackTool: undefined,
    failures: undefined,
    items: undefined,
    iterations: 0,
    children: undefined,
    approvalId: undefined,
    questions: undefined,
    workMs: 0,
    missing: undefined,
    facts: undefined,
    compensation: undefined,
  };
}

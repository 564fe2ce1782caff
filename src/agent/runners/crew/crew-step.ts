import type { Failure } from "../../../base/index.ts";
import type { TurnRef } from "../../events/agent-event.ts";
import type { Verification } from "../../verify/verification.ts";

/** State of one step while the crew works on it. */
export class CrewStepState {
  readonly step: CrewStep;
  /** The steps whose results it needs. */
  readonly bases: readonly CrewStepState[];
  outcome: StepOutcome | undefined = undefined;
  /** Failure of the step, or of its last attempt. */
  error: Failure | undefined = undefined;
  /** The name of the planned tool, once it was resolved. */
  tried: string | undefined = undefined;
  /** No other tool may replace the planned one. */
  isBeyondTools = false;
  #rounds = 0;

  constructor(step: CrewStep, bases: readonly CrewStepState[]) {
    this.step = step;
    this.bases = bases;
  }

  /** The next position in the run. */
  turnRef(): TurnRef {
    return { part: this.step.id, round: ++this.#rounds };
  }
}

/** Method of a step: the tool that the plan names, another tool with the same capability, or reasoning. */
type StepMethod = "tool" | "capability" | "reasoning";

/** Outcome of a step. */
export interface StepOutcome {
  readonly by: StepMethod;
  /** Name of the called tool; absent if there was no call. */
  readonly tool?: string;
  /** Short form for the answer. */
  readonly text: string;
  /** Form for dependent steps: longer, and with instructions to read all of it. */
  readonly view: string;
  /** It succeeded with an empty result. */
  readonly isEmpty: boolean;
  readonly verification: Verification;
}

/** Difficulty of a step, as estimated by the planner. */
export type Complexity = "low" | "medium" | "high";

/** One step of a crew's plan. */
export interface CrewStep {
  /** `step-1`, `step-2`, …, in the order of the plan; also the part of the run in its events. */
  readonly id: string;
  readonly description: string;
  /** The tool that the planner chose, which may not exist; `none` for reasoning without a tool. */
  readonly toolType: string;
  /** Ids of the steps whose results it needs. */
  readonly dependencies: readonly string[];
  readonly complexity: Complexity;
  /** Arguments suggested by the planner. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Tool name of a step without a tool. */
export const noTool = "none";

import type { Failure } from "../../../base/index.ts";
import type { TurnRef } from "../../events/agent-event.ts";
import type { CrewStep } from "./plan/crew-step.ts";
import type { StepOutcome } from "./step-outcome.ts";

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

import type { Failure } from "../../../base/index.ts";
import type { Place } from "../../agent-event.ts";
import type { CrewStep } from "./plan/crew-step.ts";
import type { StepOutcome } from "./step-outcome.ts";

/** What is known of one step while the crew works on it. */
export class StepWork {
  readonly step: CrewStep;
  /** The steps whose results it needs. */
  readonly bases: readonly StepWork[];
  outcome: StepOutcome | undefined = undefined;
  /** Why it, or what was tried last for it, came to nothing. */
  error: Failure | undefined = undefined;
  /** The name of the tool that the plan names, once it was found. */
  tried: string | undefined = undefined;
  /** Nothing else can stand in for the tool. */
  isBeyondTools = false;
  #rounds = 0;

  constructor(step: CrewStep, bases: readonly StepWork[]) {
    this.step = step;
    this.bases = bases;
  }

  /** The next place in the run. */
  place(): Place {
    return { part: this.step.id, round: ++this.#rounds };
  }
}

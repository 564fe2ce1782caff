import type { PartlyDone } from "./partly-done.ts";
import type { StepStatus } from "./step-state.ts";
import type { Unit } from "./unit.ts";

/** Whoever wants a unit of work done. */
export interface UnitOwner {
  /** `output` where it ended well. */
  unitEnded(unit: Unit, status: StepStatus, output: unknown): void;
  /** Some of its work is done, or may be: should it not end well, that has to be undone all the same. */
  didPart(unit: Unit, done: PartlyDone): void;
}

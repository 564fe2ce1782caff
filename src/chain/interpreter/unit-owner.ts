import type { PartlyDone } from "./partial-work.ts";
import type { StepStatus } from "./step-state.ts";
import type { Unit } from "./unit.ts";

/** Owner of a unit of work. */
export interface UnitOwner {
  /** `output` if it succeeded. */
  unitEnded(unit: Unit, status: StepStatus, output: unknown): void;
  /** Some of its work is done, or may be: it has to be compensated even if the unit does not succeed. */
  didPart(unit: Unit, done: PartlyDone): void;
}

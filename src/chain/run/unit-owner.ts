import type { PartlyDone } from "./partly-done.ts";
import type { Unit } from "./unit.ts";

/** Whoever wants a unit of work done. */
export interface UnitOwner {
  unitEnded(unit: Unit): void;
  /** Some of its work is done, or may be: should it not end well, that has to be undone all the same. */
  didPart(unit: Unit, done: PartlyDone): void;
}

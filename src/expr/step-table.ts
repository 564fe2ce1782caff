import { brandOf } from "../base/index.ts";
import { missing } from "./missing.ts";
import type { Walk } from "./path-steps.ts";

/**
 * Steps of a run by id, for callers that do not store them as an object, because new ones appear all the time. Only
 * paths that name a step see its contents.
 */
export abstract class StepTable {
  /** The view of a step for expressions; undefined while there is none. */
  abstract entry(id: string): unknown;

  /** The `output` of the step, which most expressions use. */
  abstract output(id: string): unknown;
}

const isBranded = brandOf(StepTable, "step_table");

/** True for a {@link StepTable}, of this or another copy of Windlass. The mark is looked up only if it is of another copy. */
export function isStepTable(value: unknown): value is StepTable {
  return value instanceof StepTable || isBranded(value);
}

/** Walks from `steps` to the step of this name; `walk` does so if they are an object. */
export function stepWalk(id: string, walk: Walk): Walk {
  return (steps, frame) => {
    if (!(steps instanceof StepTable)) return walk(steps, frame);
    const entry = steps.entry(id);
    return entry === undefined ? missing : entry;
  };
}

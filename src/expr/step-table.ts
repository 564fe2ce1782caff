import { missing } from "./missing.ts";
import type { Walk } from "./walk.ts";

/**
 * The steps of a run by their ids, for whoever does not keep them as an object: in a run there is a new one every
 * moment. Only paths that name a step see what is in it.
 */
export abstract class StepTable {
  /** What expressions see of a step; undefined while there is nothing to see. */
  abstract entry(id: string): unknown;

  /** The `output` of that, which is what most expressions are after. */
  abstract output(id: string): unknown;
}

/** From `steps` to the one of this name; `walk` does so where they are an object. */
export function stepWalk(id: string, walk: Walk): Walk {
  return (steps, frame) => {
    if (!(steps instanceof StepTable)) return walk(steps, frame);
    const entry = steps.entry(id);
    return entry === undefined ? missing : entry;
  };
}

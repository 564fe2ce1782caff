import { brandOf } from "../base/index.ts";

/** Every name an expression may start with. */
export const rootNames = [
  "input",
  "steps",
  "env",
  "context",
  "secret",
  "item",
  "index",
  "run",
  "error",
  "event",
] as const;

/** One of {@link rootNames}. */
export type RootName = (typeof rootNames)[number];

/** Root name -> value, as JSON data. An absent or undefined root or property is missing. */
export type Scope = Readonly<Partial<Record<RootName, unknown>>>;

/** The value of a path that leads nowhere. It is not `null`: null is data, missing is the lack of it. */
export const missing: unique symbol = Symbol.for("windlass.missing");

/** The type of {@link missing}. */
export type Missing = typeof missing;

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

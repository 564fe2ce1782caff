import { type Failure, failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import type { CallWork } from "../../run/index.ts";
import type { PlanStep, RepeatPlan } from "../plan/plan.ts";
import type { Evaluable } from "./chain-run.ts";
import type { ItemState, StepState, StepStatus } from "./step-state.ts";
import type { Item } from "./step-view.ts";

// These are classes, because V8 allocates a literal in the old generation if earlier objects of that literal survived
// collections, as the states of long runs do. Every result written to a state would then be noted for the collector,
// and what it refers to would stay in memory until a full collection, even after the run: that doubled the cost of a
// step. Instances of classes always begin in the young generation.

/** Initial state of a step. */
export class NewStepState implements StepState {
  readonly step: PlanStep;
  readonly path: string;
  status: StepStatus = "pending";
  startedAt = 0;
  endedAt = 0;
  attempts = 0;
  input: unknown = undefined;
  output: unknown = undefined;
  error: StepState["error"] = undefined;
  cached = false;
  iterations = 0;
  workMs = 0;

  constructor(step: PlanStep, path: string) {
    this.step = step;
    this.path = path;
  }
}

/** Initial state of an item of a `for_each`. */
export class NewItemState implements ItemState {
  status: StepStatus = "pending";
  attempts = 0;
  durationMs = 0;
  startedAt = 0;
  workedFrom: number | undefined = undefined;
  endedAt: number | undefined = undefined;
}

/** The lifetime and the key with which a step's call is answered from the cache. */
export function resolveStepCache(
  { ttlMs, key }: NonNullable<PlanStep["cache"]>,
  evaluate: (key: Evaluable) => unknown,
): CallWork["cache"] {
  const value = key === undefined ? undefined : evaluate(key);
  return { ttlMs, key: value === missing ? undefined : value };
}

/** Reason why there is no further round after this number of rounds and this time; undefined if there is one. */
export function loopLimit(repeat: RepeatPlan, rounds: number, durationMs: number): Failure | undefined {
  const { max, maxDurationMs, delayMs, until } = repeat;
  const late = maxDurationMs !== undefined && durationMs + delayMs > maxDurationMs;
  if (!late && rounds < max) return undefined;
  const limit = late ? `${maxDurationMs} ms` : `${max} rounds`;
  return failure("loop_exhausted", `until did not hold within ${limit}: ${until.text}`);
}

/** Position inside the step: item, round, fallback. */
export function unitSuffix(item: Item | undefined, round: number, fallback: number): string {
  if (item === undefined && round === 0 && fallback < 0) return "";
  const at = `${item === undefined ? "" : `[${item.index}]`}${round === 0 ? "" : `~${round}`}`;
  return fallback < 0 ? at : `${at}!${fallback + 1}`;
}

/** The key of a call at this position of a step; `calls` counts the calls made there. */
export function stepCallKey({ id, firstKey }: PlanStep, suffix: string, calls: number): string {
  return calls === 1 && suffix === id ? firstKey : `${suffix}#${calls}`;
}

/** The field of an event that names its item. */
export function itemField(item: Item | undefined): { readonly item?: number } {
  return item === undefined ? {} : { item: item.index };
}

import { type Failure, failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import type { StepWork } from "../../run/index.ts";
import type { PlanStep, RepeatPlan } from "../plan/plan.ts";
import type { Evaluable } from "./chain-run.ts";
import type { Item } from "./step-view.ts";

/** The lifetime and the key with which a step's call is answered from the cache. */
export function resolveStepCache(
  { ttlMs, key }: NonNullable<PlanStep["cache"]>,
  evaluate: (key: Evaluable) => unknown,
): StepWork["cache"] {
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

import { missing } from "../../expr/index.ts";
import type { StepWork } from "../host/host.ts";
import type { PlanStep } from "../plan/plan.ts";
import type { Evaluable } from "./run.ts";

/** How long, and by which key, a step's call is answered from the cache. */
export function cacheOf(
  { ttlMs, key }: NonNullable<PlanStep["cache"]>,
  evaluate: (key: Evaluable) => unknown,
): StepWork["cache"] {
  const value = key === undefined ? undefined : evaluate(key);
  return { ttlMs, key: value === missing ? undefined : value };
}

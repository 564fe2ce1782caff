import { type Failure, failure } from "../../base/index.ts";
import type { RepeatPlan } from "../plan/plan.ts";

/** Why there is no further round after so many in so much time; undefined when there is one. */
export function loopLimit(repeat: RepeatPlan, rounds: number, durationMs: number): Failure | undefined {
  const { max, maxDurationMs, delayMs, until } = repeat;
  const late = maxDurationMs !== undefined && durationMs + delayMs > maxDurationMs;
  if (!late && rounds < max) return undefined;
  const limit = late ? `${maxDurationMs} ms` : `${max} rounds`;
  return failure("loop_exhausted", `until did not hold within ${limit}: ${until.text}`);
}

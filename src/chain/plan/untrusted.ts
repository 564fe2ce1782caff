import { outsideTarget } from "./outside-target.ts";
import type { Plan } from "./plan.ts";
import { type MarkedValues, ValueFlow } from "./value-flow.ts";

/**
 * The values of a chain that come from the world outside, directly or through other steps: somebody else decides what
 * is in them. `inputs` names those of its inputs that do.
 */
export function untrusted(plan: Plan, inputs: Iterable<string> | "all" = []): MarkedValues {
  const flow = new ValueFlow(plan);
  return flow.from([...outsideSteps(flow), ...(inputs === "all" ? flow.usedInputs() : inputs)]);
}

/** Places of the steps that bring in what somebody else decides, as far as anything is made of it. */
export function outsideSteps(flow: ValueFlow): readonly number[] {
  return flow.usedSteps().flatMap((step) => (outsideTarget(step) === undefined ? [] : [step.index]));
}

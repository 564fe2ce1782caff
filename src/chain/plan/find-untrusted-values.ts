import { untrustedTarget } from "./untrusted-target.ts";
import type { Plan } from "./plan.ts";
import { type MarkedValues, ValueFlow } from "./value-flow.ts";

/**
 * The untrusted values of a chain, direct or through other steps: their content is controlled by others. `inputs` names
 * its untrusted inputs.
 */
export function findUntrustedValues(plan: Plan, inputs: Iterable<string> | "all" = []): MarkedValues {
  const flow = new ValueFlow(plan);
  return flow.from([...untrustedSteps(flow), ...(inputs === "all" ? flow.usedInputs() : inputs)]);
}

/** Indexes of the steps that bring in untrusted content that another value uses. */
export function untrustedSteps(flow: ValueFlow): readonly number[] {
  return flow.usedSteps().flatMap((step) => (untrustedTarget(step) === undefined ? [] : [step.index]));
}

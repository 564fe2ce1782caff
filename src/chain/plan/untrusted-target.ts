import { calledPlan, type PossibleCall, targetEffect } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { type MarkedValues, ValueFlow } from "./value-flow.ts";

/**
 * The tool that makes the output of a step untrusted: any that is neither pure nor trusted, including those of a chain
 * that it calls. Undefined if there is none: then the output is trusted if the parameters are.
 */
export function untrustedTarget(step: PlanStep): Target | undefined {
  for (const { target, params } of outputsOf(step)) {
    const found = target.chain === undefined ? isUntrustedCall({ target, params }) : untrustedCallInChain(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The calls whose results may be the step's output; a compensation has none. */
function outputsOf({ target, params, onFailure }: PlanStep): readonly PossibleCall[] {
  return [{ target, params }, ...onFailure.fallback];
}

function isUntrustedCall({ target, params }: PossibleCall): Target | undefined {
  return target.trusted === true || targetEffect(target, params) === "pure" ? undefined : target;
}

/** By the specs of the plans: a dry run creates a new plan whenever a chain is called. */
const known = new WeakMap<ChainSpec, Target | "none">();

function untrustedCallInChain(target: Target): Target | undefined {
  const root = calledPlan(target);
  // Its content is unknown.
  if (root === undefined) return target;
  const before = known.get(root.spec);
  if (before !== undefined) return before === "none" ? undefined : before;
  const found = search(root);
  known.set(root.spec, found ?? "none");
  return found;
}

function search(root: Plan): Target | undefined {
  const plans = new Map([[root.spec, root]]);
  for (const { steps } of plans.values()) {
    for (const call of steps.flatMap(outputsOf)) {
      const called = calledPlan(call.target);
      if (called !== undefined) {
        if (!plans.has(called.spec)) plans.set(called.spec, called);
      } else if (isUntrustedCall(call) !== undefined) return call.target;
    }
  }
  return undefined;
}

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

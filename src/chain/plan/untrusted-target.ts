import { calledPlan } from "./called-plan.ts";
import { type PossibleCall, targetEffect } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ChainSpec } from "./spec.ts";

/**
 * The tool through which the world outside has a say in what a step gives: any that is not pure and that nobody
 * vouches for, in a chain that it calls too. Undefined where there is none: then the step is as good as its parameters.
 */
export function outsideTarget(step: PlanStep): Target | undefined {
  for (const { target, params } of outputsOf(step)) {
    const found = target.chain === undefined ? outside({ target, params }) : outsideInChain(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The calls whose results may be the step's; what undoes it gives nothing. */
function outputsOf({ target, params, onFailure }: PlanStep): readonly PossibleCall[] {
  return [{ target, params }, ...onFailure.fallback];
}

function outside({ target, params }: PossibleCall): Target | undefined {
  return target.trusted === true || targetEffect(target, params) === "pure" ? undefined : target;
}

/** By what the plans were made of: a dry run makes a plan of its own whenever a chain is called. */
const known = new WeakMap<ChainSpec, Target | "none">();

function outsideInChain(target: Target): Target | undefined {
  const root = calledPlan(target);
  // Nobody knows what is in it.
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
      } else if (outside(call) !== undefined) return call.target;
    }
  }
  return undefined;
}

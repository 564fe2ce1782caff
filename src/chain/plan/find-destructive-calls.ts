import { calledPlan } from "./called-plan.ts";
import { CalledChainSearch, type ReachedCall, callsWithoutApproval } from "./called-chain-search.ts";
import { isDestructive } from "./chain-effect.ts";
import type { Plan, PlanStep } from "./plan.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { type PlannedCall, callsOfStep } from "./planned-calls.ts";
import { untrustedSteps } from "./find-untrusted-values.ts";
import type { MarkedPart } from "./value-flow.ts";

/** A destructive call. */
export interface DestructiveCall {
  readonly tool: string;
  readonly step: string;
  /** The chain that the step is in; undefined for the chain that is being checked. */
  readonly chain: string | undefined;
}

/** Untrusted content that reaches a destructive call within a chain. */
export interface TaintedDestructiveCall {
  readonly call: DestructiveCall;
  /** The step of that chain that it comes from. */
  readonly source: PlanStep;
}

/** Finds destructive calls without an approval that untrusted values reach, also in the chains that are called. */
export class DestructiveCallFinder {
  readonly #search = new CalledChainSearch(destructiveCall);
  // By the specs of the plans: a dry run creates a new plan whenever a chain is called.
  readonly #within = new Map<ChainSpec, TaintedDestructiveCall | "none">();

  /** The destructive call that a part of a call's parameters reaches, if any. */
  of(call: PlannedCall, part: MarkedPart, at: Pick<ReachedCall, "plan" | "isStrict">): DestructiveCall | undefined {
    return this.#search.of(call, part, at);
  }

  /** The first destructive call of a chain, or of a chain that it calls; strict chains have been checked already. */
  within(root: Plan): TaintedDestructiveCall | undefined {
    const before = this.#within.get(root.spec);
    if (before !== undefined) return before === "none" ? undefined : before;
    const plans = new Map([[root.spec, { plan: root, name: root.name }]]);
    for (const { plan, name } of plans.values()) {
      if (plan.taint === "strict") continue;
      const found = this.#directCalls(plan, name);
      if (found !== undefined) {
        this.#within.set(root.spec, found);
        return found;
      }
      for (const { target } of plan.steps.flatMap(callsOfStep)) {
        const called = calledPlan(target);
        if (called !== undefined && !plans.has(called.spec))
          plans.set(called.spec, { plan: called, name: target.name });
      }
    }
    // All chains that one of them calls are included.
    for (const spec of plans.keys()) this.#within.set(spec, "none");
    return undefined;
  }

  #directCalls(plan: Plan, name: string): TaintedDestructiveCall | undefined {
    const flow = this.#search.flowOf(plan);
    const values = flow.from(untrustedSteps(flow));
    for (const [call, part] of callsWithoutApproval(values)) {
      const harm = this.of(call, part, { plan, isStrict: true });
      const source = typeof part.origin === "number" ? plan.steps[part.origin] : undefined;
      if (harm !== undefined && source !== undefined) return { call: { ...harm, chain: harm.chain ?? name }, source };
    }
    return undefined;
  }
}

function destructiveCall({
  call: { target, params, step },
  chain,
  isStrict,
}: ReachedCall): DestructiveCall | undefined {
  return isStrict && isDestructive(target, params) ? { tool: target.name, step: step.id, chain } : undefined;
}

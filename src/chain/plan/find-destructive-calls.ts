import { calledPlan } from "./called-plan.ts";
import { isDestructive } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ChainSpec } from "./chain-spec.ts";
import { type PlannedCall, callsOfStep } from "./planned-calls.ts";
import { untrustedSteps } from "./find-untrusted-values.ts";
import { type MarkedPart, type MarkedValues, ValueFlow } from "./value-flow.ts";

/** A destructive call. */
export interface DestructiveCall {
  readonly tool: string;
  readonly step: string;
  /** The chain that the step is in; undefined for the chain that is being checked. */
  readonly chain: string | undefined;
}

/** Untrusted value for an input of a chain. */
interface Arrival {
  readonly plan: Plan;
  /** Name of the chain in the step that calls it. */
  readonly name: string;
  readonly input: string;
  /** A chain on the path is strict. */
  readonly isStrict: boolean;
}

/** Untrusted content that reaches a destructive call within a chain. */
export interface TaintedDestructiveCall {
  readonly call: DestructiveCall;
  /** The step of that chain that it comes from. */
  readonly source: PlanStep;
}

/** Follows values into the chains that are called, up to destructive calls without an approval. */
export class DestructiveCallFinder {
  // By the specs of the plans: a dry run creates a new plan whenever a chain is called.
  readonly #flows = new Map<ChainSpec, ValueFlow>();
  readonly #arrivals = new Map<ChainSpec, Map<string, DestructiveCall | "none">>();
  readonly #within = new Map<ChainSpec, TaintedDestructiveCall | "none">();

  /** The destructive call that a part of a call's parameters reaches, if any. */
  of({ target, params, step }: PlannedCall, part: MarkedPart, isStrict: boolean): DestructiveCall | undefined {
    if (target.tool !== undefined) {
      const isHarm = isStrict && isDestructive(target, params);
      return isHarm ? { tool: target.name, step: step.id, chain: undefined } : undefined;
    }
    const start = arrivalAt(target, part, isStrict);
    return start === undefined ? undefined : this.#reached(start);
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
    const flow = this.#flowOf(plan);
    const values = flow.from(untrustedSteps(flow));
    for (const [call, part] of callsWithoutApproval(values)) {
      const harm = this.of(call, part, true);
      const source = typeof part.origin === "number" ? plan.steps[part.origin] : undefined;
      if (harm !== undefined && source !== undefined) return { call: { ...harm, chain: harm.chain ?? name }, source };
    }
    return undefined;
  }

  /** Follows every path: chains may call each other in cycles, so only the results of a complete search are cached. */
  #reached(start: Arrival): DestructiveCall | undefined {
    const before = this.#knownOf(start);
    if (before !== undefined) return before === "none" ? undefined : before;
    const seen = new Map<ChainSpec, Set<string>>();
    const open = [start];
    for (const arrival of open) {
      const inputs = seen.get(arrival.plan.spec) ?? new Set();
      seen.set(arrival.plan.spec, inputs);
      if (inputs.has(keyOf(arrival)) || this.#knownOf(arrival) === "none") continue;
      inputs.add(keyOf(arrival));
      const found = this.#step(arrival, open);
      if (found === undefined) continue;
      this.#keep(start, found);
      return found;
    }
    for (const arrival of open) this.#keep(arrival, "none");
    return undefined;
  }

  /**
   * The destructive call in the chain itself; if there is none, the chains that get the value from it are still to be
   * followed.
   */
  #step({ plan, name, input, isStrict: before }: Arrival, open: Arrival[]): DestructiveCall | undefined {
    const isStrict = before || plan.taint === "strict";
    for (const [call, part] of callsWithoutApproval(this.#flowOf(plan).from([input]))) {
      const { target, params, step } = call;
      if (isStrict && target.tool !== undefined && isDestructive(target, params)) {
        return { tool: target.name, step: step.id, chain: name };
      }
      const next = arrivalAt(target, part, isStrict);
      if (next !== undefined) open.push(next);
    }
    return undefined;
  }

  #flowOf(plan: Plan): ValueFlow {
    const flow = this.#flows.get(plan.spec) ?? new ValueFlow(plan);
    this.#flows.set(plan.spec, flow);
    return flow;
  }

  #knownOf(arrival: Arrival): DestructiveCall | "none" | undefined {
    return this.#arrivals.get(arrival.plan.spec)?.get(keyOf(arrival));
  }

  #keep(arrival: Arrival, harm: DestructiveCall | "none"): void {
    const known = this.#arrivals.get(arrival.plan.spec) ?? new Map<string, DestructiveCall | "none">();
    known.set(keyOf(arrival), harm);
    this.#arrivals.set(arrival.plan.spec, known);
  }
}

function keyOf({ input, isStrict }: Arrival): string {
  return `${isStrict ? "!" : "?"}${input}`;
}

/** Calls with some of these values in them that need no approval. */
function* callsWithoutApproval(values: MarkedValues): Generator<readonly [PlannedCall, MarkedPart]> {
  for (const step of values.users()) {
    for (const call of callsOfStep(step)) {
      if (call.isApproved) continue;
      for (const part of values.partsOf(call.params, step)) yield [call, part];
    }
  }
}

function arrivalAt(target: Target, { reference }: MarkedPart, isStrict: boolean): Arrival | undefined {
  const plan = calledPlan(target);
  const [input] = reference.valuePath;
  return plan === undefined || input === undefined
    ? undefined
    : { plan, name: target.name, input: String(input), isStrict };
}

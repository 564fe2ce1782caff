import { calledPlan } from "./called-plan.ts";
import { isDestructive } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";
import type { ChainSpec } from "./spec.ts";
import { type StepCall, callsOfStep } from "./step-calls.ts";
import { outsideSteps } from "./untrusted.ts";
import { type MarkedPart, type MarkedValues, ValueFlow } from "./value-flow.ts";

/** A call that may do harm. */
export interface Harm {
  readonly tool: string;
  readonly step: string;
  /** The chain that the step is in; undefined for the one that is looked at. */
  readonly chain: string | undefined;
}

/** What a chain gets for one of its inputs. */
interface Arrival {
  readonly plan: Plan;
  /** What the chain is called where it is called. */
  readonly name: string;
  readonly input: string;
  /** A chain on the way is strict. */
  readonly isStrict: boolean;
}

/** Something from outside that reaches harm within a chain. */
export interface HarmWithin {
  readonly harm: Harm;
  /** The step of that chain from which it comes. */
  readonly source: PlanStep;
}

/** Follows values into the chains that are called, up to calls that may do harm and that nobody is asked about. */
export class HarmFinder {
  // By what the plans were made of: a dry run makes a plan of its own whenever a chain is called.
  readonly #flows = new Map<ChainSpec, ValueFlow>();
  readonly #arrivals = new Map<ChainSpec, Map<string, Harm | "none">>();
  readonly #within = new Map<ChainSpec, HarmWithin | "none">();

  /** The harm that a part of a call's parameters can do, if any. */
  of({ target, params, step }: StepCall, part: MarkedPart, isStrict: boolean): Harm | undefined {
    if (target.tool !== undefined) {
      const isHarm = isStrict && isDestructive(target, params);
      return isHarm ? { tool: target.name, step: step.id, chain: undefined } : undefined;
    }
    const start = arrivalAt(target, part, isStrict);
    return start === undefined ? undefined : this.#reached(start);
  }

  /** The first harm that a chain does on its own, or one that it calls; those that are strict have been looked at. */
  within(root: Plan): HarmWithin | undefined {
    const before = this.#within.get(root.spec);
    if (before !== undefined) return before === "none" ? undefined : before;
    const plans = new Map([[root.spec, { plan: root, name: root.name }]]);
    for (const { plan, name } of plans.values()) {
      if (plan.taint === "strict") continue;
      const found = this.#ownHarm(plan, name);
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
    // Whatever one of them calls is among them.
    for (const spec of plans.keys()) this.#within.set(spec, "none");
    return undefined;
  }

  #ownHarm(plan: Plan, name: string): HarmWithin | undefined {
    const flow = this.#flowOf(plan);
    const values = flow.from(outsideSteps(flow));
    for (const [call, part] of unasked(values)) {
      const harm = this.of(call, part, true);
      const source = typeof part.origin === "number" ? plan.steps[part.origin] : undefined;
      if (harm !== undefined && source !== undefined) return { harm: { ...harm, chain: harm.chain ?? name }, source };
    }
    return undefined;
  }

  /** Whatever way it takes: chains may call each other in circles, so only what a whole search found out is kept. */
  #reached(start: Arrival): Harm | undefined {
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

  /** The harm in the chain itself; where there is none, what arrives at other chains from it is still to be followed. */
  #step({ plan, name, input, isStrict: before }: Arrival, open: Arrival[]): Harm | undefined {
    const isStrict = before || plan.taint === "strict";
    for (const [call, part] of unasked(this.#flowOf(plan).from([input]))) {
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

  #knownOf(arrival: Arrival): Harm | "none" | undefined {
    return this.#arrivals.get(arrival.plan.spec)?.get(keyOf(arrival));
  }

  #keep(arrival: Arrival, harm: Harm | "none"): void {
    const known = this.#arrivals.get(arrival.plan.spec) ?? new Map<string, Harm | "none">();
    known.set(keyOf(arrival), harm);
    this.#arrivals.set(arrival.plan.spec, known);
  }
}

function keyOf({ input, isStrict }: Arrival): string {
  return `${isStrict ? "!" : "?"}${input}`;
}

/** Calls with something of these values in them that no person sees before. */
function* unasked(values: MarkedValues): Generator<readonly [StepCall, MarkedPart]> {
  for (const step of values.users()) {
    for (const call of callsOfStep(step)) {
      if (call.isAsked) continue;
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

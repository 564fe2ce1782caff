import { calledPlan } from "./chain-effect.ts";
import type { ChainSpec } from "./chain-spec.ts";
import type { Plan, Target } from "./plan.ts";
import { type PlannedCall, callsOfStep } from "./planned-calls.ts";
import { type MarkedPart, type MarkedValues, ValueFlow } from "./value-flow.ts";

/** A call of a tool that a value reaches. */
export interface ReachedCall {
  readonly call: PlannedCall;
  /** The part of its parameters that has the value. */
  readonly part: MarkedPart;
  readonly plan: Plan;
  /** Name of the called chain that makes the call; undefined for the chain in which the search began. */
  readonly chain: string | undefined;
  /** A chain on the path is strict. */
  readonly isStrict: boolean;
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

/** Follows values into the chains that are called, up to the first call without an approval that `match` accepts. */
export class CalledChainSearch<T extends object> {
  readonly #match: (reached: ReachedCall) => T | undefined;
  // By the specs of the plans: a dry run creates a new plan whenever a chain is called.
  readonly #flows = new Map<ChainSpec, ValueFlow>();
  readonly #arrivals = new Map<ChainSpec, Map<string, T | "none">>();

  constructor(match: (reached: ReachedCall) => T | undefined) {
    this.#match = match;
  }

  /** Returns the match that a part of a call's parameters reaches: the call itself, or one in the chain that it calls. */
  of(call: PlannedCall, part: MarkedPart, { plan, isStrict }: Pick<ReachedCall, "plan" | "isStrict">): T | undefined {
    if (call.target.tool !== undefined) return this.#match({ call, part, plan, isStrict, chain: undefined });
    const start = arrivalAt(call.target, part, isStrict);
    return start === undefined ? undefined : this.#reached(start);
  }

  flowOf(plan: Plan): ValueFlow {
    const flow = this.#flows.get(plan.spec) ?? new ValueFlow(plan);
    this.#flows.set(plan.spec, flow);
    return flow;
  }

  /** Follows every path: chains may call each other in cycles, so only the results of a complete search are cached. */
  #reached(start: Arrival): T | undefined {
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

  /** Returns the match in the chain itself; without one, the chains that get the value from it are added to `open`. */
  #step({ plan, name, input, isStrict: before }: Arrival, open: Arrival[]): T | undefined {
    const isStrict = before || plan.taint === "strict";
    for (const [call, part] of callsWithoutApproval(this.flowOf(plan).from([input]))) {
      const found =
        call.target.tool === undefined ? undefined : this.#match({ call, part, plan, isStrict, chain: name });
      if (found !== undefined) return found;
      const next = arrivalAt(call.target, part, isStrict);
      if (next !== undefined) open.push(next);
    }
    return undefined;
  }

  #knownOf(arrival: Arrival): T | "none" | undefined {
    return this.#arrivals.get(arrival.plan.spec)?.get(keyOf(arrival));
  }

  #keep(arrival: Arrival, found: T | "none"): void {
    const known = this.#arrivals.get(arrival.plan.spec) ?? new Map<string, T | "none">();
    known.set(keyOf(arrival), found);
    this.#arrivals.set(arrival.plan.spec, known);
  }
}

function keyOf({ input, isStrict }: Arrival): string {
  return `${isStrict ? "!" : "?"}${input}`;
}

/** Calls with some of these values in them that need no approval. */
export function* callsWithoutApproval(values: MarkedValues): Generator<readonly [PlannedCall, MarkedPart]> {
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

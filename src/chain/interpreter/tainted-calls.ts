import { calledPlan } from "../plan/called-plan.ts";
import type { Plan, Target } from "../plan/plan.ts";
import { type StepCall, callsOfStep } from "../plan/step-calls.ts";
import { untrusted } from "../plan/untrusted.ts";
import type { MarkedValues } from "../plan/value-flow.ts";
import { callOfKey, sameInEveryRun } from "./step-of-key.ts";

/** What is known of a call that a step may make. */
interface KnownCall {
  readonly target: Target;
  /** The parameters that come from outside. */
  readonly names: readonly string[];
}

/**
 * The calls that a chain, and those that it calls, make with text from outside, by their keys in the
 * journal. It follows from the plan alone: whoever takes a run over comes to the same.
 */
export class OutsideCalls {
  readonly #plan: Plan;
  readonly #inputs: readonly string[] | "all";
  /** Worked out for the first call: most runs call no composites. */
  #values: MarkedValues | undefined;
  /** By what is the same in all items, rounds and attempts. */
  readonly #calls = new Map<string, KnownCall | undefined>();

  private constructor(plan: Plan, inputs: readonly string[] | "all") {
    this.#plan = plan;
    this.#inputs = inputs;
  }

  /** Those of a plan; `inputs` names what the chain is given and comes from outside. Made once for all its runs. */
  static of(plan: Plan, inputs: readonly string[] | "all" = []): OutsideCalls {
    const ofPlan = known.get(plan) ?? new Map<string, OutsideCalls>();
    known.set(plan, ofPlan);
    const key = JSON.stringify(inputs);
    const calls = ofPlan.get(key) ?? new OutsideCalls(plan, inputs);
    ofPlan.set(key, calls);
    return calls;
  }

  has(key: string): boolean {
    const end = key.indexOf("/");
    const call = this.#callAt(end < 0 ? key : key.slice(0, end));
    // Nobody knows what it is made with.
    if (call === undefined) return true;
    if (end < 0) return call.names.length > 0;
    const called = calledPlan(call.target);
    return called === undefined || OutsideCalls.of(called, call.names).has(key.slice(end + 1));
  }

  #callAt(part: string): KnownCall | undefined {
    const place = sameInEveryRun(part);
    if (this.#calls.has(place)) return this.#calls.get(place);
    const call = this.#find(place);
    const made = call === undefined ? undefined : this.#look(call);
    this.#calls.set(place, made);
    return made;
  }

  #find(place: string): StepCall | undefined {
    const { id, call } = callOfKey(place);
    const step = this.#plan.byId.get(id);
    if (step === undefined) return undefined;
    const [first, ...others] = callsOfStep(step);
    if (call === "tool") return first;
    if (call === "undo") return others.find(({ role }) => role === "compensate");
    return others.filter(({ role }) => role === "fallback")[call - 1];
  }

  #look({ step, target, params }: StepCall): KnownCall {
    this.#values ??= untrusted(this.#plan, this.#inputs);
    const parts = this.#values.partsOf(params, step);
    const names = new Set(parts.map(({ reference }) => String(reference.valuePath[0])));
    return { target, names: [...names].toSorted() };
  }
}

const known = new WeakMap<Plan, Map<string, OutsideCalls>>();

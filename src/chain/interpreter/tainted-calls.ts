import type { UntrustedArguments } from "../../engine/index.ts";
import type { TargetKind } from "../../tool/index.ts";
import { calledPlan } from "../plan/chain-effect.ts";
import type { Plan, Target } from "../plan/plan.ts";
import { type PlannedCall, callsOfStep, writtenParams } from "../plan/planned-calls.ts";
import { findUntrustedValues } from "../plan/untrusted-target.ts";
import type { MarkedValues } from "../plan/value-flow.ts";
import { callOfKey, stableKeyPart } from "./parse-step-key.ts";

/** Facts about a call that a step may make. */
interface KnownCall {
  readonly target: Target;
  /** The untrusted parameters. */
  readonly names: readonly string[];
  /** A person sees its arguments first. */
  readonly isApproved: boolean;
  readonly untrusted: UntrustedArguments;
}

const allUntrusted: UntrustedArguments = { parameters: "all" };

/**
 * The tainted calls of a chain and of the chains that it calls, by their journal keys. They follow from the plan alone:
 * another process that claims the run gets the same.
 */
export class TaintedCalls {
  readonly #plan: Plan;
  readonly #inputs: readonly string[] | "all";
  /** Computed for the first call: most runs call no composites. */
  #values: MarkedValues | undefined;
  /** By the part of the key that is the same in all items, rounds and attempts. */
  readonly #calls = new Map<string, KnownCall | undefined>();

  private constructor(plan: Plan, inputs: readonly string[] | "all") {
    this.#plan = plan;
    this.#inputs = inputs;
  }

  /** The tainted calls of a plan; `inputs` names the untrusted inputs of the chain. Computed once for all its runs. */
  static of(plan: Plan, inputs: readonly string[] | "all" = []): TaintedCalls {
    const ofPlan = known.get(plan) ?? new Map<string, TaintedCalls>();
    known.set(plan, ofPlan);
    const key = JSON.stringify(inputs);
    const calls = ofPlan.get(key) ?? new TaintedCalls(plan, inputs);
    ofPlan.set(key, calls);
    return calls;
  }

  has(key: string): boolean {
    const end = key.indexOf("/");
    const call = this.#callAt(end < 0 ? key : key.slice(0, end));
    // Its arguments are unknown.
    if (call === undefined) return true;
    if (end < 0) return call.names.length > 0;
    const called = calledPlan(call.target);
    return called === undefined || TaintedCalls.of(called, call.names).has(key.slice(end + 1));
  }

  /** The untrusted content in the arguments of a call, unless a person approves them. */
  argumentsOf(key: string): UntrustedArguments {
    const end = key.indexOf("/");
    const call = this.#callAt(end < 0 ? key : key.slice(0, end));
    if (call === undefined) return allUntrusted;
    if (end < 0) return call.untrusted;
    const called = calledPlan(call.target);
    if (called === undefined) return allUntrusted;
    return TaintedCalls.of(called, call.isApproved ? [] : call.names).argumentsOf(key.slice(end + 1));
  }

  #callAt(part: string): KnownCall | undefined {
    const unitSuffix = stableKeyPart(part);
    if (this.#calls.has(unitSuffix)) return this.#calls.get(unitSuffix);
    const call = this.#find(unitSuffix);
    const made = call === undefined ? undefined : this.#look(call);
    this.#calls.set(unitSuffix, made);
    return made;
  }

  #find(unitSuffix: string): PlannedCall | undefined {
    const { id, call } = callOfKey(unitSuffix);
    const step = this.#plan.byId.get(id);
    if (step === undefined) return undefined;
    const [first, ...others] = callsOfStep(step);
    if (call === "tool") return first;
    if (call === "undo") return others.find(({ role }) => role === "compensate");
    return others.filter(({ role }) => role === "fallback")[call - 1];
  }

  #look(call: PlannedCall): KnownCall {
    const { step, target, params, isApproved } = call;
    this.#values ??= findUntrustedValues(this.#plan, this.#inputs);
    const parts = this.#values.partsOf(params, step);
    const names = [...new Set(parts.map(({ reference }) => String(reference.valuePath[0])))].toSorted();
    const written = isApproved ? {} : writtenParams(call, this.#plan);
    const texts = names.map((name) => [name, written[name]] as const);
    const allowed = Object.keys(step.spec.untrusted ?? {}) as TargetKind[];
    return { target, names, isApproved, untrusted: { parameters: new Map(isApproved ? [] : texts), allowed } };
  }
}

const known = new WeakMap<Plan, Map<string, TaintedCalls>>();

import type { CompiledValue } from "../expr/index.ts";
import type { AnyTool } from "../tool/index.ts";
import type { Plan, Target } from "./plan/plan.ts";

/** Tools, secrets, environment variables and chains of a plan and of the chains that it calls. */
interface PlanReach {
  /** Every tool, as of the time of planning. */
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly usesSecrets: boolean;
  /** Declared environment variables. */
  readonly envNames: ReadonlySet<string>;
  /** Every chain that may be called, by the name that is used for it. */
  readonly chains: ReadonlyMap<string, Plan>;
}

const known = new WeakMap<Plan, PlanReach>();

/** Returns what a plan may reach; computed once for each plan. */
export function reachOf(plan: Plan): PlanReach {
  const before = known.get(plan);
  if (before !== undefined) return before;
  const tools = new Map<string, AnyTool>();
  const chains = new Map<string, Plan>();
  // By their source: a dry plan creates new plans of the chains that it calls on every access.
  const plans = new Map([[plan.spec, plan]]);
  for (const next of plans.values()) {
    for (const { tool, chain, name } of targetsOf(next)) {
      if (tool !== undefined) tools.set(name, tool);
      else if (chain !== undefined) {
        const called = chain();
        if (!plans.has(called.spec)) plans.set(called.spec, called);
        chains.set(name, called);
      }
    }
  }
  const now = {
    tools,
    chains,
    usesSecrets: [...plans.values()].some((each) => valuesOf(each).some(({ secrets }) => secrets.length > 0)),
    envNames: new Set([...plans.values()].flatMap(({ env }) => env)),
  };
  known.set(plan, now);
  return now;
}

/** Names of the secrets that the steps of a plan pass on. */
export function secretNamesOf(plan: Plan): ReadonlySet<string> {
  return new Set(valuesOf(plan).flatMap(({ secrets }) => secrets.map(({ name }) => name)));
}

/** Every value of a plan in which a secret may be passed on. */
function valuesOf({ steps, output }: Plan): CompiledValue[] {
  const values = output === undefined ? [] : [output];
  for (const { params, forEach, onFailure, compensate } of steps) {
    values.push(params, ...onFailure.fallback.map((entry) => entry.params));
    if (forEach !== undefined) values.push(forEach.items);
    if (compensate !== undefined) values.push(compensate.params);
  }
  return values;
}

/** All direct callees of the steps of a plan. */
export function targetsOf(plan: Plan): Target[] {
  return plan.steps.flatMap(({ target, onFailure, compensate, wait }) => [
    ...(wait === undefined ? [target] : []),
    ...onFailure.fallback.map((entry) => entry.target),
    ...(compensate === undefined ? [] : [compensate.target]),
  ]);
}

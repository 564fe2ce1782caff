import type { AnyTool } from "../tool/index.ts";
import type { Plan, Target } from "./plan/plan.ts";

const known = new WeakMap<Plan, ReadonlyMap<string, AnyTool>>();

/** Every tool that a plan and the chains it calls may use, as they were when it was planned. */
export function toolsOf(plan: Plan): ReadonlyMap<string, AnyTool> {
  const before = known.get(plan);
  if (before !== undefined) return before;
  const tools = new Map<string, AnyTool>();
  const seen = new Set<Plan>([plan]);
  for (const next of seen) {
    for (const { tool, chain, name } of targetsOf(next)) {
      if (tool !== undefined) tools.set(name, tool);
      else if (chain !== undefined) seen.add(chain());
    }
  }
  known.set(plan, tools);
  return tools;
}

/** Everything that the steps of a plan call, directly. */
export function targetsOf(plan: Plan): Target[] {
  const targets: Target[] = [];
  for (const { target, onFailure, compensate } of plan.steps) {
    targets.push(target, ...onFailure.fallback.map((entry) => entry.target));
    if (compensate !== undefined) targets.push(compensate.target);
  }
  return targets;
}

import { calledPlan } from "./chain-effect.ts";
import type { Plan, PlanStep } from "./plan.ts";

/** A cycle through which a chain calls itself. */
export interface ChainCycle {
  /** Index of the step with which it begins. */
  readonly step: number;
  /** From the chain back to it. */
  readonly names: readonly string[];
}

interface Visit {
  readonly name: string;
  readonly plan: Plan;
  /** The visit from which it was reached. */
  readonly from: Visit | undefined;
  /** Index of the step of the first chain that leads here. */
  readonly step: number;
}

/** The shortest path on which a chain calls itself although no condition may stop it, if there is one. */
export function findChainCycle(plan: Plan): ChainCycle | undefined {
  const seen = new Set<string>();
  const start: Visit = { name: plan.name, plan, from: undefined, step: -1 };
  const open = [start];
  for (let at = 0; at < open.length; at++) {
    const visit = open[at] ?? start;
    for (const { index, target } of certainSteps(visit.plan)) {
      if (target.chain === undefined) continue;
      const step = visit === start ? index : visit.step;
      if (target.name === plan.name) return { step, names: [...namesTo(visit), plan.name] };
      if (seen.has(target.name)) continue;
      seen.add(target.name);
      const called = calledPlan(target);
      if (called !== undefined) open.push({ name: target.name, plan: called, from: visit, step });
    }
  }
  return undefined;
}

function namesTo(end: Visit): string[] {
  const names: string[] = [];
  for (let visit: Visit | undefined = end; visit !== undefined; visit = visit.from) names.unshift(visit.name);
  return names;
}

/** Steps that run whenever all steps succeed: no step on the path to them may be skipped. */
function certainSteps({ steps }: Plan): readonly PlanStep[] {
  if (!steps.some(({ target }) => target.chain !== undefined)) return [];
  const doubtful = new Set<number>();
  const open = steps.flatMap(({ index, condition }) => (condition === undefined ? [] : [index]));
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (doubtful.has(index)) continue;
    doubtful.add(index);
    for (const dependent of steps[index]?.dependents ?? []) {
      if (steps[dependent]?.reads.includes(index) === true) open.push(dependent);
    }
  }
  // A list may be empty; steps that wait for this one then continue anyway.
  return steps.filter(({ index, forEach }) => forEach === undefined && !doubtful.has(index));
}

import { calledPlan, callsOf } from "./chain-effect.ts";
import type { Plan } from "./plan.ts";

/** Maximum number of chains that may run inside of each other, the outermost included. */
export const maxChainDepth = 128;

const known = new WeakMap<Plan, number>();

interface Visit {
  readonly plan: Plan;
  /** Chains that are still to be visited. */
  readonly open: Plan[];
  /** Depth of the deepest chain that it calls. */
  below: number;
}

/**
 * Number of chains that may run inside of each other when this one runs, itself included; not counted beyond {@link
 * maxChainDepth}. A chain that calls itself counts once: its depth is known only at run time. Without recursion: chains
 * may be generated.
 */
export function chainDepth(plan: Plan): number {
  const way = new Set<Plan>([plan]);
  const visits: Visit[] = [visit(plan)];
  let depth = 0;
  for (let current = visits.at(-1); current !== undefined; current = visits.at(-1)) {
    const next = current.open.pop();
    if (next === undefined) {
      depth = current.below + 1;
      known.set(current.plan, depth);
      way.delete(current.plan);
      visits.pop();
      const caller = visits.at(-1);
      if (caller !== undefined) caller.below = Math.max(caller.below, depth);
    } else if (!way.has(next)) {
      const before = known.get(next);
      if (before === undefined) {
        way.add(next);
        if (way.size > maxChainDepth) return way.size;
        visits.push(visit(next));
      } else current.below = Math.max(current.below, before);
    }
  }
  return depth;
}

function visit(plan: Plan): Visit {
  const called = new Set<Plan>();
  for (const { target } of callsOf(plan.steps)) {
    const plan = calledPlan(target);
    if (plan !== undefined) called.add(plan);
  }
  return { plan, open: [...called], below: 0 };
}

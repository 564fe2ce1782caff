import { callsOf } from "./chain-effect.ts";
import type { Plan } from "./plan.ts";

/** So many chains may run inside of each other, the outermost included. */
export const maxChainDepth = 128;

const known = new WeakMap<Plan, number>();

interface Visit {
  readonly plan: Plan;
  /** Chains that are still to be looked into. */
  readonly open: Plan[];
  /** Of the deepest chain that it calls. */
  below: number;
}

/**
 * How many chains may run inside of each other when this one runs, itself included; beyond {@link maxChainDepth} nobody
 * counts. A chain that calls itself counts once: how deep it goes is for the run to say. Without recursion: chains may
 * be generated.
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
    if (target.chain === undefined) continue;
    try {
      called.add(target.chain());
    } catch {
      // What is wrong with it is told where it is planned.
    }
  }
  return { plan, open: [...called], below: 0 };
}

import { formatPath } from "../../base/index.ts";
import type { Reference } from "../../expr/index.ts";
import { targetEffect } from "./chain-effect.ts";
import type { Plan, PlanStep, Target } from "./plan.ts";

/**
 * Parameters that come from the world outside, directly or through other steps: somebody else decides what is in
 * them. By the step's place, each parameter as people write it: `metadata.sources`. What only decides whether a step
 * runs is not counted.
 */
export function untrusted(plan: Plan): ReadonlyMap<number, readonly string[]> {
  const tainted = new Set<PlanStep>();
  const byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step] as const])));
  const found = new Map<number, readonly string[]>();
  for (const step of inOrder(plan)) {
    const comesFrom = ({ root, path }: Reference): boolean => {
      const [name, field] = path;
      if (typeof name !== "string") return root === "item" && itemsAre(step);
      if (root === "item") return itemsAre(step);
      const source = root === "steps" ? plan.byId.get(name) : root === "context" ? byAs.get(name) : undefined;
      return source !== undefined && tainted.has(source) && (root === "context" || field !== "status");
    };
    const itemsAre = ({ forEach }: PlanStep): boolean =>
      forEach?.items.references.some((reference) => reference.root !== "item" && comesFrom(reference)) === true;
    const paths = step.params.references.filter(comesFrom).map(({ valuePath }) => formatPath(valuePath));
    if (paths.length > 0) found.set(step.index, [...new Set(paths)]);
    const standIns = step.onFailure.fallback;
    const doubtful =
      paths.length > 0 ||
      !isPure(step.target, step.params) ||
      standIns.some(({ target, params }) => !isPure(target, params) || params.references.some(comesFrom));
    if (doubtful) tainted.add(step);
  }
  return found;
}

function isPure(target: Target, params: PlanStep["params"]): boolean {
  if (target.chain === undefined) return targetEffect(target, params) === "pure";
  try {
    return target.chain().effect === "pure";
  } catch {
    return false;
  }
}

/** Every step after those that it waits for. */
function inOrder({ steps, first }: Plan): readonly PlanStep[] {
  const left = steps.map(({ needs }) => needs.length);
  const order = first.flatMap((index) => steps[index] ?? []);
  for (const { dependents } of order) {
    for (const index of dependents) {
      const open = (left[index] ?? 0) - 1;
      left[index] = open;
      const step = steps[index];
      if (open === 0 && step !== undefined) order.push(step);
    }
  }
  return order;
}

import type { StepState } from "../interpreter/step-state.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";

/** True if steps or items of a run could run in parallel: two that ran did not have to wait for each other. */
export function ranInParallel({ plan, steps }: Pick<RunFacts, "plan" | "steps">): boolean {
  const open = [{ steps, maxParallel: plan.maxParallel }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.maxParallel > 1 && hasIndependentSteps(next.steps)) return true;
    if (next.steps.some(hasParallelItems)) return true;
    for (const { step, children = [] } of next.steps) {
      if (children.length > 0) open.push({ steps: children, maxParallel: step.target.chain?.().maxParallel ?? 1 });
    }
  }
  return false;
}

function hasParallelItems({ step, items = [] }: StepState): boolean {
  return items.length > 1 && step.forEach !== undefined && step.forEach.concurrency > 1;
}

/** True unless the steps that ran form one line, in which each waits for the one before. */
function hasIndependentSteps(states: readonly StepState[]): boolean {
  // By index: a repeated sub-chain has several states of a step.
  const steps = new Map(states.map(({ step }) => [step.index, step]));
  const ran = new Set(states.filter(({ attempts }) => attempts > 0).map(({ step }) => step.index));
  const waits = new Map(
    [...steps].map(([index, { needs }]) => [index, needs.filter((each) => steps.has(each)).length]),
  );
  const ready = [...steps.keys()].filter((index) => waits.get(index) === 0);
  // Of each step: the number of steps that ran on the longest path to it.
  const lengths = new Map<number, number>();
  let longest = 0;
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    const length = (lengths.get(index) ?? 0) + (ran.has(index) ? 1 : 0);
    longest = Math.max(longest, length);
    for (const dependent of steps.get(index)?.dependents ?? []) {
      lengths.set(dependent, Math.max(lengths.get(dependent) ?? 0, length));
      const left = (waits.get(dependent) ?? 0) - 1;
      waits.set(dependent, left);
      if (left === 0 && steps.has(dependent)) ready.push(dependent);
    }
  }
  return longest < ran.size;
}

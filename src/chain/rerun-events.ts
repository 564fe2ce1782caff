import { canonicalJson, fail } from "../base/index.ts";
import type { JournalEvent } from "../store/index.ts";
import { suggest } from "../text/index.ts";
import type { Plan, PlanStep } from "./plan/plan.ts";
import type { RunFacts } from "./run/run-facts.ts";

/** What {@link eventsBefore} looks at. */
export interface RerunFrom {
  readonly from: string;
  /** The chain as it is now. */
  readonly plan: Plan;
  /** The run as it was. */
  readonly old: RunFacts;
  readonly events: readonly JournalEvent[];
}

/**
 * What of an earlier run holds for a new one: the outcomes of steps that ended well, do not depend on `from`, and are
 * written as they were. Numbered anew.
 */
export function eventsBefore({ from, plan, old, events }: RerunFrom): JournalEvent[] {
  const first = plan.byId.get(from);
  if (first === undefined) {
    const close = suggest(from, plan.byId.keys());
    const hint = close === undefined ? "" : `; did you mean "${close}"?`;
    throw fail(`${plan.name} has no step "${from}"${hint}`, { code: "validation_error" });
  }
  const again = new Set<number>([first.index]);
  const before = new Map(old.steps.map((state) => [state.step.id, state]));
  for (const step of plan.steps) {
    const state = before.get(step.id);
    const isSettled = state !== undefined && ["success", "recovered", "skipped"].includes(state.status);
    if (!isSettled || writtenAs(state.step) !== writtenAs(step)) again.add(step.index);
  }
  // A Set grows while it is walked: every dependent of a step that runs again runs again.
  for (const index of again) for (const dependent of plan.steps[index]?.dependents ?? []) again.add(dependent);
  const kept = events.filter(({ kind, key }) => {
    const step = plan.byId.get(stepOf(key));
    return kind === "settled" && step !== undefined && !again.has(step.index);
  });
  return kept.map((event, index) => ({ ...event, seq: index + 1 }));
}

/** A step as it is written, with the chain that it calls and those that this one calls. */
function writtenAs(step: PlanStep): string {
  const chains = new Set<Plan>();
  if (step.target.chain !== undefined) chains.add(step.target.chain());
  // A Set grows while it is walked.
  for (const { steps } of chains) for (const { target } of steps) if (target.chain) chains.add(target.chain());
  return canonicalJson([step.spec, ...[...chains].map(({ spec }) => spec)]);
}

/** The step of the outermost chain that a key belongs to; none for what concerns the whole run. */
function stepOf(key: string): string {
  return /^[\w-]+/.exec(key)?.[0] ?? "";
}

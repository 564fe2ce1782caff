import { canonicalJson, fail } from "../base/index.ts";
import { suggest } from "../text/index.ts";
import type { Effect } from "../tool/index.ts";
import { callsOf, chainEffect } from "./plan/chain-effect.ts";
import type { Plan, PlanStep } from "./plan/plan.ts";
import type { ChainSpec } from "./plan/spec.ts";
import type { RunFacts } from "./run/run-facts.ts";
import type { StepState, StepStatus } from "./run/step-state.ts";

/** A step that runs again, or for the first time. */
export interface RerunStep {
  readonly step: string;
  readonly tool: string;
  /** The strongest effect of all that it may call; what is not known counts as `once`. */
  readonly effect: Effect;
  /** It is the step to begin with, or depends on it. */
  readonly below: boolean;
  /**
   * Why it is not taken over: it is, or depends on, the step to begin with (`asked`); it is not in the chain of the
   * earlier run; it is written in another way; it did not end well; its work was undone when that run stopped; or it
   * needs a step that runs again.
   */
  readonly why: "asked" | "new" | "changed" | "unsettled" | "undone" | "needs";
  /** How it ended before; undefined for one that is new. */
  readonly before: StepStatus | undefined;
  /** Its tool was called before, as far as anybody knows. */
  readonly called: boolean;
  /** With `needs`: the step that runs again. */
  readonly needs?: string;
}

/** What a rerun from a step on does, told before it does anything. */
export interface RerunPreview {
  readonly chain: string;
  /** Steps that run, in the order of the chain. */
  readonly again: readonly RerunStep[];
  /** Steps whose results are taken over. */
  readonly kept: readonly string[];
}

/** What {@link previewRerun} looks at. */
export interface RerunOf {
  readonly from: string;
  /** The chain as it is now. */
  readonly plan: Plan;
  /** The run as it was. */
  readonly old: RunFacts;
  /** Steps of it whose work was undone. */
  readonly undone: ReadonlySet<string>;
}

/** Works out which steps run when a chain is run again from a step on. Throws when the chain has no such step. */
export function previewRerun({ from, plan, old, undone }: RerunOf): RerunPreview {
  const first = plan.byId.get(from);
  if (first === undefined) {
    const close = suggest(from, plan.byId.keys());
    const hint = close === undefined ? "" : `; did you mean "${close}"?`;
    throw fail(`${plan.name} has no step "${from}"${hint}`, { code: "validation_error" });
  }
  const before = new Map(old.steps.map((state) => [state.step.id, state]));
  const asked = withDependents(plan, new Map([[first.index, { why: "asked" }]]));
  const others = new Map<number, Reason>();
  for (const step of plan.steps) {
    if (asked.has(step.index)) continue;
    const state = before.get(step.id);
    const why = endReason(state) ?? (undone.has(step.id) ? "undone" : undefined);
    const isChanged = state !== undefined && writtenAs(state.step, old.plan) !== writtenAs(step, plan);
    if (why !== undefined || isChanged) others.set(step.index, { why: why ?? "changed" });
  }
  const again = withDependents(plan, others);
  const rows = plan.steps.flatMap((step): RerunStep[] => {
    const below = asked.has(step.index);
    const reason = below ? ({ why: "asked" } as const) : again.get(step.index);
    return reason === undefined ? [] : [{ ...about(step, before.get(step.id)), below, ...reason }];
  });
  const running = new Set(rows.map(({ step }) => step));
  const kept = plan.steps.filter(({ id }) => !running.has(id) && before.get(id)?.status !== "skipped");
  return { chain: plan.name, again: rows, kept: kept.map(({ id }) => id) };
}

type Reason = Pick<RerunStep, "why" | "needs">;

/** These steps, and all that depend on them. */
function withDependents(plan: Plan, reasons: Map<number, Reason>): Map<number, Reason> {
  // A Map grows while it is walked.
  for (const index of reasons.keys()) {
    const step = plan.steps[index];
    for (const dependent of step?.dependents ?? []) {
      if (!reasons.has(dependent)) reasons.set(dependent, { why: "needs", needs: step?.id ?? "" });
    }
  }
  return reasons;
}

function endReason(before: StepState | undefined): RerunStep["why"] | undefined {
  if (before === undefined) return "new";
  return ["success", "recovered", "skipped"].includes(before.status) ? undefined : "unsettled";
}

function about(step: PlanStep, before: StepState | undefined): Omit<RerunStep, "why" | "below"> {
  // Nothing is undone unless the new run fails, and that is another matter.
  const { effect } = chainEffect([{ ...step, compensate: undefined }]);
  const called = before !== undefined && before.attempts > 0;
  return { step: step.id, tool: step.target.name, effect, before: before?.status, called };
}

/**
 * A step as it is written: with what its chain says about failures where it says nothing itself, and with every chain
 * that it, a stand-in, or one of those chains may call.
 */
function writtenAs(step: PlanStep, { spec }: Plan): string {
  const handling = step.spec.error_handling === undefined ? spec.error_handling : undefined;
  const chains = new Map<string, ChainSpec>();
  const open: PlanStep[][] = [[step]];
  for (let steps = open.pop(); steps !== undefined; steps = open.pop()) {
    for (const { target } of callsOf(steps)) {
      if (target.chain === undefined || chains.has(target.name)) continue;
      const called = target.chain();
      // How many run at once changes nothing in what they do; and a run keeps it where the file says nothing.
      const { max_parallel: _, ...written } = called.spec;
      chains.set(target.name, written);
      open.push([...called.steps]);
    }
  }
  return canonicalJson([step.spec, handling ?? null, Object.fromEntries(chains)]);
}

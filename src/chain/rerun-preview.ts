import { canonicalJson, fail } from "../base/index.ts";
import { isRecord } from "../schema/index.ts";
import { suggestEnding } from "../text/index.ts";
import type { Effect } from "../tool/index.ts";
import { callsOf, chainEffect } from "./plan/chain-effect.ts";
import type { Plan, PlanStep } from "./plan/plan.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";
import { referencesOf } from "./plan/step-references.ts";
import type { RunFacts } from "./interpreter/run-facts.ts";
import type { StepState, StepStatus } from "./interpreter/step-state.ts";

/** A step that runs again, or for the first time. */
export interface RerunStep {
  readonly step: string;
  readonly tool: string;
  /** The strongest effect of all its calls; unknown counts as `once`. */
  readonly effect: Effect;
  /** It is the step to start from, or depends on it. */
  readonly below: boolean;
  /**
   * Why it is not reused: it is, or depends on, the step to start from (`requested`); it is not in the chain of the earlier
   * run; its definition has changed; it reads an input that has changed; it did not succeed; it was compensated when
   * that run stopped; or it needs a step that runs again.
   */
  readonly why: "requested" | "new" | "changed" | "input" | "unsettled" | "undone" | "needs";
  /** Its earlier status; undefined for a new step. */
  readonly before: StepStatus | undefined;
  /** Its tool was called before, as far as the journal shows. */
  readonly called: boolean;
  /** With `needs`: the step that runs again. */
  readonly needs?: string;
}

/** Preview of a rerun from a step on. */
export interface RerunPreview {
  readonly chain: string;
  /** Steps that run, in the order of the chain. */
  readonly rerun: readonly RerunStep[];
  /** Steps whose results are reused. */
  readonly reused: readonly string[];
}

/** Input of {@link previewRerun}. */
export interface RerunInput {
  readonly from: string;
  /** The current chain. */
  readonly plan: Plan;
  /** The earlier run. */
  readonly old: RunFacts;
  /** Its steps that were compensated. */
  readonly undone: ReadonlySet<string>;
  /** The input of the new run. */
  readonly input: unknown;
}

/** Steps of a rerun that repeat a call with the effect `once`, although they do not depend on the requested step. */
export function repeatedOnceSteps({ rerun }: RerunPreview): readonly RerunStep[] {
  // A new step may be an old one under another name.
  return rerun.filter(({ below, effect, called, why }) => !below && effect === "once" && (called || why === "new"));
}

/** Determines which steps run in a rerun from a step on. Throws if the chain has no such step. */
export function previewRerun({ from, plan, old, undone, input }: RerunInput): RerunPreview {
  const first = plan.byId.get(from);
  if (first === undefined) {
    const hint = suggestEnding(from, plan.byId.keys());
    throw fail(`${plan.name} has no step "${from}"${hint}`, { code: "validation_error" });
  }
  const before = new Map(old.steps.map((state) => [state.step.id, state]));
  const selected = withDependents(plan, new Map([[first.index, { why: "requested" }]]));
  const others = new Map<number, Reason>();
  const readsChanged = changedInput(old.input, input);
  for (const step of plan.steps) {
    if (selected.has(step.index)) continue;
    const state = before.get(step.id);
    const isChanged = state !== undefined && writtenAs(state.step, old.plan) !== writtenAs(step, plan);
    const why = endReason(state) ?? (undone.has(step.id) ? "undone" : changeOf(isChanged, readsChanged(step)));
    if (why !== undefined) others.set(step.index, { why });
  }
  const again = withDependents(plan, others);
  const rows = plan.steps.flatMap((step): RerunStep[] => {
    const below = selected.has(step.index);
    const reason = below ? ({ why: "requested" } as const) : again.get(step.index);
    return reason === undefined ? [] : [{ ...about(step, before.get(step.id)), below, ...reason }];
  });
  const running = new Set(rows.map(({ step }) => step));
  const reused = plan.steps.filter(({ id }) => !running.has(id) && before.get(id)?.status !== "skipped");
  return { chain: plan.name, rerun: rows, reused: reused.map(({ id }) => id) };
}

type Reason = Pick<RerunStep, "why" | "needs">;

/** These steps, and all steps that depend on them. */
function withDependents(plan: Plan, reasons: Map<number, Reason>): Map<number, Reason> {
  // A Map may grow during iteration.
  for (const index of reasons.keys()) {
    const step = plan.steps[index];
    for (const dependent of step?.dependents ?? []) {
      if (!reasons.has(dependent)) reasons.set(dependent, { why: "needs", needs: step?.id ?? "" });
    }
  }
  return reasons;
}

function changeOf(isChanged: boolean, readsChanged: boolean): RerunStep["why"] | undefined {
  if (isChanged) return "changed";
  return readsChanged ? "input" : undefined;
}

/** Returns a function that is true for a step which reads a part of the input that differs. */
function changedInput(before: unknown, now: unknown): (step: PlanStep) => boolean {
  if (canonicalJson(before) === canonicalJson(now)) return () => false;
  const part = (input: unknown, name: string): string =>
    isRecord(input) && Object.hasOwn(input, name) ? canonicalJson(input[name]) : "";
  return (step) =>
    referencesOf(step).some(({ root, path: [name] }) => {
      if (root !== "input") return false;
      return typeof name !== "string" || part(before, name) !== part(now, name);
    });
}

function endReason(before: StepState | undefined): RerunStep["why"] | undefined {
  if (before === undefined) return "new";
  return ["success", "recovered", "skipped"].includes(before.status) ? undefined : "unsettled";
}

function about(step: PlanStep, before: StepState | undefined): Omit<RerunStep, "why" | "below"> {
  // Compensations run only if the new run fails, and do not count here.
  const { effect } = chainEffect([{ ...step, compensate: undefined }]);
  const called = before !== undefined && before.attempts > 0;
  return { step: step.id, tool: step.target.name, effect, before: before?.status, called };
}

/**
 * The definition of a step: with the chain's `error_handling` if it has none itself, and with every chain that it, a
 * fallback, or one of those chains may call.
 */
function writtenAs(step: PlanStep, { spec }: Plan): string {
  const handling = step.spec.error_handling === undefined ? spec.error_handling : undefined;
  const chains = new Map<string, ChainSpec>();
  const open: PlanStep[][] = [[step]];
  for (let steps = open.pop(); steps !== undefined; steps = open.pop()) {
    for (const { target } of callsOf(steps)) {
      if (target.chain === undefined || chains.has(target.name)) continue;
      const called = target.chain();
      // The concurrency of steps does not change their results, and a snapshot stores it even if the file does not set
      // it.
      const { max_parallel: _, ...written } = called.spec;
      chains.set(target.name, written);
      open.push([...called.steps]);
    }
  }
  return canonicalJson([step.spec, handling ?? null, Object.fromEntries(chains)]);
}

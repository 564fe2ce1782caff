import { type Failure, cliCommand, failure } from "../base/index.ts";
import type { Plan } from "./plan/plan.ts";
import { chainsOf } from "./plan-targets.ts";
import type { ToolResult } from "../tool/index.ts";
import type { StepExecutor } from "../run/index.ts";

/** Reason why no approver is available. */
export interface NoApproverReason {
  /** Action that is impossible, such as `cannot be called as a tool`. */
  readonly refusal: string;
  /** Suggested alternative. */
  readonly instead: string;
}

/**
 * Returns why a chain with approvals is refused before its first step: a half-executed chain would be worse than none.
 * `named`: only a chain with named approvers is.
 */
export function refuseApprovalSteps(
  plan: Plan,
  { refusal, instead }: NoApproverReason,
  named = false,
): Failure | undefined {
  for (const { name, steps } of [plan, ...chainsOf(plan).values()]) {
    const step = steps.find(({ approval }) => approval !== undefined && (!named || approval.approvers.length > 0));
    if (step === undefined) continue;
    const where = name === plan.name ? `its step "${step.id}"` : `the step "${step.id}" of the chain ${name}`;
    const message = `${plan.name} ${refusal}: ${where} needs an approval; ${instead}`;
    return failure("not_available", message, { reason: "needs_approval", retry: "never" });
  }
  return undefined;
}

/** Same as {@link refuseApprovalSteps} for a chain that is called as a tool. */
export function refuseToolApprovals(plan: Plan, canElicit: boolean): Failure | undefined {
  return refuseApprovalSteps(plan, { refusal: "cannot be called as a tool", instead: runInstead(plan) }, canElicit);
}

/** Suggests how to start a run that can wait for approvals. */
export function runInstead({ name }: Plan): string {
  return `run it with: ${cliCommand(`run ${name}`)}`;
}

/**
 * For a run that can only end any more: tools that are what they were are still called, so that what was done can be
 * undone; the others are refused, and the log says so.
 */
export function refusingExecutor(executor: StepExecutor, changed: ReadonlySet<string>): StepExecutor {
  return {
    begin: (key, work, hooks) => {
      if (!changed.has(work.tool)) return executor.begin(key, work, hooks);
      const result = refusal(work.tool);
      return { run: () => result, abort: () => {} };
    },
  };
}

function refusal(tool: string): ToolResult {
  const message = `${tool} has changed since the run began, or no longer exists; it was not called`;
  return {
    success: false,
    tool,
    error: failure("not_available", message, { reason: "tool_changed", retry: "never" }),
    durationMs: 0,
    executedAt: 0,
    meta: { callId: "", source: "", attempts: 0 },
  };
}

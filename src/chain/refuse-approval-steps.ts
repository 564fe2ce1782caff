import { type Failure, cliCommand, failure } from "../base/index.ts";
import type { Plan } from "./plan/plan.ts";
import { chainsOf } from "./plan-targets.ts";

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

/** Returns why a chain that waits for events is refused before its first step where no event can reach its run. */
export function refuseEventSteps(plan: Plan, { refusal, instead }: NoApproverReason): Failure | undefined {
  for (const { name, steps } of [plan, ...chainsOf(plan).values()]) {
    // A dry run waits for none.
    const step = steps.find(({ wait }) => wait?.kind === "event" && wait.skip === undefined);
    if (step === undefined) continue;
    const where = name === plan.name ? `its step "${step.id}"` : `the step "${step.id}" of the chain ${name}`;
    const message = `${plan.name} ${refusal}: ${where} waits for an event; ${instead}`;
    return failure("not_available", message, { reason: "waits_for_event", retry: "never" });
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

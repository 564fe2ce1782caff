import { type Failure, cliCommand, failure } from "../base/index.ts";
import type { Plan } from "./plan/plan.ts";
import { reachOf } from "./plan-targets.ts";

/**
 * Returns why a chain with approvals is refused before its first step: a half-executed chain would be worse than none.
 * `refusal` is what is impossible, such as `cannot be called as a tool`; `instead` suggests an alternative. `named`: only
 * a chain with named approvers is refused.
 */
export function refuseApprovalSteps(plan: Plan, refusal: string, instead: string, named = false): Failure | undefined {
  for (const { name, steps } of [plan, ...reachOf(plan).chains.values()]) {
    const step = steps.find(({ approval }) => approval !== undefined && (!named || approval.approvers.length > 0));
    if (step === undefined) continue;
    const where = name === plan.name ? `its step "${step.id}"` : `the step "${step.id}" of the chain ${name}`;
    const message = `${plan.name} ${refusal}: ${where} needs an approval; ${instead}`;
    return failure("not_available", message, { reason: "needs_approval", retry: "never" });
  }
  return undefined;
}

/** Returns why a chain that waits for events is refused before its first step where no event can reach its run. */
export function refuseEventSteps(plan: Plan, refusal: string, instead: string): Failure | undefined {
  for (const { name, steps } of [plan, ...reachOf(plan).chains.values()]) {
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
  return refuseApprovalSteps(plan, "cannot be called as a tool", runInstead(plan), canElicit);
}

/** Suggests how to start a run that can wait for approvals. */
export function runInstead({ name }: Plan): string {
  return `run it with: ${cliCommand(`run ${name}`)}`;
}

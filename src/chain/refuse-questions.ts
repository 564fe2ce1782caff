import { fail } from "../base/index.ts";
import type { Plan } from "./plan/plan.ts";
import { chainsOf } from "./tools-of.ts";

/** Why nobody can be asked. */
export interface NobodyToAsk {
  /** What cannot be done, such as `cannot be called as a tool`. */
  readonly what: string;
  /** What to do instead. */
  readonly instead: string;
}

/**
 * Throws for a chain that asks people, before anything of it runs: half of a chain would be worse than none of it.
 * `named`: only for one that asks people by their names.
 */
export function refuseQuestions(plan: Plan, { what, instead }: NobodyToAsk, named = false): void {
  for (const { name, steps } of [plan, ...chainsOf(plan).values()]) {
    const step = steps.find(({ approval }) => approval !== undefined && (!named || approval.approvers.length > 0));
    if (step === undefined) continue;
    const where = name === plan.name ? `its step "${step.id}"` : `the step "${step.id}" of the chain ${name}`;
    throw fail(`${plan.name} ${what}: ${where} asks a person for approval; ${instead}`, {
      code: "not_available",
      reason: "needs_approval",
      retry: "never",
    });
  }
}

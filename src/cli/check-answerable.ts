import { type FailureError, fail } from "../base/index.ts";
import type { Plan } from "../chain/index.ts";
import { whyNot } from "./ask-in-run.ts";

/** Throws for a chain with a question that this person may not answer, where nobody else can be asked. */
export function checkAnswerable(plan: Plan, by: string | undefined): void {
  const plans = new Set([plan]);
  for (const { steps, name } of plans) {
    for (const { id, approval, target, onFailure } of steps) {
      const why = approval && whyNot(approval, by);
      if (why !== undefined) throw unanswerable(plan.name === name ? id : `${id} of ${name}`, plan, why);
      for (const { chain } of [target, ...onFailure.fallback.map((entry) => entry.target)]) {
        if (chain !== undefined) plans.add(chain());
      }
    }
  }
}

function unanswerable(step: string, { name }: Plan, why: string): FailureError {
  const message = `${name} was not begun: its step ${step} asks for approval, and ${why.replace("; ", ", and ")}`;
  return fail(message, { code: "not_available", reason: "needs_approval", retry: "never" });
}

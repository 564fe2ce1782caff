import type { Reference } from "../../expr/index.ts";
import type { PlanStep } from "../plan/plan.ts";

/** Every reference of a step that makes it wait for another one. */
export function referencesOf(step: PlanStep): readonly Reference[] {
  return [
    ...step.params.references,
    ...(step.condition?.references ?? []),
    ...(step.forEach?.items.references ?? []),
    ...(step.repeat?.until.references ?? []),
    ...(step.cache?.key?.references ?? []),
    ...(step.approval?.message.references ?? []),
  ];
}

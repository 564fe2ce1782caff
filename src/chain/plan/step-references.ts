import type { Reference } from "../../expr/index.ts";
import type { PlanStep } from "./plan.ts";

/** References that a step reads, except those of its condition. */
export function dataReferencesOf({ params, forEach, repeat, cache, approval }: PlanStep): Reference[] {
  const parts = [params, forEach?.items, repeat?.until, cache?.key, approval?.message];
  return parts.flatMap((part): readonly Reference[] => part?.references ?? []);
}

/** Every reference of a step that makes it wait for another one. */
export function waitReferencesOf(step: PlanStep): readonly Reference[] {
  return [...dataReferencesOf(step), ...(step.condition?.references ?? [])];
}

/** Every reference that the result of a step may depend on. */
export function referencesOf(step: PlanStep): readonly Reference[] {
  const parts = [...step.onFailure.fallback.flatMap(({ condition, params }) => [condition, params]), step.retry.when];
  return [...waitReferencesOf(step), ...parts.flatMap((part): readonly Reference[] => part?.references ?? [])];
}

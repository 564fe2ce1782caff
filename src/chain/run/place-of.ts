import type { PlanStep } from "../plan/plan.ts";
import type { Item } from "./step-view.ts";

/** Where inside the step: item, round, fallback. */
export function placeOf(item: Item | undefined, round: number, fallback: number): string {
  if (item === undefined && round === 0 && fallback < 0) return "";
  const at = `${item === undefined ? "" : `[${item.index}]`}${round === 0 ? "" : `~${round}`}`;
  return fallback < 0 ? at : `${at}!${fallback + 1}`;
}

/** The key of a call at this place of a step; `calls` counts those made there. */
export function callKey({ id, firstKey }: PlanStep, place: string, calls: number): string {
  return calls === 1 && place === id ? firstKey : `${place}#${calls}`;
}

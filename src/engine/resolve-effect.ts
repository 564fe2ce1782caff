import type { AnyTool, Effect } from "../tool/index.ts";

/** Returns the effect of a tool for these arguments. A function may return anything; unknown values mean `once`. */
export function resolveEffect({ effect }: AnyTool, args: unknown): Effect {
  if (typeof effect !== "function") return effect;
  const answer = effect(args);
  return answer === "pure" || answer === "read" || answer === "idempotent" ? answer : "once";
}

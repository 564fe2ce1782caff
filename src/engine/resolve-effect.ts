import type { AnyTool, Effect } from "../tool/index.ts";

/** The effect of a tool with these arguments. A function may answer anything, and unknown means `once`. */
export function effectOf({ effect }: AnyTool, args: unknown): Effect {
  if (typeof effect !== "function") return effect;
  const answer = effect(args);
  return answer === "pure" || answer === "read" || answer === "idempotent" ? answer : "once";
}

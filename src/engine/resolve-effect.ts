import { orElse } from "../base/index.ts";
import type { AnyTool, Effect } from "../tool/index.ts";

/** Returns the effect of a tool for these arguments. A function may return anything; unknown values mean `once`. */
export function resolveEffect({ effect }: AnyTool, args: unknown): Effect {
  if (typeof effect !== "function") return effect;
  const answer = effect(args);
  return answer === "pure" || answer === "read" || answer === "idempotent" ? answer : "once";
}

/** The effect of a call with unchecked arguments: the most severe one if the tool cannot determine it. */
export function resolveCallEffect(tool: AnyTool, args: unknown): Effect {
  return orElse(() => resolveEffect(tool, args), "once");
}

/** True if a call with unchecked arguments is destructive, or if the tool cannot determine it. */
export function isDestructiveCall({ destructive }: AnyTool, args: unknown): boolean {
  return typeof destructive === "function" ? orElse(() => destructive(args), true) : destructive;
}

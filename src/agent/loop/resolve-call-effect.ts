import { resolveEffect } from "../../engine/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";

/** The effect of a call with unchecked arguments; the most severe effect if the tool cannot determine it. */
export function resolveCallEffect(tool: AnyTool, args: unknown): Effect {
  try {
    return resolveEffect(tool, args);
  } catch {
    return "once";
  }
}

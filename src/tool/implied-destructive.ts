import type { AnyTool } from "./tool.ts";

/**
 * `destructive` of a tool file that does not state it. An effect adds approval (`once`), and never removes that of an
 * entry: only `destructive: false` does. Of an entry without one, such as a command, only the effect decides.
 */
export function impliedDestructive(
  effect: unknown,
  ofEntry: AnyTool["destructive"] | undefined,
): AnyTool["destructive"] {
  if (effect === "once") return true;
  return ofEntry ?? (effect !== "pure" && effect !== "read");
}

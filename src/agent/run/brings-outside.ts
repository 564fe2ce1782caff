import type { Engine } from "../../engine/index.ts";
import type { Effect, ToolSuccess } from "../../tool/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { modelTool } from "./model-tool.ts";

/** Tools that tell only what this program itself knows. */
const own: ReadonlySet<string> = new Set(["find_tools", "getCurrentTime", "getTimeRangeMs", "pomodoroTool"]);

/** Whether somebody outside has a say in what a tool gave: with any that is not pure, and that nobody vouches for. */
export function bringsOutside(
  { engine, spec }: { readonly engine: Engine; readonly spec: AgentSpec },
  { tool: name }: ToolSuccess,
  effect: Effect | undefined,
): boolean {
  if (name === modelTool || effect === "pure" || own.has(name) || spec.trusted.includes(name)) return false;
  // What was reused from a cache never ran here, and so has no effect of its own.
  return effect !== undefined || engine.resolver.resolve(name)?.tool.effect !== "pure";
}

import { nameGlob } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { modelTool } from "./model-tool.ts";
import { ownWordTools } from "./usual-tools.ts";

interface Asking {
  readonly engine: Engine;
  readonly spec: AgentSpec;
}

/**
 * Whether somebody outside has a say in what a tool gave, be it a result or the text of a failure: with any that is not
 * pure, and that nobody vouches for. A failure of a call whose handler never ran is in our own words.
 */
export function bringsOutside(asking: Asking, result: ToolResult, effect: Effect | undefined): boolean {
  const { tool: name, success } = result;
  if (name === modelTool || effect === "pure" || (effect === undefined && !success)) return false;
  if (asking.spec.trusted.some((glob) => nameGlob(glob)(name)) || isOwn(asking, result)) return false;
  // What was reused from a cache never ran here, and so has no effect of its own.
  return effect !== undefined || asking.engine.resolver.resolve(name)?.tool.effect !== "pure";
}

/** A name alone says nothing: anybody may give it to a tool. */
function isOwn({ engine }: Asking, { tool: name, meta }: ToolResult): boolean {
  if (!ownWordTools.has(name) || meta.source !== "tools") return false;
  const found = engine.resolver.resolve(name);
  return found !== undefined && found.owner === "builtin" && found.source === "tools";
}

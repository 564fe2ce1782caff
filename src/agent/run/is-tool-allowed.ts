import { nameGlob } from "../../base/index.ts";
import { type AnyTool, isSameTool } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";

/** True if the run may call this tool: it is available, in the lists of the run, and not denied for any arguments. */
export function isToolAllowed(run: AgentRun, tool: AnyTool): boolean {
  return run.engine.isAvailable(tool) && isListedTool(run, tool) && run.engine.permits(tool, "conversation_agent");
}

/** True if this is one of the tools to which the run is limited. */
export function isListedTool(run: Pick<AgentRun, "engine" | "spec" | "only">, tool: AnyTool): boolean {
  return isNamed(run, tool, run.spec.tools) && isNamed(run, tool, run.only);
}

function isNamed(run: Pick<AgentRun, "engine">, tool: AnyTool, globs: readonly string[] | undefined): boolean {
  if (globs === undefined || globs.some((glob) => nameGlob(glob)(tool.name))) return true;
  return tool.aliases.some((alias) => globs.includes(alias) && isAliasOf(run, tool, alias));
}

/** An alias stands only for the tool that declares it. A server's tool with that name is not the same tool. */
function isAliasOf({ engine }: Pick<AgentRun, "engine">, tool: AnyTool, alias: string): boolean {
  const found = engine.resolver.resolve(alias);
  return isSameTool(found?.tool, tool) && found?.source !== "mcps";
}

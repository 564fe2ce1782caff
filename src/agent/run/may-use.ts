import { nameGlob } from "../../base/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";

/** May the run call this tool, as far as its own settings are concerned? What the rules say is another matter. */
export function mayUse(run: AgentRun, tool: AnyTool): boolean {
  return run.engine.isAvailable(tool) && isAmong(run, tool);
}

/** Is this one of the tools to which the run is limited? */
export function isAmong(run: Pick<AgentRun, "engine" | "spec" | "only">, tool: AnyTool): boolean {
  return isNamed(run, tool, run.spec.tools) && isNamed(run, tool, run.only);
}

function isNamed(run: Pick<AgentRun, "engine">, tool: AnyTool, globs: readonly string[] | undefined): boolean {
  if (globs === undefined || globs.some((glob) => nameGlob(glob)(tool.name))) return true;
  return tool.aliases.some((alias) => globs.includes(alias) && isMeant(run, tool, alias));
}

/** Another name of a tool is good for it alone. A server that offers what has that name is not what was meant. */
function isMeant({ engine }: Pick<AgentRun, "engine">, tool: AnyTool, alias: string): boolean {
  const found = engine.resolver.resolve(alias);
  return found?.tool === tool && found.source !== "mcps";
}

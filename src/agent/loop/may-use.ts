import type { AnyTool } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { matchesName } from "./matches-name.ts";

/** May the run call this tool, as far as its own settings are concerned? What the rules say is another matter. */
export function mayUse(run: AgentRun, tool: AnyTool): boolean {
  return run.engine.isAvailable(tool) && isAmong(run, tool);
}

/** Is this one of the tools to which the run is limited? */
export function isAmong({ spec, only }: Pick<AgentRun, "spec" | "only">, { name }: AnyTool): boolean {
  return isNamed(name, spec.tools) && isNamed(name, only);
}

function isNamed(name: string, globs: readonly string[] | undefined): boolean {
  return globs === undefined || matchesName(name, globs);
}

import type { AnyTool } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { matchesName } from "./matches-name.ts";

/** May the run call this tool, as far as its own settings are concerned? What the rules say is another matter. */
export function mayUse({ engine, spec, only }: AgentRun, tool: AnyTool): boolean {
  if (!engine.isAvailable(tool)) return false;
  return isNamed(tool, spec.tools) && isNamed(tool, only);
}

function isNamed({ name }: AnyTool, globs: readonly string[] | undefined): boolean {
  return globs === undefined || matchesName(name, globs);
}

import { findToolsName } from "../../hub/index.ts";
import { estimateTokens } from "../../text/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { mayUse } from "../run/may-use.ts";
import { coreTools } from "../run/usual-tools.ts";
import { OfferedTools } from "./offered-tools.ts";

/** What a model is offered at first, and whether there is more. */
export interface ChosenTools {
  readonly offered: OfferedTools;
  /** How many tools it was not told of. */
  readonly more: number;
}

/**
 * The tools for the first question: all of them where their definitions fit, else those that are always enabled and the
 * core ones, and then as many as fit, in the order of their names. The others are found with `find_tools`.
 */
export function chooseTools(run: AgentRun): ChosenTools {
  const { engine, spec, family } = run;
  const all = engine.tools
    .list()
    .map(({ tool }) => tool)
    .filter((tool) => mayUse(run, tool));
  const costs = new Map(all.map((tool) => [tool, costOf(tool)]));
  const total = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  if (total <= spec.toolTokens) {
    // Nobody has to look for tools that are all there.
    const shown = all.filter(({ name }) => name !== findToolsName);
    return { offered: new OfferedTools(shown, family.name), more: 0 };
  }
  const chosen = new Set<AnyTool>();
  let left = spec.toolTokens;
  const take = (tool: AnyTool | undefined): void => {
    const cost = tool === undefined ? 0 : (costs.get(tool) ?? Infinity);
    if (tool === undefined || chosen.has(tool) || cost > left) return;
    left -= cost;
    chosen.add(tool);
  };
  for (const name of coreTools) take(all.find((tool) => tool.name === name || tool.aliases.includes(name)));
  for (const tool of all) if (tool.alwaysEnabled) take(tool);
  // Half of what is left stays for what is found. The more tools there are, the less a few of them help.
  left = Math.floor((left / 2) * Math.min(1, (2 * spec.toolTokens) / total));
  for (const tool of all) take(tool);
  return { offered: new OfferedTools(chosen, family.name), more: all.length - chosen.size };
}

const known = new WeakMap<AnyTool, number>();

/** What the definition of a tool takes in a request, by estimate. */
function costOf(tool: AnyTool): number {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const cost = estimateTokens(tool.name + tool.description + JSON.stringify(tool.input.json)) + 12;
  known.set(tool, cost);
  return cost;
}

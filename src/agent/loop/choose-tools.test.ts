import { expect, test } from "vitest";
import { catalogueRegistry } from "../../../test/support/tool-catalogue.ts";
import { createEngine } from "../../engine/index.ts";
import { ToolFinder, findToolsName, findToolsTool } from "../../hub/index.ts";
import { estimateTokens } from "../../text/index.ts";
import { toOpenAITools } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { agentDefaults } from "../run/agent-spec.ts";
import { chooseTools } from "./choose-tools.ts";

test("[N11] of 1,000 tools an agent's model is told, at first, what takes at most 3 % of listing them all", () => {
  const registry = catalogueRegistry();
  registry.register(findToolsTool({ finder: new ToolFinder(registry) }));
  const engine = createEngine({ registry });
  const run = { engine, spec: agentDefaults, family: { name: "gpt" } } as unknown as AgentRun;
  const { offered, more } = chooseTools(run);
  const all = estimateTokens(JSON.stringify(toOpenAITools(registry.list().map(({ tool }) => tool))));
  expect(offered.tokens).toBeLessThanOrEqual(0.03 * all);
  expect(offered.has(findToolsName)).toBe(true);
  expect(more).toBe(1001 - offered.size);
});

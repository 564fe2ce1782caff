import { expect, test } from "vitest";
import { catalogueRegistry } from "../../../test/support/tool-catalogue.ts";
import { createEngine } from "../../engine/index.ts";
import { ToolFinder, findToolsName, findToolsTool } from "../../hub/index.ts";
import { estimateTokens } from "../../text/index.ts";
import { isUsable, toOpenAITools } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { agentDefaults } from "../run/resolve-agent-spec.ts";
import { chooseTools } from "./choose-tools.ts";

test("[N11] the definitions first offered to an agent's model take at most 3 % of listing all 1,000 tools", () => {
  const registry = catalogueRegistry();
  registry.register(findToolsTool({ finder: new ToolFinder(registry) }));
  const engine = createEngine({ registry });
  const run = { engine, spec: agentDefaults, family: { name: "gpt" } } as unknown as AgentRun;
  const { offered, more } = chooseTools(run, { text: "What is the weather in Qingdao?" });
  const all = estimateTokens(JSON.stringify(toOpenAITools(registry.list().map(({ tool }) => tool))));
  expect(offered.tokens).toBeLessThanOrEqual(0.03 * all);
  expect(offered.has(findToolsName)).toBe(true);
  const usable = registry.list().filter(({ tool }) => isUsable(tool)).length;
  expect(more).toBe(usable - offered.size);
  expect(offered.has("get_weather")).toBe(true);
});

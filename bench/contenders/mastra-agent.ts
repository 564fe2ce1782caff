import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, instructions, promptText, scriptedModel, tool } from "./agent-workload.ts";

/** `generate` of an agent, without storage, memory or observability. */
export function create(script: AgentScript): AgentContender {
  const { name, description, schema } = tool;
  const search = createTool({ id: name, description, inputSchema: schema, execute: script.find });
  const agent = new Agent({
    id: "notes",
    name: "notes",
    instructions,
    // Mastra's type refers to an earlier version of the same interface.
    model: scriptedModel(script) as MastraModelConfig,
    tools: { [name]: search },
  });
  const options = { maxSteps: script.task.turns + 1 };
  return { run: async () => (await agent.generate(promptText, options)).text };
}

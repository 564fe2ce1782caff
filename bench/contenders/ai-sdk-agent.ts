import { ToolLoopAgent, stepCountIs, tool as defineTool } from "ai";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, instructions, promptText, scriptedModel, tool } from "./agent-workload.ts";

export function create(script: AgentScript): AgentContender {
  const { name, description, schema } = tool;
  const agent = new ToolLoopAgent({
    model: scriptedModel(script),
    instructions,
    tools: { [name]: defineTool({ description, inputSchema: schema, execute: script.find }) },
    stopWhen: stepCountIs(script.task.turns + 1),
  });
  return { run: async () => (await agent.generate({ prompt: promptText })).text };
}

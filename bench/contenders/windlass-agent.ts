import type { AgentContender } from "../contender.ts";
import { loadAgents, loadSubject } from "../subject.ts";
import { type AgentScript, instructions, promptText, scriptedModel, tool } from "./agent-workload.ts";

/** `createAgent` over an engine, with runs and records in memory. `listened`: a listener receives all events. */
export async function create(script: AgentScript, variant?: "listened"): Promise<AgentContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { createAgent } = await loadAgents();
  const { name, description, schema } = tool;
  const search = defineTool({ name, description, effect: "read", input: schema, run: script.find });
  const { turns, calls } = script.task;
  const agent = createAgent({
    engine: createEngine({ tools: [search] }),
    model: scriptedModel(script),
    instructions,
    maxRounds: turns,
    maxParallel: calls,
  });
  let events = 0;
  const listening = variant === "listened" ? { onEvent: () => events++ } : {};
  return {
    async run() {
      const result = await agent.run(promptText, listening);
      if (result.status !== "completed") throw new Error(result.error?.message ?? result.status);
      if (variant === "listened" && events === 0) throw new Error("no event reached the listener");
      return result.answer;
    },
  };
}

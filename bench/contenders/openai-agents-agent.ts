import { Agent, type Model, type ModelResponse, Runner, Usage, tool as defineTool } from "@openai/agents";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, type ScriptedCall, answer, instructions, promptText, tool } from "./agent-workload.ts";

/** `run` of an agent, with tracing off. */
export function create(script: AgentScript): AgentContender {
  const { name, description, schema } = tool;
  const agent = new Agent({
    name: "notes",
    instructions,
    model: scriptedModel(script),
    tools: [defineTool({ name, description, parameters: schema, execute: script.find })],
  });
  const runner = new Runner({ tracingDisabled: true });
  const options = { maxTurns: script.task.turns + 1 };
  return { run: async () => (await runner.run(agent, promptText, options)).finalOutput ?? "" };
}

function scriptedModel(script: AgentScript): Model {
  return {
    async getResponse({ input }): Promise<ModelResponse> {
      const calls = script.turns[script.next(input)];
      const usage = new Usage({ requests: 1, inputTokens: 1000, outputTokens: 50, totalTokens: 1050 });
      return { usage, output: calls === undefined ? [text] : calls.map(toItem) };
    },
    getStreamedResponse() {
      throw new Error("streaming is not part of the benchmark");
    },
  };
}

function toItem({ id, name, input }: ScriptedCall): ModelResponse["output"][number] {
  return { type: "function_call", callId: id, name, arguments: input, status: "completed" };
}

const text: ModelResponse["output"][number] = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: answer }],
};

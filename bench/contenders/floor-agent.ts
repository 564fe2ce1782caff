import type { ModelGenerateResult, ModelCall } from "../../src/model/index.ts";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, instructions, promptText, scriptedModel, tool } from "./agent-workload.ts";

type RequestedCall = Extract<ModelGenerateResult["content"][number], { type: "tool-call" }>;

interface Runnable {
  readonly schema: typeof tool.schema;
  readonly run: AgentScript["find"];
}

/**
 * A simple agent loop: send a model request, validate and run the calls in parallel, send the next request with their
 * results.
 */
export function create(script: AgentScript): AgentContender {
  const model = scriptedModel(script);
  const tools = new Map<string, Runnable>([[tool.name, { schema: tool.schema, run: script.find }]]);
  const call = async ({ toolCallId, toolName, input }: RequestedCall) => {
    const found = tools.get(toolName);
    if (found === undefined) throw new Error(`there is no tool ${toolName}`);
    const output = await found.run(found.schema.parse(JSON.parse(input)));
    const value = JSON.stringify(output);
    return { type: "tool-result" as const, toolCallId, toolName, output: { type: "text" as const, value } };
  };
  return {
    async run() {
      const prompt: ModelCall["prompt"] = [
        { role: "system", content: instructions },
        { role: "user", content: [{ type: "text", text: promptText }] },
      ];
      for (;;) {
        const { content } = await model.doGenerate({ prompt });
        const calls = content.filter((part) => part.type === "tool-call");
        const [text] = content;
        if (calls.length === 0) return text?.type === "text" ? text.text : "";
        prompt.push({
          role: "assistant",
          content: calls.map(({ type, toolCallId, toolName, input }) => ({
            type,
            toolCallId,
            toolName,
            input: JSON.parse(input) as unknown,
          })),
        });
        prompt.push({ role: "tool", content: await Promise.all(calls.map(call)) });
      }
    },
  };
}

import type { ModelAnswer, ModelCall } from "../../src/model/index.ts";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, instructions, question, scriptedModel, tool } from "./agent-workload.ts";

type WantedCall = Extract<ModelAnswer["content"][number], { type: "tool-call" }>;

interface Runnable {
  readonly schema: typeof tool.schema;
  readonly run: AgentScript["find"];
}

/** A loop as one writes it in an afternoon: ask, check and run the calls at once, ask again with what they gave. */
export function create(script: AgentScript): AgentContender {
  const model = scriptedModel(script);
  const tools = new Map<string, Runnable>([[tool.name, { schema: tool.schema, run: script.find }]]);
  const call = async ({ toolCallId, toolName, input }: WantedCall) => {
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
        { role: "user", content: [{ type: "text", text: question }] },
      ];
      for (;;) {
        const { content } = await model.doGenerate({ prompt });
        const calls = content.filter((part) => part.type === "tool-call");
        const [said] = content;
        if (calls.length === 0) return said?.type === "text" ? said.text : "";
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

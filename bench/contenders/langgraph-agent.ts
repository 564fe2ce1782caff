import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool as defineTool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { AgentContender } from "../contender.ts";
import { type AgentScript, type ScriptedCall, answer, instructions, promptText, tool } from "./agent-workload.ts";

/** The prebuilt agent of LangGraph, without a checkpointer. */
export function create(script: AgentScript): AgentContender {
  const { name, description, schema } = tool;
  const search = defineTool(script.find, { name, description, schema });
  const agent = createReactAgent({ llm: new ScriptedModel(script), tools: [search], prompt: instructions });
  // A turn is two steps of the graph.
  const options = { recursionLimit: 2 * script.task.turns + 2 };
  return {
    async run() {
      const { messages } = await agent.invoke({ messages: [{ role: "user", content: promptText }] }, options);
      const text = messages.at(-1)?.content;
      return typeof text === "string" ? text : "";
    },
  };
}

class ScriptedModel extends BaseChatModel {
  readonly #script: AgentScript;

  constructor(script: AgentScript) {
    super({});
    this.#script = script;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const calls = this.#script.turns[this.#script.next(messages)];
    // The graph assigns ids to messages, so they are created anew each time.
    const message = new AIMessage(calls === undefined ? answer : { content: "", tool_calls: calls.map(toCall) });
    return { generations: [{ text: "", message }] };
  }
}

function toCall({ id, name, input }: ScriptedCall) {
  return { type: "tool_call" as const, id, name, args: JSON.parse(input) as Record<string, unknown> };
}

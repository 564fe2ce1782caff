import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import type { PromptPart } from "../estimate-call.ts";
import type { ModelCall } from "../model.ts";
import { conversationOf } from "./conversation.ts";

/**
 * The prompt of a call with names of tools that services take: a model may have called anything, and one such name in a
 * conversation makes every later question of it fail. Call and result get the same name. A name that is declared stays:
 * whoever takes it there takes it here.
 */
export function fitNames({ prompt, tools = [] }: Pick<ModelCall, "prompt" | "tools">): LanguageModelV4Prompt {
  if (!conversationOf(prompt).hasOddNames) return prompt;
  const declared = new Set(tools.map(({ name }) => name));
  const fit = (name: string): string => (declared.has(name) ? name : fitToolName(name));
  return prompt.map((message) => {
    if (message.role === "assistant") return { ...message, content: fitParts(message.content, fit) };
    return message.role === "tool" ? { ...message, content: fitParts(message.content, fit) } : message;
  });
}

function fitParts<Part extends PromptPart>(parts: readonly Part[], fit: (name: string) => string): Part[] {
  return parts.map((part) => ("toolName" in part ? { ...part, toolName: fit(part.toolName) } : part));
}

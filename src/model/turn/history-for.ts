import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelFamily } from "../family/model-family.ts";
import { conversationOf } from "./conversation.ts";
import { type AssistantMessage, originFor, originOf } from "./to-assistant-message.ts";

/** Whom a conversation is sent to. */
export interface Recipient {
  readonly family: ModelFamily;
  readonly provider: string;
}

/**
 * A conversation as another model may see it: signatures belong to the service that gave them, and thoughts to the model
 * that had them. Messages of the recipient itself, and of unknown origin, stay as they are.
 */
export function historyFor(prompt: LanguageModelV4Prompt, { family, provider }: Recipient): LanguageModelV4Prompt {
  const own = originFor(family.name, provider);
  const { origins } = conversationOf(prompt);
  if (origins.size === 0 || (origins.size === 1 && origins.has(own))) return prompt;
  const isForeign = (message: LanguageModelV4Prompt[number]): message is AssistantMessage =>
    message.role === "assistant" && (originOf(message) ?? own) !== own;
  if (!prompt.some(isForeign)) return prompt;
  return prompt.map((message) => (isForeign(message) ? adopted(message, family) : message));
}

function adopted({ content }: AssistantMessage, { thoughts }: ModelFamily): AssistantMessage {
  const kept = content.flatMap((part): AssistantMessage["content"] => {
    if (part.type === "reasoning" && thoughts !== "any") return [];
    const { providerOptions: _, ...plain } = part;
    return [plain];
  });
  const thought = content.some(({ type }) => type === "reasoning");
  const asks = content.some(({ type }) => type === "tool-call");
  // Some services refuse a call that nobody has thought about.
  if (thoughts === "any" && asks && !thought) kept.unshift({ type: "reasoning", text: "(not recorded)" });
  return { role: "assistant", content: kept };
}

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelFamily } from "../family/model-family.ts";
import { type AssistantMessage, originOf } from "./to-assistant-message.ts";

/** Whom a history is sent to. */
export interface Recipient {
  readonly family: ModelFamily;
  readonly provider: string;
}

/**
 * A conversation as another model may see it: signatures belong to the service that gave them, and thoughts to the model
 * that had them. Messages of the recipient itself, and of unknown origin, stay as they are.
 */
export function historyFor(prompt: LanguageModelV4Prompt, to: Recipient): LanguageModelV4Prompt {
  if (!prompt.some((message) => isForeign(message, to))) return prompt;
  return prompt.map((message) => (isForeign(message, to) ? adopted(message, to.family) : message));
}

function isForeign(
  message: LanguageModelV4Prompt[number],
  { family, provider }: Recipient,
): message is AssistantMessage {
  if (message.role !== "assistant") return false;
  const origin = originOf(message);
  return origin !== undefined && (origin.family !== family.name || origin.provider !== provider);
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

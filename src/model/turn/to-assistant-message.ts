import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { ModelTurn, TurnPart, TurnToolCall } from "./model-turn.ts";

/** A message of a model in a conversation. */
export type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

/**
 * An answer as the next question carries it: everything that its service wants back, thoughts and signatures included.
 * Each tool call of it needs a result with its id. A call that could not be read is shown without arguments, since
 * services refuse arguments that are no object; what was wrong with it belongs into its result.
 */
export function toAssistantMessage(turn: ModelTurn): AssistantMessage {
  return {
    role: "assistant",
    content: turn.content.map(toPart),
    providerOptions: { [originKey]: { of: originFor(turn.family, turn.provider) } },
  };
}

/** Where a message says whose it is. No client reads this key of a message. */
const originKey = "windlass_origin";

/** Whose message this is, as {@link originFor} has it; undefined where it does not say so. */
export function originOf({ providerOptions }: AssistantMessage): string | undefined {
  const origin = providerOptions?.[originKey]?.["of"];
  return typeof origin === "string" ? origin : undefined;
}

/** What messages of models of this family at this provider have in common. */
export function originFor(family: string, provider: string): string {
  return `${family}@${provider}`;
}

function toPart(part: TurnPart): AssistantMessage["content"][number] {
  if (part.type === "tool-call") return toCallPart(part);
  const { type, text, providerOptions } = part;
  return providerOptions === undefined ? { type, text } : { type, text, providerOptions };
}

function toCallPart({ id, name, input, broken, providerOptions }: TurnToolCall): LanguageModelV4ToolCallPart {
  const args = broken === undefined ? (JSON.parse(input) as unknown) : {};
  const part = { type: "tool-call" as const, toolCallId: id, toolName: name, input: args };
  return providerOptions === undefined ? part : { ...part, providerOptions };
}

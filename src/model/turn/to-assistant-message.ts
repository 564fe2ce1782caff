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
    providerOptions: { [originKey]: { family: turn.family, provider: turn.provider } },
  };
}

/** Where a message says whose it is. No client reads this key of a message. */
const originKey = "windlass_origin";

/** Whose message this is; undefined where it does not say so. */
export function originOf({ providerOptions }: AssistantMessage): { family: unknown; provider: unknown } | undefined {
  const origin = providerOptions?.[originKey];
  return origin === undefined ? undefined : { family: origin["family"], provider: origin["provider"] };
}

function toPart(part: TurnPart): AssistantMessage["content"][number] {
  if (part.type === "tool-call") return toCallPart(part);
  const { type, text, providerOptions } = part;
  return providerOptions === undefined ? { type, text } : { type, text, providerOptions };
}

function toCallPart({ id, name, input, broken, providerOptions }: TurnToolCall): LanguageModelV4ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: broken === undefined ? (JSON.parse(input) as unknown) : {},
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

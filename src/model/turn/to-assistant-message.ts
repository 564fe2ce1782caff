import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { ModelTurn, TurnPart, TurnToolCall } from "../port/model-turn.ts";

/** A message of a model in a conversation. */
export type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

/**
 * A response as the next request carries it: with everything that its service requires back, including thinking and
 * signatures. Each of its tool calls needs a result with its id. A call that could not be parsed is shown without
 * arguments, since services reject arguments that are not an object; the problem belongs in its result.
 *
 * @example
 * ```ts
 * const turn = await requestTurn(model, call);
 * messages.push(toAssistantMessage(turn));
 * ```
 */
export function toAssistantMessage(turn: ModelTurn): AssistantMessage {
  return {
    role: "assistant",
    content: turn.content.map(toPart),
    providerOptions: { [originKey]: { of: originFor(turn.family, turn.provider) } },
  };
}

/** Key under which a message stores its origin. No client reads this key of a message. */
const originKey = "windlass_origin";

/** The origin of this message, in the form of {@link originFor}; undefined if it has none. */
export function messageOrigin({ providerOptions }: AssistantMessage): string | undefined {
  const origin = providerOptions?.[originKey]?.["of"];
  return typeof origin === "string" ? origin : undefined;
}

/** The common origin of messages from models of this family at this provider. */
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

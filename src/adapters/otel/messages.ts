import type { ModelCall, ModelTurn, TurnPart } from "../../model/index.ts";

/** A part of a message, as the conventions write it. */
export type Part =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: unknown }
  | { readonly type: "blob"; readonly mime_type: string };

/** A message, as the conventions write it. */
export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

type Prompted = ModelCall["prompt"][number];
type PromptedPart = Exclude<Prompted["content"], string>[number];

/** A prompt: what the model was instructed, and what was said. */
export function toMessages(prompt: ModelCall["prompt"]): {
  readonly system: readonly Part[];
  readonly messages: readonly Message[];
} {
  const system: Part[] = [];
  const messages: Message[] = [];
  for (const message of prompt) {
    if (message.role === "system") system.push({ type: "text", content: message.content });
    else messages.push({ role: message.role, parts: message.content.flatMap(toPart) });
  }
  return { system, messages };
}

/** The answer of a model. */
export function outputMessage({ content, finishReason }: ModelTurn): Message & { readonly finish_reason: string } {
  const reason = finishReason === "tool-calls" ? "tool_call" : finishReason.replaceAll("-", "_");
  return { role: "assistant", parts: content.map(turnPart), finish_reason: reason };
}

function turnPart(part: TurnPart): Part {
  if (part.type !== "tool-call") return { type: part.type, content: part.text };
  return { type: "tool_call", id: part.id, name: part.name, arguments: part.input };
}

function toPart(part: PromptedPart): Part[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, content: part.text }];
    case "tool-call":
      return [{ type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: part.input }];
    case "tool-result":
      return [{ type: "tool_call_response", id: part.toolCallId, response: part.output }];
    case "file":
      // Which kind it was, and not the thing itself.
      return [{ type: "blob", mime_type: part.mediaType }];
    default:
      return [];
  }
}

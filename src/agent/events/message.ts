import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";

/** One message of a conversation, as models accept it and as a run stores it. */
export type ConversationMessage = LanguageModelV4Message;

/** The answer to one tool call. */
export type ToolResultPart = LanguageModelV4ToolResultPart;

/** A user message of one text. */
export function textMessage(text: string): ConversationMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

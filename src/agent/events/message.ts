import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";

/** One message of a conversation, as models take it and as a run keeps it. */
export type ConversationMessage = LanguageModelV4Message;

/** The answer to one tool call. */
export type ToolResultPart = LanguageModelV4ToolResultPart;

import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { type ConversationHistory, type ConversationHistoryDeps, conversationHistory } from "./conversation-history.ts";
import { memoryFailure } from "./memory-reasons.ts";

/** Input of `get_conversation_history`. */
export interface ConversationHistoryInput {
  readonly conversation_id?: string;
  readonly limit?: number;
  readonly max_characters?: number;
}

const outputJson = {
  type: "object",
  properties: {
    conversation_id: { type: "string" },
    history: {
      type: "array",
      items: {
        type: "object",
        properties: { kind: { enum: ["message", "call"] }, at: { type: "string" } },
        required: ["kind", "at"],
      },
    },
    summary: {
      type: "object",
      properties: {
        total_calls: { type: "integer" },
        success_rate: { type: "number" },
        tool_usage: { type: "object" },
      },
      required: ["total_calls", "success_rate", "tool_usage"],
    },
    truncated: { type: "boolean" },
  },
  required: ["conversation_id", "history", "summary", "truncated"],
};

/** `get_conversation_history`: the messages and tool calls of the current conversation. */
export function conversationHistoryTool(
  parts: ConversationHistoryDeps,
): Tool<ConversationHistoryInput, ConversationHistoryInput, ConversationHistory> {
  return defineTool({
    name: "get_conversation_history",
    aliases: ["getConversationHistory"],
    description:
      "Returns the history of this conversation: the latest tool calls with their arguments and results, the " +
      "messages if they are recorded, and statistics over all calls. Use it to look up what was already tried or found.",
    displayName: "Conversation history",
    category: "general",
    tags: ["conversation", "history"],
    capabilities: ["history", "历史"],
    alwaysEnabled: true,
    effect: "read",
    callerContent: true,
    timeoutMs: 30_000,
    input: fromJsonSchema<ConversationHistoryInput, ConversationHistoryInput>({
      type: "object",
      properties: {
        conversation_id: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "Within a conversation leave it out; otherwise which one.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 200,
          default: 20,
          description: "Maximum number of entries to return, counted from the latest.",
        },
        max_characters: {
          type: "integer",
          minimum: 50,
          maximum: 10_000,
          default: 500,
          description: "How much of each text is shown.",
        },
      },
      additionalProperties: false,
      examples: [{ conversation_id: "conversation-1", limit: 5 }],
    }),
    output: fromJsonSchema<ConversationHistory, ConversationHistory>(outputJson),
    run: ({ conversation_id, limit, max_characters }, context) =>
      conversationHistory(parts, {
        conversationId: whichOne(conversation_id, context.conversationId),
        ...(limit !== undefined && { limit }),
        ...(max_characters !== undefined && { maxCharacters: max_characters }),
      }),
  });
}

/**
 * A call within a conversation may read only that conversation, so that a model never sees the messages of another
 * user.
 */
function whichOne(query: string | undefined, own: string | undefined): string {
  if (own !== undefined) {
    if (query === undefined || query === own) return own;
    throw memoryFailure(
      "other_conversation",
      "only the history of this conversation can be read. Leave conversation_id out",
    );
  }
  if (query !== undefined) return query;
  const message = "this call belongs to no conversation: name one with conversation_id";
  throw memoryFailure("no_conversation", message, {
    issues: [{ path: ["conversation_id"], code: "no_conversation", message }],
  });
}

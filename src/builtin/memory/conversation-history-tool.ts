import type { RecordStore } from "../../store/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";
import { type ConversationHistory, type MessageLog, conversationHistory } from "./conversation-history.ts";
import { memoryFailure } from "./memory-reasons.ts";

const input = {
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
} as const;

const output = {
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
} as const;

/** Dependencies of `get_conversation_history`. */
interface ConversationHistoryToolDeps {
  /** A function is called when the tool is, so that a database is opened on first use. */
  readonly records: RecordStore | (() => RecordStore);
  readonly messages?: MessageLog | undefined;
}

/** `get_conversation_history`: the messages and tool calls of the current conversation. */
export function conversationHistoryTool({
  records,
  messages,
}: ConversationHistoryToolDeps): ToolFor<typeof input, ConversationHistory> {
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
    core: 7,
    input,
    output,
    run: ({ conversation_id, limit, max_characters }, context) =>
      conversationHistory(
        { records: typeof records === "function" ? records() : records, ...(messages && { messages }) },
        {
          conversationId: whichOne(conversation_id, context.conversationId),
          limit,
          maxCharacters: max_characters,
        },
      ),
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

import type { CallRecord, RecordStore } from "../../store/index.ts";

/** Something that was said in a conversation. */
export interface ConversationMessage {
  /** Who said it, such as `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Where the messages of conversations are kept, by whoever keeps them. */
export interface MessageLog {
  /** The last messages of a conversation, oldest first. */
  messages(conversationId: string, limit: number): Promise<readonly ConversationMessage[]>;
}

/** One thing that happened in a conversation. */
export type HistoryEntry =
  | { readonly kind: "message"; readonly at: string; readonly role: string; readonly content: string }
  | {
      readonly kind: "call";
      readonly at: string;
      readonly tool: string;
      readonly success: boolean;
      /** As JSON, perhaps cut. */
      readonly arguments: string;
      /** The output as JSON, or what went wrong, perhaps cut. */
      readonly result: string;
      readonly duration_ms: number;
    };

/** What happened in a conversation, oldest first. */
export interface ConversationHistory {
  readonly conversation_id: string;
  readonly history: readonly HistoryEntry[];
  /** Of all calls of the conversation, shown or not. */
  readonly summary: {
    readonly total_calls: number;
    readonly success_rate: number;
    readonly tool_usage: Readonly<Record<string, number>>;
  };
  /** There is more, or a text was cut. */
  readonly truncated: boolean;
}

/** Which conversation, and how much of it. */
export interface HistoryQuery {
  readonly conversationId: string;
  /** The last so many messages and calls together; 20 where absent. */
  readonly limit?: number;
  /** Of each text; 500 characters where absent. */
  readonly maxCharacters?: number;
}

/** Where histories come from. */
export interface HistoryParts {
  readonly records: RecordStore;
  readonly messages?: MessageLog;
}

interface Cut {
  readonly entry: HistoryEntry;
  readonly time: number;
  readonly cut: boolean;
}

/** The calls of a conversation and, where somebody keeps them, its messages. */
export async function conversationHistory(parts: HistoryParts, query: HistoryQuery): Promise<ConversationHistory> {
  const { conversationId, limit = 20, maxCharacters = 500 } = query;
  // What was just called may still be on its way into the store; what cannot be written is not worth failing for.
  await parts.records.flush().catch(() => {});
  const [page, messages, summary] = await Promise.all([
    parts.records.query({ conversationId, limit: Math.min(1000, limit + 1) }),
    parts.messages?.messages(conversationId, limit + 1) ?? [],
    parts.records.summary(conversationId),
  ]);
  const all = [
    ...page.records.map((record) => callEntry(record, maxCharacters)),
    ...messages.map((message) => messageEntry(message, maxCharacters)),
  ].sort((a, b) => a.time - b.time);
  const shown = all.slice(-limit);
  return {
    conversation_id: conversationId,
    history: shown.map(({ entry }) => entry),
    summary: {
      total_calls: summary.totalCalls,
      success_rate: summary.successRate,
      tool_usage: summary.toolUsage,
    },
    truncated: all.length > limit || shown.some(({ cut }) => cut),
  };
}

function callEntry(record: CallRecord, most: number): Cut {
  const given = shorten(JSON.stringify(record.args ?? {}), most);
  const result = shorten(
    record.success ? JSON.stringify(record.output ?? null) : `${record.error?.code}: ${record.error?.message}`,
    most,
  );
  const entry: HistoryEntry = {
    kind: "call",
    at: new Date(record.createdAt).toISOString(),
    tool: record.tool,
    success: record.success,
    arguments: given.text,
    result: result.text,
    duration_ms: Math.round(record.durationMs),
  };
  return { entry, time: record.createdAt, cut: given.cut || result.cut };
}

function messageEntry({ role, content, at }: ConversationMessage, most: number): Cut {
  const { text, cut } = shorten(content, most);
  return { entry: { kind: "message", at: new Date(at).toISOString(), role, content: text }, time: at, cut };
}

function shorten(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  const cut = text.length > most;
  return { text: cut ? `${text.slice(0, most).toWellFormed()}…` : text, cut };
}

import type { CallRecord, RecordStore } from "../../store/index.ts";

/** A message of a conversation. */
export interface HistoryMessage {
  /** Author of the message, such as `user` or `assistant`. */
  readonly role: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Source of the messages of conversations. */
export interface MessageLog {
  /** The last messages of a conversation, oldest first. */
  messages(conversationId: string, limit: number): Promise<readonly HistoryMessage[]>;
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
      /** The output as JSON, or the error, possibly cut. */
      readonly result: string;
      readonly duration_ms: number;
    };

/** History of a conversation, oldest entry first. */
export interface ConversationHistory {
  readonly conversation_id: string;
  readonly history: readonly HistoryEntry[];
  /** Counts all calls of the conversation, shown or not. */
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
  /** Maximum number of messages and calls together, counted from the latest. Default: 20. */
  readonly limit?: number;
  /** Maximum length of each text in characters. Default: 500. */
  readonly maxCharacters?: number;
}

/** Dependencies of {@link conversationHistory}. */
export interface ConversationHistoryDeps {
  readonly records: RecordStore;
  readonly messages?: MessageLog;
}

interface Cut {
  readonly entry: HistoryEntry;
  readonly time: number;
  readonly cut: boolean;
}

/** Returns the calls of a conversation and, if a message log is given, its messages. */
export async function conversationHistory(
  parts: ConversationHistoryDeps,
  query: HistoryQuery,
): Promise<ConversationHistory> {
  const { conversationId, limit = 20, maxCharacters = 500 } = query;
  // Records of the latest calls may still be buffered. A failed write does not fail the query.
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

function callEntry(record: CallRecord, max: number): Cut {
  const input = shorten(JSON.stringify(record.args ?? {}), max);
  const result = shorten(
    record.success ? JSON.stringify(record.output ?? null) : `${record.error?.code}: ${record.error?.message}`,
    max,
  );
  const entry: HistoryEntry = {
    kind: "call",
    at: new Date(record.createdAt).toISOString(),
    tool: record.tool,
    success: record.success,
    arguments: input.text,
    result: result.text,
    duration_ms: Math.round(record.durationMs),
  };
  return { entry, time: record.createdAt, cut: input.cut || result.cut };
}

function messageEntry({ role, content, at }: HistoryMessage, max: number): Cut {
  const { text, cut } = shorten(content, max);
  return { entry: { kind: "message", at: new Date(at).toISOString(), role, content: text }, time: at, cut };
}

function shorten(text: string, max: number): { readonly text: string; readonly cut: boolean } {
  const cut = text.length > max;
  return { text: cut ? `${text.slice(0, max).toWellFormed()}…` : text, cut };
}

import type { Failure } from "../base/index.ts";

/** Who makes a call. */
export type CallerType = "direct" | "workflow_node" | "conversation_agent" | "mcp_client";

/** How a call ended. */
export type RecordStatus = "success" | "failure";

/** One call, as it is remembered. */
export interface CallRecord {
  readonly id: string;
  readonly tool: string;
  readonly version: string;
  readonly source: string;
  readonly category: string;
  readonly args: unknown;
  readonly success: boolean;
  /** The output of a success. */
  readonly output?: unknown;
  /** The failure of a failed call. */
  readonly error?: Failure | undefined;
  readonly durationMs: number;
  readonly queuedMs: number;
  readonly attempts: number;
  readonly cached: boolean;
  readonly callerType: CallerType;
  readonly callerId?: string | undefined;
  readonly principal?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly workflowId?: string | undefined;
  /** The call that made this one. */
  readonly parentId?: string | undefined;
  /** What the handler reported; of a call that would have been asked about, also by whom it was `preapproved`. */
  readonly reported?: Readonly<Record<string, unknown>> | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Which records to find. All given fields must match. */
export interface RecordQuery {
  readonly conversationId?: string;
  readonly tool?: string;
  readonly callerType?: CallerType;
  readonly callerId?: string;
  readonly status?: RecordStatus;
  /** Failure code, such as `timeout`. */
  readonly code?: string;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number;
  /** Epoch milliseconds, exclusive. */
  readonly until?: number;
  /** At most this many, newest first; 100 where absent, 1 to 1,000. A page of very large records may hold fewer. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly cursor?: string;
}

/**
 * One page of records, newest first: by `createdAt`, and among equals the one added last. Paging neither repeats nor
 * skips a record that was there when it began, whatever arrives meanwhile.
 */
export interface RecordPage {
  readonly records: readonly CallRecord[];
  /** Pass as `cursor` for the page after; absent on the last one. */
  readonly next?: string;
}

/** What happened in one conversation. */
export interface ConversationSummary {
  readonly conversationId: string;
  readonly totalCalls: number;
  readonly successfulCalls: number;
  readonly failedCalls: number;
  /** 0 to 100; 100 for a conversation without calls. */
  readonly successRate: number;
  /** Calls per tool. */
  readonly toolUsage: Readonly<Record<string, number>>;
}

/** The short form that an agent's final answer carries. */
export interface BriefSummary {
  readonly totalCalls: number;
  readonly successRate: number;
  readonly toolUsage: Readonly<Record<string, number>>;
  readonly hasErrors: boolean;
}

/** Figures of one tool. A percentile is the nearest rank: the smallest duration that p percent of the calls did not exceed. */
export interface ToolStatistics {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
  readonly successRate: number;
  readonly averageMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Figures over all kept records. */
export interface Statistics {
  readonly totalCalls: number;
  readonly successfulCalls: number;
  readonly failedCalls: number;
  /** 0 to 100; 100 where there are no calls. */
  readonly successRate: number;
  /** Failure code to count. */
  readonly failures: Readonly<Record<string, number>>;
  /** Most used first. */
  readonly tools: readonly ToolStatistics[];
}

/** What a pruning removed. */
export interface Pruned {
  readonly records: number;
  /** Runs that were over, with all that happened to them; of a store that keeps runs too. */
  readonly runs?: number;
  /** What was given back, as far as the store can tell. */
  readonly bytes: number;
}

/** How long records are kept. */
export interface Retention {
  /** Older ones go. */
  readonly maxAgeMs?: number;
  /** The oldest go until the store takes no more than this. */
  readonly maxBytes?: number;
}

/**
 * Where call records go. `add` never waits for the disk and never throws: a store that cannot write says so through
 * `flush()` and its `onError`. What is read back is plain JSON with secrets redacted: a value above 256 KiB comes as
 * `{ "$truncated": true, bytes, preview }`, one that JSON cannot express as `{ "$not_json": true, reason }`.
 * Every implementation passes `test/conformance/record-store.ts`.
 */
export interface RecordStore {
  /** Takes the record by reference: what it points to must not change afterwards. */
  add(record: CallRecord): void;
  /** Resolves when everything added before is kept as safely as this store can; rejects when it could not be. */
  flush(): Promise<void>;
  query(query: RecordQuery): Promise<RecordPage>;
  summary(conversationId: string): Promise<ConversationSummary>;
  /** Figures, also per tool; `since` in epoch milliseconds. */
  statistics(query?: Pick<RecordQuery, "since" | "until" | "tool">): Promise<Statistics>;
  prune(retention: Retention): Promise<Pruned>;
  close(): Promise<void>;
}

/** The short form of a summary. */
export function brief(summary: ConversationSummary): BriefSummary {
  return {
    totalCalls: summary.totalCalls,
    successRate: summary.successRate,
    toolUsage: summary.toolUsage,
    hasErrors: summary.failedCalls > 0,
  };
}

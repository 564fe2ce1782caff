import type { Failure } from "../base/index.ts";

/**
 * Kind of caller: a person or a program (`direct`), a step of a chain, a model, or a client of `mcp serve`. A program that
 * makes calls for others may say `api`, `trigger` or `library`, so that permission rules can distinguish them.
 */
export type CallerType =
  | "direct"
  | "workflow_node"
  | "conversation_agent"
  | "mcp_client"
  | "api"
  | "trigger"
  | "library";

/** Outcome of a call. */
export type RecordStatus = "success" | "failure";

/** The stored record of one call. */
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
  /** Facts that the handler reported, and `preapproved`: who preapproved a call that would have needed approval. */
  readonly reported?: Readonly<Record<string, unknown>> | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Filter for records. All fields that are set must match. */
export interface RecordQuery {
  /** Id of the record, which is that of the call. */
  readonly id?: string;
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
  /**
   * Maximum number of records, newest first; from 1 to 1,000. Default: 100. A page of very large records may hold
   * fewer.
   */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

/**
 * One page of records, newest first: by `createdAt`, then by the order of adding. Paging neither repeats nor skips a
 * record that existed when it began, even if records arrive in the meantime.
 */
export interface RecordPage {
  readonly records: readonly CallRecord[];
  /** Pass it as `cursor` for the following page; undefined on the last one. */
  readonly next?: string;
}

/** Summary of the calls of one conversation. */
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

/** The short form for an agent's final answer. */
export interface BriefSummary {
  readonly totalCalls: number;
  readonly successRate: number;
  readonly toolUsage: Readonly<Record<string, number>>;
  readonly hasErrors: boolean;
}

/**
 * Statistics of one tool. A percentile is the nearest rank: the smallest duration that p percent of the calls did not
 * exceed.
 */
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

/** Statistics over all stored records. */
export interface Statistics {
  readonly totalCalls: number;
  readonly successfulCalls: number;
  readonly failedCalls: number;
  /** 0 to 100; 100 if there are no calls. */
  readonly successRate: number;
  /** Failure code to count. */
  readonly failures: Readonly<Record<string, number>>;
  /** Most used first. */
  readonly tools: readonly ToolStatistics[];
}

/** Result of pruning. */
export interface PruneResult {
  readonly records: number;
  /** Finished runs that were removed with all their events, if the store holds runs too. */
  readonly runs?: number;
  /** Freed bytes, as far as the store knows. */
  readonly bytes: number;
}

/** Retention limits of records. */
export interface Retention {
  /** Older ones go. */
  readonly maxAgeMs?: number;
  /** The oldest records are removed until the store takes no more than this. */
  readonly maxBytes?: number;
}

/**
 * Stores call records. `add` never waits for the disk and never throws: a store that cannot write reports it through
 * `flush()` and its `onError`. Records are read back as plain JSON with secrets redacted: a value above 256 KiB becomes
 * `{ "$truncated": true, bytes, preview }`, one that JSON cannot express `{ "$not_json": true, reason }`. Every
 * implementation passes `test/conformance/record-store.ts`.
 */
export interface RecordStore {
  /**
   * Adds the record by reference: its values must not change afterwards. `chars` is the length of its arguments and
   * output as JSON, if the caller knows it: measuring them once more would cost as much as storing the record.
   */
  add(record: CallRecord, chars?: number): void;
  /** Resolves when everything added before is as durable as the store allows; rejects if it could not be written. */
  flush(): Promise<void>;
  query(query: RecordQuery): Promise<RecordPage>;
  summary(conversationId: string): Promise<ConversationSummary>;
  /** Returns statistics, overall and per tool; `since` in epoch milliseconds. */
  statistics(query?: Pick<RecordQuery, "since" | "until" | "tool">): Promise<Statistics>;
  prune(retention: Retention): Promise<PruneResult>;
  close(): Promise<void>;
}

/** Returns the short form of a summary. */
export function toBriefSummary(summary: ConversationSummary): BriefSummary {
  return {
    totalCalls: summary.totalCalls,
    successRate: summary.successRate,
    toolUsage: summary.toolUsage,
    hasErrors: summary.failedCalls > 0,
  };
}

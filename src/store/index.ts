export { approvalStateAt, maxApprovals } from "./approval-state.ts";
export {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
  maxApprovalBytes,
  approvalTooLarge,
  neverExpires,
} from "./approvals.ts";
export {
  type FlatRecord,
  toFiniteNumber,
  flatSize,
  flattenRecord,
  toStoredLabel,
  restoreRecord,
} from "./flat-record.ts";
export { checkRetention } from "./check-retention.ts";
export { type InMemoryApprovalsOptions, createInMemoryApprovals } from "./in-memory-approvals.ts";
export { type InMemoryResultCacheOptions, createInMemoryResultCache } from "./in-memory-result-cache.ts";
export { type InMemoryPageCacheOptions, createInMemoryPageCache } from "./in-memory-page-cache.ts";
export { type InMemoryRecordsOptions, createInMemoryRecords } from "./in-memory-records.ts";
export { type InMemoryRunJournalOptions, createInMemoryRunJournal } from "./in-memory-run-journal.ts";
export { UnfinishedRuns } from "./unfinished-runs.ts";
export {
  CallCounter,
  type Tallies,
  type ToolTally,
  toStatistics,
  successRate,
  summarizeTallies,
  nearestRank,
  waitingCode,
} from "./record-statistics.ts";
export type { PageCache, StoredPage } from "./page-cache.ts";
export { type PagePosition, fromCursor, maxPageSize, pageLimit, toCursor } from "./record-page.ts";
export { boundRecord } from "./record-size.ts";
export { type RecordRedactor, unabridgedText } from "./record-text.ts";
export {
  type BriefSummary,
  type CallRecord,
  type CallerType,
  type ConversationSummary,
  type PruneResult,
  type RecordPage,
  type RecordQuery,
  type RecordStatus,
  type RecordStore,
  type Retention,
  type Statistics,
  type ToolStatistics,
  toBriefSummary,
} from "./records.ts";
export type { ResultCache } from "./result-cache.ts";
export {
  checkSequence,
  sequenceGapFailure,
  isLargePayload,
  isFinished,
  leaseLostFailure,
  leaseTimeoutMs,
  runLimit,
} from "./run-state.ts";
export type {
  Claim,
  JournalEvent,
  NewJournalEvent,
  NewRun,
  NewConversationTurn,
  RunEnd,
  FinishedRun,
  FinishedRunQuery,
  RunJournal,
  RunLease,
  LeaseHolder,
  RunQuery,
  RunConversation,
  RunStatus,
  StoredRun,
  ConversationTurn,
  ConversationTurnRange,
  RunKindId,
  RunWait,
} from "./run-journal.ts";
export { createInMemoryMemoryStore } from "./in-memory-memory-store.ts";
export { createInMemoryTextIndex } from "./in-memory-text-index.ts";
export {
  type Memory,
  type MemoryHit,
  type MemoryQuery,
  type MemoryStats,
  type MemoryStore,
  type NewMemory,
  type StoreMemoryResult,
  documentMemory,
  mergeTags,
  memoryDocument,
  memoryHit,
  mergeMemory,
} from "./memory-store.ts";
export { columnWeights, termColumns } from "./text-columns.ts";
export {
  type Recency,
  type TextDocument,
  type TextHit,
  type TextIndex,
  type TextQuery,
  type TextStats,
  candidateLimit,
  normalizeTag,
  hitLimit,
  isListing,
} from "./text-index.ts";
export { type Needle, type TextPlan, planQuery } from "./text-query.ts";
export {
  type CountedNeedles,
  Ranking,
  type TextTotals,
  queryTitleKey,
  lengthFactor,
  roundTimes,
  titleFitOf,
  titleKey,
} from "./text-ranking.ts";
export { type TextRange, extractSnippet } from "./text-snippet.ts";
export { readTokens, tokenFormat } from "./text-tokens.ts";

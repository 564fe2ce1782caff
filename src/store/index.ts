export { agentRunName, isAgentRun, runnerOf } from "./agent-run-name.ts";
export { approvalAt, maxApprovals } from "./approval-state.ts";
export {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
  maxApprovalBytes,
  tooLargeToAsk,
} from "./approvals.ts";
export { type FlatRecord, finite, flatSize, flattenRecord, label, restoreRecord } from "./flat-record.ts";
export { checkRetention } from "./check-retention.ts";
export { type MemoryApprovalsOptions, createMemoryApprovals } from "./memory-approvals.ts";
export { type MemoryCacheOptions, createMemoryCache } from "./memory-cache.ts";
export { type MemoryPagesOptions, createMemoryPages } from "./memory-pages.ts";
export { type MemoryRecordsOptions, createMemoryRecords } from "./memory-records.ts";
export { type MemoryRunsOptions, createMemoryRuns } from "./memory-runs.ts";
export { UnfinishedRuns } from "./unfinished-runs.ts";
export {
  CallCounter,
  type Tallies,
  type ToolTally,
  statisticsOf,
  successRate,
  summarise,
  waitingCode,
} from "./record-figures.ts";
export type { PageCache, StoredPage } from "./page-cache.ts";
export { type PagePosition, fromCursor, maxPageSize, pageLimit, toCursor } from "./record-page.ts";
export { type RecordRedactor, wholeText } from "./record-text.ts";
export {
  type BriefSummary,
  type CallRecord,
  type CallerType,
  type ConversationSummary,
  type Pruned,
  type RecordPage,
  type RecordQuery,
  type RecordStatus,
  type RecordStore,
  type Retention,
  type Statistics,
  type ToolStatistics,
  brief,
} from "./records.ts";
export type { ResultCache } from "./result-cache.ts";
export { checkNumbered, gapFailure, isLarge, isOver, lostFailure, ownerSilenceMs, runLimit } from "./run-state.ts";
export type {
  Claim,
  JournalEvent,
  NewJournalEvent,
  NewRun,
  NewTurn,
  RunEnd,
  RunJournal,
  RunLease,
  RunOwner,
  RunQuery,
  RunConversation,
  RunStatus,
  StoredRun,
  Turn,
  TurnRange,
} from "./runs.ts";
export { createMemoryMemories } from "./memory-memories.ts";
export { createMemoryTextIndex } from "./memory-text-index.ts";
export {
  type Memory,
  type MemoryHit,
  type MemoryQuery,
  type MemoryStats,
  type MemoryStore,
  type NewMemory,
  type StoredMemory,
  documentMemory,
  joinTags,
  memoryDocument,
  memoryHit,
  mergeMemory,
} from "./memories.ts";
export { columnWeights, termColumns } from "./text-columns.ts";
export {
  type Recency,
  type TextDocument,
  type TextHit,
  type TextIndex,
  type TextQuery,
  type TextStats,
  candidateLimit,
  foldTag,
  hitLimit,
  isListing,
} from "./text-index.ts";
export { type Needle, type TextPlan, planQuery } from "./text-query.ts";
export {
  type CountedGroup,
  Ranking,
  type TextTotals,
  askedKey,
  lengthFactor,
  roundTimes,
  titleFitOf,
  titleKey,
} from "./text-ranking.ts";
export { type TextRange, snippetOf } from "./text-snippet.ts";
export { readTokens, tokenFormat } from "./text-tokens.ts";

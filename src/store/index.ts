export type { Approval, ApprovalRequest, ApprovalStatus, ApprovalStore, Decision } from "./approvals.ts";
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

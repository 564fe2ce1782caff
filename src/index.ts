/**
 * Windlass, the tool engine for LLM agents: define a tool once; call it under one policy, one record and one set of
 * limits.
 *
 * @packageDocumentation
 */
import type { Workspace, WorkspaceOptions } from "./app/index.ts";

export type { SqliteStats, SqliteStore, Tracing } from "./adapters/index.ts";
export type { SecretSource, Workspace, WorkspaceConfig, WorkspaceOptions } from "./app/index.ts";
export {
  type Clock,
  type EventStream,
  type Failure,
  type FailureArea,
  type FailureCode,
  FailureError,
  type FailureOptions,
  type Ids,
  type Issue,
  type Listener,
  type RetryVerdict,
  type Timer,
  createIds,
  fail,
  failureKinds,
  isFailureError,
  systemClock,
} from "./base/index.ts";
export {
  type Answer,
  type Approver,
  type BucketMetrics,
  type CallContext,
  type CallLimits,
  type Closable,
  type CloseOptions,
  type ConcurrencyMetrics,
  type ConcurrencyOptions,
  Engine,
  type EngineEvent,
  type EngineEventType,
  type EngineOptions,
  type ExecutionCompleted,
  type ExecutionFailed,
  type ExecutionStarted,
  type HandledCall,
  type LoadError,
  type LogEntry,
  type PermissionRules,
  type PermissionSubject,
  type Preapproved,
  type QueueStrategy,
  type ReloadCompleted,
  type ReloadStarted,
  type Resolver,
  type Surround,
  type ToolEvent,
  type ValidationErrorEvent,
  closeOnSignals,
  createEngine,
  engineEventTypes,
  forConversation,
  forWorkflow,
  parkingApprover,
} from "./engine/index.ts";
export type { FolderChange, ToolFolder } from "./hub/index.ts";
export {
  type JsonSchema,
  type Schema,
  type StandardSchema,
  type SyncSchema,
  type Validation,
  fromJsonSchema,
} from "./schema/index.ts";
export {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type BriefSummary,
  type CallRecord,
  type CallerType,
  type ConversationSummary,
  type Decision,
  type MemoryApprovalsOptions,
  type MemoryCacheOptions,
  type MemoryRecordsOptions,
  type RecordPage,
  type RecordQuery,
  type RecordStore,
  type ResultCache,
  type Retention,
  type Statistics,
  type ToolStatistics,
  createMemoryApprovals,
  createMemoryCache,
  createMemoryRecords,
} from "./store/index.ts";
export { type GrowingRedactor, type Problem, type Redactor, createRedactor } from "./text/index.ts";
export {
  type AnyTool,
  type ArgsFor,
  type Attachment,
  type CachePolicy,
  type CallTool,
  type CompositeContext,
  type ContextFor,
  type Effect,
  type HandlerReturn,
  type InputFor,
  type InputOf,
  type Jsonified,
  type Log,
  type NoInput,
  type Ok,
  type Origin,
  type OutputFor,
  type OutputOf,
  type Registration,
  type RegistryChange,
  type ResultMeta,
  type Returned,
  type Secrets,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolError,
  type ToolInfo,
  ToolRegistry,
  type ToolResult,
  type ToolStatus,
  type ToolSuccess,
  defineTool,
  isTool,
  knownCategories,
  ok,
  toDict,
  toWireResult,
} from "./tool/index.ts";

/**
 * Opens a workspace: the folder's settings, its tools and the built-in ones, its secrets and its database.
 *
 * @example
 * ```ts
 * const workspace = await openWorkspace("my-project");
 * const result = await workspace.engine.call("calculator", { expression: "2*(3+4)" });
 * await workspace.close();
 * ```
 */
export async function openWorkspace(from?: string, options?: WorkspaceOptions): Promise<Workspace> {
  // Loaded when used: an engine of one's own needs neither files nor a database.
  const app = await import("./app/index.ts");
  return app.openWorkspace(from, options);
}

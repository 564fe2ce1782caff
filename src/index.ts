/**
 * Windlass, the tool engine for LLM agents: define a tool once; call it under one policy, one journal and one set of
 * limits.
 *
 * @packageDocumentation
 */
import type { Workspace, WorkspaceOptions } from "./app/index.ts";

export type { SqliteStats, SqliteStore, Tracing } from "./adapters/index.ts";
export type {
  SecretSource,
  TrustItem,
  TrustKind,
  TrustOptions,
  TrustRequest,
  Workspace,
  WorkspaceConfig,
  WorkspaceOptions,
} from "./app/index.ts";
export {
  type Clock,
  type EventStream,
  type Failure,
  type FailureArea,
  type FailureCode,
  FailureError,
  type FailureOptions,
  type IdGenerator,
  type Issue,
  type Listener,
  type RetryVerdict,
  type Timer,
  createIdGenerator,
  fail,
  failureKinds,
  isFailureError,
  systemClock,
} from "./base/index.ts";
export {
  ApprovalService,
  type ApprovalAnswer,
  type Approver,
  type Decided,
  type DecisionRefusal,
  type RequestApproval,
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
  type WrappedCall,
  type LoadError,
  type LogEntry,
  type PermissionRules,
  type PermissionSubject,
  type PreapprovalCheck,
  type QueueStrategy,
  type ReloadCompleted,
  type ReloadStarted,
  type Resolver,
  type HandlerWrapper,
  type ToolEvent,
  type ValidationErrorEvent,
  closeOnSignals,
  createEngine,
  engineEventTypes,
  forConversation,
  forWorkflow,
  storedApprover,
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
  type InMemoryApprovalsOptions,
  type InMemoryResultCacheOptions,
  type InMemoryRecordsOptions,
  type RecordPage,
  type RecordQuery,
  type RecordStore,
  type ResultCache,
  type Retention,
  type Statistics,
  type ToolStatistics,
  createInMemoryApprovals,
  createInMemoryResultCache,
  createInMemoryRecords,
} from "./store/index.ts";
export { type GrowingRedactor, type Redactor, createRedactor } from "./secrets/index.ts";
export { type Problem } from "./text/index.ts";
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
  type Jsonify,
  type Log,
  type NoInput,
  type Ok,
  type Origin,
  type OutputFor,
  type OutputOf,
  type Registration,
  type RegistryChange,
  type ResultMeta,
  type HandlerValue,
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
 *
 * @see docs/guide/cli.md
 */
export async function openWorkspace(from?: string, options?: WorkspaceOptions): Promise<Workspace> {
  // Loaded on use: a custom engine needs neither files nor a database.
  const app = await import("./app/index.ts");
  return app.openWorkspace(from, options);
}

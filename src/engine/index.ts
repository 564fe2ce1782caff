export { toApprovalElicitation, readApprovalElicitation } from "./approval-elicitation.ts";
export { type ApprovalAnswer, type Approver, approvalKey, storedApprover } from "./approver.ts";
export { type Account, type CallContext, forConversation, forWorkflow } from "./call-context.ts";
export {
  type BeginCall,
  type CallHandle,
  type CallHooks,
  type CallApproval,
  type JournaledCall,
  type CallListener,
  callerPathOf,
  callersOf,
  coveredBy,
  denialsOf,
  accountOf,
  approvingElicitOf,
  elicitOf,
  type DecidePermission,
  isModelInitiated,
  isTainted,
  nestedCalls,
  principalOf,
  progressOf,
  reuseOf,
  permissionsOf,
  runOf,
  journaledCallOf,
  untrustedOf,
} from "./internals.ts";
export { type KnowsUrl, type UntrustedArguments, bringsUrls, mayDecideTarget, textsIn } from "./untrusted-targets.ts";
export { type Passage, SeenUrls } from "./seen-urls.ts";
export { type Closable, closeOnSignals } from "./close-on-signals.ts";
export {
  type ConcurrencyOptions,
  type ConcurrencySettings,
  type QueueStrategy,
  concurrencySettings,
  concurrencyTable,
} from "./concurrency.ts";
export type { BucketMetrics, ConcurrencyMetrics } from "./concurrency-metrics.ts";
export { brokenFileMessage } from "./call-failures.ts";
export type { CallLimits, LogEntry, PreapprovalCheck, Resolver } from "./engine-core.ts";
export { type RuleSubject, isEverAllowed } from "./permissions.ts";
export type { FindDenial } from "./denials.ts";
export { type CloseOptions, Engine, createEngine } from "./engine.ts";
export { resolveEffect } from "./resolve-effect.ts";
export { type LocateThrow, propagateFailure } from "./handler-failure.ts";
export { type EngineOptions, callTable, engineDefaults } from "./engine-options.ts";
export {
  type EngineEvent,
  type EngineEventType,
  type ExecutionCompleted,
  type ExecutionFailed,
  type ExecutionStarted,
  type LoadError,
  type ReloadCompleted,
  type ReloadStarted,
  type ToolEvent,
  type ValidationErrorEvent,
  engineEventTypes,
} from "./events.ts";
export {
  type Permission,
  type PermissionRules,
  type PermissionSubject,
  compilePermissions,
  defaultPermissions,
  selectorWords,
  toolInRule,
} from "./permissions.ts";
export { Scheduler } from "./scheduler.ts";
export type { WrappedCall, HandlerWrapper } from "./handler-wrapper.ts";
export { type RuleSubjects, type UnmatchedRule, unmatchedRule, defaultSources } from "./unmatched-rule.ts";

export { approvalQuestion, approvalVerdict } from "./approval-question.ts";
export { type Answer, type Approver, approvalKey, parkingApprover } from "./approver.ts";
export { type Account, type CallContext, forConversation, forWorkflow } from "./call-context.ts";
export {
  type BeginCall,
  type CallHandle,
  type CallHooks,
  type CallQuestion,
  type CallStep,
  type CallListener,
  callersOf,
  denialsOf,
  accountOf,
  approvingElicitOf,
  elicitOf,
  type Rulings,
  isByModel,
  isTainted,
  nestedCalls,
  principalOf,
  progressOf,
  reuseOf,
  rulingsOf,
  runOf,
  stepOf,
} from "./call-hooks.ts";
export { type Closable, closeOnSignals } from "./close-on-signals.ts";
export {
  type ConcurrencyOptions,
  type ConcurrencySettings,
  type QueueStrategy,
  concurrencyDefaults,
  concurrencySettings,
} from "./concurrency.ts";
export type { BucketMetrics, ConcurrencyMetrics } from "./concurrency-metrics.ts";
export type { CallLimits, LogEntry, Preapproved, Resolver } from "./core.ts";
export { type RuledCall, couldBeCalled } from "./could-be-called.ts";
export type { Denies } from "./denials.ts";
export { type CloseOptions, Engine, createEngine } from "./engine.ts";
export { effectOf } from "./effect-of.ts";
export { type PlaceOf, passOn } from "./failed-attempt.ts";
export { type EngineOptions, engineDefaults } from "./engine-options.ts";
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
export type { HandledCall, Surround } from "./surround.ts";
export { type RuleSubjects, type UnmatchedRule, unmatchedRule, usualSources } from "./unmatched-rule.ts";

export { compensationMessage } from "./approvals/approval-rules.ts";
export type { RequestApproval } from "./approvals/run-approvals.ts";
export { checkRunId } from "./leases/run-leases.ts";
export {
  type EngineExecutorOptions,
  type RunningCall,
  type StepExecutor,
  type StepHooks,
  engineExecutor,
} from "./host/executor.ts";
export {
  type ApprovalWait,
  type CallOutcome,
  type CancelOutcome,
  type DecidedOutcome,
  type Host,
  type HostListener,
  type NestedApproval,
  type InterruptedOutcome,
  type HostOutcome,
  type PendingKeys,
  type SettledOutcome,
  type StepWork,
  type Wait,
  cancelKey,
} from "./host.ts";
export { JournalHost, type JournalHostDeps } from "./host/journal-host.ts";
export type { JournalSink } from "./host/journal-writer.ts";
export { type OpenHostOptions, openHost } from "./host/open-host.ts";
export { OrderedKeyMap } from "./host/ordered-key-map.ts";
export { type RunRecording, SealedJournal } from "./sealed-journal.ts";
export {
  type DrivenRun,
  type HeldRun,
  type PreparedRun,
  type RunExecuteOptions,
  type RunKind,
  type RunExecution,
  cancellerOf,
} from "./service/run-kind.ts";
export { type ExecutableRun, LocalDispatcher, type RunDispatcher } from "./service/run-dispatcher.ts";
export { RunClient, type RunPorts, type RunRef } from "./service/run-client.ts";
export { RunService, type RunServiceSource, runServiceOf } from "./service/run-service.ts";
export { type RunLifecycleOptions, withRunLifecycle } from "./host/executor.ts";
export { type AvailableClaim, RunLeases, runHeldFailure } from "./leases/run-leases.ts";
export { type CallEnding, createToolResult } from "./program/run-effect.ts";
export { type ProgramOutcome, EffectRunner, type EffectWaiter } from "./program/effect-runner.ts";
export {
  type FirstOutcome,
  type ProgramCall,
  type RequestedApproval,
  type ToolCallOutcome,
  approvalPromptOf,
  callWithApproval,
} from "./program/call-with-approval.ts";
export { ParallelPrograms } from "./program/parallel-programs.ts";
export { recordValue, recordedValueTool } from "./program/run-effect.ts";
export {
  type CallEffect,
  type NestedWork,
  type RunProgram,
  type RunEffect,
  runAll,
  performCall,
  waitForApproval,
} from "./program/run-effect.ts";
export { type EffectCaller, RunningProgram, type ProgramEnd, type EffectHandler } from "./program/running-program.ts";
export { ReplayCursor } from "./replay/replay-cursor.ts";
export { ancestorRunIds, cancelSubRun, trackSubRun } from "./sub-runs.ts";

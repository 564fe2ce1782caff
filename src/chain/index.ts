export { ChainError } from "./chain-error.ts";
export { ChainRuns } from "./chain-runs.ts";
export { type ChainToolOptions, chainTool } from "./chain-tool.ts";
export type { ChainFiles, ChainRunsParts, ExecuteOptions, StartOptions } from "./execute-options.ts";
export { chainGraph } from "./graph/chain-graph.ts";
export type { ChainGraph, GraphEdge, GraphNode } from "./graph/graph.ts";
export { type JsonGraph, toGraphJson } from "./graph/to-graph-json.ts";
export { toMermaid } from "./graph/to-mermaid.ts";
export { type SvgOptions, toSvg } from "./graph/to-svg.ts";
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
  type InnerQuestion,
  type InterruptedOutcome,
  type Outcome,
  type Settled,
  type StepWork,
  type Wait,
  cancelKey,
} from "./host/host.ts";
export type { EventSink } from "./host/event-writer.ts";
export { JournalHost, type JournalHostParts } from "./host/journal-host.ts";
export { type HostTask, openHost } from "./host/open-host.ts";
export type { AskPerson } from "./host/run-approvals.ts";
export { attended } from "./host/attended.ts";
export { type FreeClaim, RunKeeper, heldBy } from "./host/run-keeper.ts";
export { type Cassette, type CassetteOptions, type RecordedCall, cassetteOf } from "./kit/cassette.ts";
export { type DryRunExecutor, type DryRunOptions, type WithheldCall, dryRunExecutor } from "./kit/dry-run.ts";
export {
  type Mock,
  type MockAnswer,
  type MockCall,
  type MockHandler,
  type MockOptions,
  type MockTools,
  mock,
  mockTools,
} from "./kit/mock-tools.ts";
export { type Replay, type ReplayDifference, type ReplayOptions, replay } from "./kit/replay.ts";
export { ChainLibrary, type ChainLibraryOptions, type LibrarySource } from "./library.ts";
export { type ChainSource, type LoadPlanOptions, loadPlan } from "./load-plan.ts";
export { type ExecutionLog, type ExecutionLogOptions, toExecutionLog } from "./log/execution-log.ts";
export { type ExplainOptions, explainStep } from "./log/explain-step.ts";
export type { RunMetrics } from "./log/run-metrics.ts";
export type { StepLog } from "./log/step-log.ts";
export { chainFileSchema } from "./plan/chain-file-schema.ts";
export { type PlannedChain, planChain } from "./plan/plan-chain.ts";
export type { PlanContext } from "./plan/plan-context.ts";
export type { Plan, PlanStep, Target } from "./plan/plan.ts";
export { type ReadChain, readChain } from "./plan/read-chain.ts";
export type { ChainSpec, StepSpec, Taint } from "./plan/spec.ts";
export type { RerunPreview, RerunStep } from "./rerun-preview.ts";
export { type RunChainOptions, runChain } from "./run-chain.ts";
export { type Interpretation, beginInterpretation } from "./run/interpret.ts";
export type { RunEvent, RunEventType, RunListener } from "./run/run-events.ts";
export type { RunFacts } from "./run/run-facts.ts";
export type { ObservedRun, RunObserver } from "./run/run-observer.ts";
export type { RunResult } from "./run-result.ts";
export type { FailedAttempt, ItemState, OpenQuestion, SkipReason, StepState, StepStatus } from "./run/step-state.ts";

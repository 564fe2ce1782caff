export { type ChainTargets, chainTable } from "./plan/chain-table.ts";
export { ChainError, isChainError } from "./plan/chain-error.ts";
export { ChainRuns } from "./chain-runs.ts";
export { type ChainToolOptions, chainTool } from "./chain-tool.ts";
export type { ChainFileLookup, ChainRunsDeps, ExecuteRunOptions, StartRunOptions } from "./execute-options.ts";
export { chainGraph } from "./graph/chain-graph.ts";
export type { ChainGraph, GraphEdge, GraphNode } from "./graph/graph.ts";
export { type JsonGraph, toGraphJson } from "./graph/to-graph-json.ts";
export { toMermaid } from "./graph/to-mermaid.ts";
export { type SvgOptions, toSvg } from "./graph/to-svg.ts";

export {
  type DryRunExecutor,
  type DryRunOptions,
  type WithheldCall,
  dryRunExecutor,
} from "./dry-run/dry-run-executor.ts";

export { ChainLibrary, type ChainLibraryOptions, type ChainLibrarySource } from "./chain-library.ts";
export { type ChainInput, type LoadPlanOptions, loadPlan } from "./load-plan.ts";
export { type ExecutionLog, type ExecutionLogOptions, toExecutionLog } from "./log/execution-log.ts";
export { type ExplainOptions, explainFacts, explainStep } from "./log/explain-step.ts";
export {
  type AllChainStatistics,
  type ChainStatistics,
  type ComparedMetric,
  summarizeChainRuns,
} from "./log/chain-statistics.ts";
export type { RunMetrics } from "./log/run-metrics.ts";
export type { StepLog } from "./log/step-log.ts";
export { chainFileSchema } from "./plan/chain-file-schema.ts";
export { type PlanChainResult, planChain } from "./plan/plan-chain.ts";
export type { PlanContext } from "./plan/plan-context.ts";
export type { Plan, PlanStep, Target } from "./plan/plan.ts";
export { type MissingRequirement, missingRequirements, requirementMessages } from "./missing-requirements.ts";
export { type ParsedChain, parseChain } from "./plan/parse-chain.ts";
export type { ChainSpec, StepSpec, TaintPolicy } from "./plan/chain-spec.ts";
export type { RerunPreview, RerunStep } from "./rerun-preview.ts";
export { type RunChainOptions, runChain } from "./run-chain.ts";
export { type Interpretation, beginInterpretation } from "./interpreter/interpret.ts";
export type { RunEvent, RunEventType, RunListener } from "./interpreter/run-events.ts";
export type { RunFacts } from "./interpreter/run-facts.ts";
export type { ObservedRun, RunObserver } from "./interpreter/run-observer.ts";
export type { RunResult } from "./run-result.ts";
export type {
  FailedAttempt,
  ItemState,
  NotRetried,
  NotRetriedParams,
  PendingStepApproval,
  SkipReason,
  StepState,
  StepStatus,
} from "./interpreter/step-state.ts";
export { interpret } from "./interpreter/interpret.ts";
export { stepPathOfKey } from "./interpreter/parse-step-key.ts";
export { type LogRedactor, logValue } from "./log/log-value.ts";
export { chainNoticeText, explainFactText, skipSentence } from "./texts/chain-texts.ts";
export type { ChainNotice, ChainNoticeListener, ChainNoticeParams } from "./texts/chain-notice.ts";
export type { ExplainFact, ExplainFactParams } from "./texts/explain-fact.ts";
export type { ErrorHandlingSpec } from "./plan/chain-spec.ts";
export { parseRunInput } from "./run-chain.ts";
export { parseRunEnvironment } from "./run-environment.ts";
export type { ProgramTool } from "./sub-chain/program-step.ts";
export { runSubChain } from "./sub-chain/run-sub-chain.ts";

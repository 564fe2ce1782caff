export { Agent, type AgentStream, type AgentRunOptions } from "./agent.ts";
export type { AgentEvent, AgentListener, CallInitiator, ResultItems, TurnRef } from "./events/agent-event.ts";
export type { AgentNotice, AgentNoticeParams } from "./events/agent-notice.ts";
export type {
  AgentFacts,
  AgentOutcome,
  AgentResult,
  AgentStatus,
  AgentStep,
  AnswerSource,
  PendingApproval,
} from "./events/agent-result.ts";
export { type AgentToolOptions, agentTool } from "./agent-tool.ts";
export { type ChatRequest, type BuildRequestOptions, buildRequest } from "./build-request.ts";
export { type AgentOptions, createAgent } from "./create-agent.ts";

export type { ConversationMessage } from "./events/message.ts";
export {
  type CustomRunner,
  type RunnerToolCall,
  type RunnerGenerateOptions,
  type RunnerContext,
  fromCustomRunner,
} from "./custom-runner.ts";
export {
  type OpenAIToolCall,
  type OpenAIToolMessage,
  type ProcessToolCallsOptions,
  processToolCalls,
} from "./process-tool-calls.ts";
export { isListedTool } from "./run/is-tool-allowed.ts";
export { foldReasoning, toReasoningBlock } from "./reasoning/fold-reasoning.ts";
export { agentNoticeText } from "./texts/agent-texts.ts";
export {
  type ReasoningBlock,
  type ReasoningLanguage,
  type ReasoningState,
  type ReasoningStep,
  emptyReasoningBlock,
} from "./reasoning/reasoning-block.ts";
export type { AgentObserver, ObservedAgentRun, ObservedTurn } from "./run/agent-observer.ts";
export { AgentRuns } from "./run/agent-runs.ts";
export type { AgentExecuteOptions, AgentStartOptions } from "./run/execute-options.ts";
export { type AgentSpec, type PromptImage, agentTable } from "./run/agent-spec.ts";
export { agentDefaults, resolveAgentSpec } from "./run/resolve-agent-spec.ts";
export { deserializeAgentRun } from "./run/persisted-agent-run.ts";
export type { AgentPrompt, Runner, RunnerAnswer } from "./run/runner.ts";
export { readCustomCommands } from "./runners/commands/custom-commands.ts";
export { findRunner } from "./runners/find-runner.ts";
export { type CrewOptions, readRunnerOption, runnerNames, runnerTables } from "./runners/options/runner-options.ts";
export { Session, type SessionOptions } from "./session.ts";
export {
  type SubAgentCall,
  type SubAgentCallOptions,
  type SubAgentSummary,
  ToolSubAgent,
  type ToolSubAgentOptions,
} from "./tool-sub-agent.ts";
export type { EarlierResult } from "./verify/check-consistency.ts";
export { tokenSimilarity } from "./verify/token-similarity.ts";
export type { Verification, VerificationIssue } from "./verify/verification.ts";
export { type VerifyOptions, verifyResult } from "./verify/verify-result.ts";

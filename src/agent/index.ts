export { Agent, type AgentStream, type AskOptions } from "./agent.ts";
export type { AgentEvent, AgentListener, CallDecider, FoundItems, Place } from "./agent-event.ts";
export type {
  AgentFacts,
  AgentOutcome,
  AgentResult,
  AgentStatus,
  AgentStep,
  AnswerSource,
  OpenApproval,
} from "./agent-result.ts";
export { type AgentToolOptions, agentTool } from "./agent-tool.ts";
export { type ChatRequest, type RequestOptions, buildRequest } from "./build-request.ts";
export { type AgentOptions, createAgent } from "./create-agent.ts";
export type { Flow } from "./flow/flow.ts";
export type { ConversationMessage } from "./message.ts";
export { type OwnRunner, type RunnerCall, type RunnerTalk, type RunnerWork, toRunner } from "./own-runner.ts";
export {
  type OpenAIToolCall,
  type OpenAIToolMessage,
  type ToolCallOptions,
  processToolCalls,
} from "./process-tool-calls.ts";
export { isAmong } from "./run/may-use.ts";
export { foldReasoning, reasoningOf } from "./reasoning/fold-reasoning.ts";
export { languageOf } from "./reasoning/language-of.ts";
export { cutOffNote } from "./reasoning/note-words.ts";
export {
  type ReasoningBlock,
  type ReasoningLanguage,
  type ReasoningState,
  type ReasoningStep,
  noReasoning,
} from "./reasoning/reasoning-block.ts";
export type { AgentObserver, ObservedAgentRun, ObservedTurn } from "./run/agent-observer.ts";
export { AgentRuns } from "./run/agent-runs.ts";
export type { AgentExecuteOptions, AgentStartOptions } from "./run/execute-options.ts";
export { type AgentSpec, type QuestionImage, agentDefaults } from "./run/agent-spec.ts";
export { completeSpec } from "./run/complete-spec.ts";
export { readAgentRun, runsAbove } from "./run/kept-run.ts";
export type { AgentQuestion, Runner, RunnerAnswer } from "./runner.ts";
export {
  type CommandFault,
  type OwnCommand,
  type OwnCommands,
  readOwnCommands,
} from "./runners/commands/own-commands.ts";
export { findRunner } from "./runners/find-runner.ts";
export { type OptionReader, runnerNames, runnerOptions } from "./runners/options/runner-options.ts";
export { Session, type SessionOptions } from "./session.ts";
export {
  type SubAgentCall,
  type SubAgentCallOptions,
  type SubAgentSummary,
  ToolSubAgent,
  type ToolSubAgentOptions,
} from "./tool-sub-agent.ts";
export type { CrewOptions } from "./runners/crew/crew-options.ts";
export type { EarlierResult } from "./verify/check-consistency.ts";
export { tokenSimilarity } from "./verify/token-similarity.ts";
export type { Verification, VerificationIssue } from "./verify/verification.ts";
export { type VerifyOptions, verifyResult } from "./verify/verify-result.ts";

export { Agent, type AgentStream, type AskOptions } from "./agent.ts";
export type { AgentEvent, AgentListener, Place } from "./agent-event.ts";
export type { AgentResult, AgentStatus, AnswerSource } from "./agent-result.ts";
export { type AgentToolOptions, agentTool } from "./agent-tool.ts";
export { type ChatRequest, type RequestOptions, buildRequest } from "./build-request.ts";
export { type AgentOptions, createAgent } from "./create-agent.ts";
export type { ConversationMessage } from "./loop/message.ts";
export {
  type OpenAIToolCall,
  type OpenAIToolMessage,
  type ToolCallOptions,
  processToolCalls,
} from "./process-tool-calls.ts";
export {
  AgentRuns,
  type AgentExecuteOptions,
  type AgentRunsParts,
  type AgentStartOptions,
} from "./run/agent-runs.ts";
export { type AgentSpec, type QuestionImage, agentDefaults } from "./run/agent-spec.ts";
export { readAgentRun } from "./run/kept-run.ts";
export type { AgentQuestion, Runner, RunnerAnswer } from "./runner.ts";
export { findRunner, runnerNames } from "./runners/find-runner.ts";
export { Session } from "./session.ts";
export {
  type SubAgentCall,
  type SubAgentCallOptions,
  type SubAgentSummary,
  ToolSubAgent,
  type ToolSubAgentOptions,
} from "./tool-sub-agent.ts";

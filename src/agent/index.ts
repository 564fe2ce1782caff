/**
 * Agents: the loop and its runners as programs of a run; sessions, sub-agents, the reasoning block, verification.
 *
 * Belongs here: which calls a model makes, what it sees of their results, and when it is done.
 *
 * Must stay true: every tool call of a model goes through the engine, with the caller `conversation_agent`. Every tool
 * call gets a result message, also a malformed one. Once untrusted content is in a conversation, its calls are tainted
 * (`AgentRun.tainted`). Model requests are journaled like calls, so a resumed agent does not pay for them again.
 *
 * Test: `npm run vitest -- run src/agent test/agents`
 */

export * from "./agent.ts";
export type * from "./events/agent-event.ts";
export type * from "./events/agent-notice.ts";
export type * from "./events/agent-result.ts";
export * from "./agent-tool.ts";
export * from "./build-request.ts";
export * from "./create-agent.ts";

export type * from "./events/message.ts";
export * from "./custom-runner.ts";
export * from "./process-tool-calls.ts";
export * from "./run/is-tool-allowed.ts";
export * from "./reasoning/fold-reasoning.ts";
export * from "./texts/agent-texts.ts";
export * from "./reasoning/reasoning-block.ts";
export type * from "./run/agent-observer.ts";
export * from "./run/agent-runs.ts";
export type * from "./run/execute-options.ts";
export * from "./run/agent-spec.ts";
export * from "./run/resolve-agent-spec.ts";
export * from "./run/persisted-agent-run.ts";
export type * from "./run/runner.ts";
export * from "./runners/commands/custom-commands.ts";
export * from "./runners/find-runner.ts";
export * from "./runners/options/runner-options.ts";
export * from "./session.ts";
export * from "./tool-sub-agent.ts";
export type * from "./verify/check-consistency.ts";
export * from "./verify/token-similarity.ts";
export type * from "./verify/verification.ts";
export * from "./verify/verify-result.ts";

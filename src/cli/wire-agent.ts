import { type AgentResult, shownResult } from "../agent/index.ts";
import type { Redactor } from "../text/index.ts";
import { snakeKeys, toWireFailure } from "../tool/index.ts";

/** What an agent gave, as it is written for programs, secrets redacted; `left` where its process ends before the run. */
export function toWireAgent(result: AgentResult, redactor: Redactor, left = false): Record<string, unknown> {
  const { runId, conversationId, runner } = result;
  const { answer, partial, error, approvals, sources, notes } = shownResult(result, redactor, "all");
  return {
    run_id: runId,
    conversation_id: conversationId,
    runner,
    status: left ? "running" : result.status,
    answer,
    ...(partial !== undefined && { partial }),
    ...(sources !== undefined && { sources }),
    tool_usage_summary: snakeKeys({ ...result.toolUsageSummary }),
    usage: snakeKeys({ ...result.usage }),
    rounds: result.rounds,
    notes,
    duration_ms: result.durationMs,
    ...(approvals !== undefined && { approvals }),
    ...(error !== undefined && { error: toWireFailure(error) }),
  };
}

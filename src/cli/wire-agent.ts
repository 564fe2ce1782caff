import type { AgentResult } from "../agent/index.ts";
import type { Redactor } from "../text/index.ts";
import { snakeKeys, toWireFailure } from "../tool/index.ts";

/** What an agent gave, as it is written for programs, secrets redacted; `left` where its process ends before the run. */
export function toWireAgent(result: AgentResult, redactor: Redactor, left = false): Record<string, unknown> {
  const { runId, conversationId, runner, answer, partial, error, approvals, sources, notes } = result;
  return {
    run_id: runId,
    conversation_id: conversationId,
    runner,
    status: left ? "running" : result.status,
    answer: redactor.text(answer),
    ...(partial !== undefined && { partial: redactor.text(partial) }),
    ...(sources !== undefined && { sources: redactor.value(sources) }),
    tool_usage_summary: snakeKeys({ ...result.toolUsageSummary }),
    usage: snakeKeys({ ...result.usage }),
    rounds: result.rounds,
    notes: redactor.value(notes),
    duration_ms: result.durationMs,
    ...(approvals !== undefined && { approvals: redactor.value(approvals) }),
    ...(error !== undefined && { error: redactor.value(toWireFailure(error)) }),
  };
}

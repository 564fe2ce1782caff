import type { AgentResult } from "../agent/index.ts";
import type { Redactor } from "../text/index.ts";
import { snakeKeys, toWireFailure } from "../tool/index.ts";

/** What an agent gave, as it is written for programs, secrets redacted. */
export function toWireAgent(result: AgentResult, redactor: Redactor): Record<string, unknown> {
  const { runId, conversationId, runner, status, answer, error, approvals, sources, notes } = result;
  return {
    run_id: runId,
    conversation_id: conversationId,
    runner,
    status,
    answer: redactor.text(answer),
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

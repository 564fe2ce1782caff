import { failure } from "../base/index.ts";
import type { ToolResult } from "../tool/index.ts";
import type { StepExecutor } from "./host/executor.ts";

/**
 * For a run that can only end any more: tools that are what they were are still called, so that what was done can be
 * undone; the others are refused, and the log says so.
 */
export function refusingExecutor(executor: StepExecutor, changed: ReadonlySet<string>): StepExecutor {
  return {
    begin: (key, work, hooks) => {
      if (!changed.has(work.tool)) return executor.begin(key, work, hooks);
      const result = refusal(work.tool);
      return { run: () => result, abort: () => {} };
    },
  };
}

function refusal(tool: string): ToolResult {
  const message = `${tool} has changed since the run began, or is gone; it was not called`;
  return {
    success: false,
    tool,
    error: failure("not_available", message, { reason: "tool_changed", retry: "never" }),
    durationMs: 0,
    executedAt: 0,
    meta: { callId: "", source: "", attempts: 0 },
  };
}

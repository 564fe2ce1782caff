import type { Failure } from "../../base/index.ts";
import type { ToolResult } from "../../tool/index.ts";

/** How something ended. */
export type Ending<Output = unknown> =
  | { readonly success: true; readonly output: Output }
  | { readonly success: false; readonly error: Failure };

/** When that was; epoch milliseconds. */
interface Times {
  readonly executedAt: number;
  readonly durationMs: number;
}

/** A result that came about without the engine; without times for what was never begun. */
export function resultOf<Output>(tool: string, ending: Ending<Output>, times?: Times): ToolResult<Output> {
  const { executedAt = 0, durationMs = 0 } = times ?? {};
  const meta = { callId: "", source: "", attempts: times === undefined ? 0 : 1 };
  return { ...ending, tool, durationMs, executedAt, meta };
}

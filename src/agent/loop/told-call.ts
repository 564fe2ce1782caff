import type { Effect, ToolResult } from "../../tool/index.ts";
import type { CallDecider } from "../agent-event.ts";
import type { Flow } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type CalledTool, type ToolRequest, callTool } from "./call-tool.ts";
import { foundItems } from "./found-items.ts";
import { summaryOf } from "../run/summary-of.ts";

/** A call, and how the run remembers it. */
export interface ToldRequest extends ToolRequest {
  readonly decidedBy: CallDecider;
  /** As `MadeCalls.keyOf` has it; undefined for one that nobody can repeat. */
  readonly madeKey: string | undefined;
  /** The effect of the call where no handler got to run. */
  readonly effect: Effect;
}

/** Makes a call, counts and remembers it, and tells of its beginning and its end. */
export function* toldCall(run: AgentRun, request: ToldRequest): Flow<CalledTool> {
  const { place, callId, tool, decidedBy, args, madeKey, effect } = request;
  if (run.listens) run.begins({ type: "tool-started", ...place, callId, tool, decidedBy, args: run.shown(args) });
  const called = yield* callTool(run, request);
  const { result } = called;
  // Stopped before it could run, such as at the question whether it may.
  if (called.effect !== undefined || result.success || result.error.code !== "cancelled") run.count(result);
  if (madeKey !== undefined) {
    run.made.add(madeKey, { callId, result, effect: called.effect ?? effect, ran: called.effect !== undefined });
  }
  tellEnd(run, request, { result });
  return called;
}

/** How a call ended; `duplicate` where it was not made, since it had been. */
interface CallEnd {
  readonly result: ToolResult;
  readonly duplicate?: true;
}

/** Tells how a call ended, also one that was never made. */
export function tellEnd(
  run: AgentRun,
  { place, callId, decidedBy }: Pick<ToldRequest, "place" | "callId" | "decidedBy">,
  { result, duplicate }: CallEnd,
): void {
  if (!run.listens) return;
  const { success, durationMs } = result;
  const found = result.success ? foundItems(run, result.output) : undefined;
  run.tell({
    type: "tool-finished",
    ...place,
    callId,
    tool: result.tool,
    decidedBy,
    durationMs,
    success,
    summary: summaryOf(run, result),
    ...(found !== undefined && { found }),
    ...(!result.success && { error: result.error }),
    ...(duplicate && { duplicate }),
  });
}

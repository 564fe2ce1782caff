import type { Effect, ToolResult } from "../../tool/index.ts";
import type { Flow } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type CalledTool, type ToolRequest, callTool } from "./call-tool.ts";
import { foundItems } from "./found-items.ts";
import { summaryOf } from "./result-part.ts";

/** A call, and how the run remembers it. */
export interface ToldRequest extends ToolRequest {
  /** As `MadeCalls.keyOf` has it; undefined for one that nobody can repeat. */
  readonly madeKey: string | undefined;
  /** The effect of the call where no handler got to run. */
  readonly effect: Effect;
}

/** Makes a call, counts and remembers it, and tells of its beginning and its end. */
export function* toldCall(run: AgentRun, request: ToldRequest): Flow<CalledTool> {
  const { place, callId, tool, args, madeKey, effect } = request;
  if (run.listens) run.tell({ type: "tool-started", ...place, callId, tool, args: run.shown(args) });
  const called = yield* callTool(run, request);
  const { result } = called;
  run.count(result);
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
  { place, callId }: Pick<ToolRequest, "place" | "callId">,
  { result, duplicate }: CallEnd,
): void {
  if (!run.listens) return;
  const { success, durationMs } = result;
  const found = result.success ? foundItems(result.output) : undefined;
  run.tell({
    type: "tool-finished",
    ...place,
    callId,
    tool: result.tool,
    durationMs,
    success,
    summary: summaryOf(run, result),
    ...(found !== undefined && { found }),
    ...(!result.success && { error: result.error }),
    ...(duplicate && { duplicate }),
  });
}

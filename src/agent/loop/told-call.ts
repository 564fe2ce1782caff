import type { Effect, ToolResult } from "../../tool/index.ts";
import type { CallDecider } from "../agent-event.ts";
import type { CallWish, Flow } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import {
  type CalledTool,
  type FirstOutcome,
  type ToolRequest,
  askAbout,
  callWish,
  concernsNobody,
} from "./call-tool.ts";
import { foundItems } from "./found-items.ts";
import { summaryOf } from "../run/summary-of.ts";

/** A call, and how the run remembers it. */
export interface ToldRequest extends ToolRequest {
  readonly decidedBy: CallDecider;
  /** As `callKey` has it; undefined for one that nobody can repeat. */
  readonly madeKey: string | undefined;
  /** The effect of the call where no handler got to run. */
  readonly effect: Effect;
}

/** Makes a call, counts and remembers it, and tells of its beginning and its end. */
export function* toldCall(run: AgentRun, request: ToldRequest): Flow<CalledTool> {
  const outcome: FirstOutcome = yield toldWish(run, request);
  return toldEnd(
    run,
    request,
    concernsNobody(run, request, outcome) ? outcome : yield* askAbout(run, request, outcome),
  );
}

/** The wish to make a call, whose beginning is told. */
export function toldWish(run: AgentRun, request: ToldRequest): CallWish {
  const { place, callId, tool, decidedBy, args } = request;
  if (run.listens) run.begins({ type: "tool-started", ...place, callId, tool, decidedBy, args: run.shown(args) });
  return callWish(run, request);
}

/** Counts and remembers a call that is settled, and tells of its end. */
export function toldEnd(run: AgentRun, request: ToldRequest, called: CalledTool): CalledTool {
  const { callId, madeKey, effect } = request;
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

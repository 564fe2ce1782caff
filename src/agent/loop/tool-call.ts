import {
  type CallEffect,
  type CallWork,
  type CallOutcome,
  type DecidedOutcome,
  type FirstOutcome,
  type RequestedApproval,
  type RunProgram,
  type ToolCallOutcome,
  approvalPromptOf,
  callWithApproval,
} from "../../run/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A call requested by a model or a runner. */
export interface ToolCallRequest {
  readonly turnRef: TurnRef;
  /** Unique in the run, and the same in every replay. */
  readonly key: string;
  /** Id of the call in the model's messages. */
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The effect that makes a call. Its outcome goes to {@link needsNoApproval}. */
export function toolCallEffect(run: AgentRun, request: ToolCallRequest): CallEffect {
  return {
    kind: "call",
    key: `${request.key}#1`,
    work: workOf(run, request),
    onProgress: progressOf(run, request),
  };
}

/** True if the call needs no approval, which holds for most calls; the others go to {@link requestToolApproval}. */
export function needsNoApproval(
  run: AgentRun,
  request: ToolCallRequest,
  outcome: FirstOutcome,
): outcome is CallOutcome {
  return outcome.kind === "call" && (run.isCancelled || approvalPromptOf(request, outcome) === undefined);
}

/** Retries a call whose first attempt needs a person's approval until it is settled, and reports the approvals. */
export function requestToolApproval(
  run: AgentRun,
  request: ToolCallRequest,
  first: FirstOutcome,
): RunProgram<ToolCallOutcome> {
  const { turnRef, callId, tool } = request;
  const about = { ...turnRef, callId, tool };
  const call = {
    ...workOf(run, request),
    key: request.key,
    isCancelled: () => run.isCancelled,
    onProgress: progressOf(run, request),
    onRequested: ({ approvalId, args, message, tool: called }: RequestedApproval) =>
      run.emit({
        type: "approval-requested",
        ...about,
        tool: called,
        approvalId,
        args: run.redactedForApproval(args),
        message,
      }),
    onDecided: ({ approvalId, status, note }: DecidedOutcome) =>
      run.emit({
        type: "approval-decided",
        ...about,
        approvalId,
        approved: status === "approved",
        ...(note !== undefined && { note }),
      }),
  };
  return callWithApproval(call, first);
}

function workOf({ runId }: AgentRun, { key, tool, args }: ToolCallRequest): CallWork {
  return {
    tool,
    args,
    idempotencyKey: `${runId}/${key}`,
  };
}

function progressOf(run: AgentRun, { turnRef, callId, tool }: ToolCallRequest): ((value: unknown) => void) | undefined {
  if (!run.hasListener) return undefined;
  return (value) => run.emit({ type: "tool-progress", ...turnRef, callId, tool, value });
}

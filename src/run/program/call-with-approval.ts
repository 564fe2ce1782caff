import { failure } from "../../base/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { ApprovalWait, CallOutcome, DecidedOutcome, InterruptedOutcome } from "../host.ts";
import { type RunProgram, createToolResult, performCall, waitForApproval } from "./run-effect.ts";

/** Outcome of a tool call; `effect` is undefined if the handler never ran. */
export interface ToolCallOutcome {
  readonly result: ToolResult;
  readonly effect: Effect | undefined;
}

/** An approval that was requested for a call, or for a call that its tool makes itself. */
export interface RequestedApproval {
  readonly approvalId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly message: string;
}

/** A tool call of a program that may need a person's approval. */
export interface ProgramCall {
  /** Unique in the run, and the same in every replay. */
  readonly key: string;
  readonly tool: string;
  readonly args: unknown;
  readonly idempotencyKey: string;
  readonly isCancelled: () => boolean;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  readonly onRequested?: (requested: RequestedApproval) => void;
  readonly onDecided?: (decided: DecidedOutcome) => void;
}

/** Approvals granted so far. */
interface Permit {
  /** Each is bound to the tool as it was when approval was requested. */
  allowed: readonly string[];
  /** The last decided approval. */
  last: string | undefined;
}

/** Outcome of the first attempt of a call. */
export type FirstOutcome = CallOutcome | InterruptedOutcome;

/**
 * Requests approval for a call after its first attempt if the rules require it: the run is suspended and resumes with
 * this call in the process that has the decision. A call that was running when its process ended, and must not run
 * twice, needs a decision as well. The call is retried until it is settled.
 */
export function* callWithApproval(request: ProgramCall, first: FirstOutcome): RunProgram<ToolCallOutcome> {
  const permit: Permit = { allowed: [], last: undefined };
  let outcome = first;
  for (let attempt = 1; ; attempt++) {
    const key = `${request.key}#${attempt}`;
    if (outcome.kind === "interrupted") {
      const settled = yield* requestInterruptedDecision(request, { key, outcome });
      if (settled !== undefined) return settled;
    } else {
      const approvalPrompt = neededApproval(request, outcome);
      // Requesting a decided approval once more would loop forever.
      if (approvalPrompt === undefined || approvalPrompt.approvalId === permit.last) return outcome;
      const decided = yield* requestPersonDecision(request, { ...approvalPrompt, key });
      const { pendingApproval } = outcome;
      // An approval requested by an agent tool is handled by that agent, also if it was rejected: the tool is called
      // once more.
      const takesAnswer =
        pendingApproval !== undefined && pendingApproval.key === undefined && decided.status !== "cancelled";
      if (decided.status !== "approved" && !takesAnswer) {
        return { result: refused(request, decided), effect: undefined };
      }
      permit.last = approvalPrompt.approvalId;
      const allows = pendingApproval === undefined ? outcome.approvalKey : pendingApproval.key;
      if (allows !== undefined) permit.allowed = [...permit.allowed, allows];
    }
    const { tool, args, idempotencyKey, onProgress } = request;
    const work = { tool, args, idempotencyKey, allowed: permit.allowed };
    outcome = yield* performCall(`${request.key}#${attempt + 1}`, work, { onProgress });
  }
}

/** In a cancelled run, nothing is requested. */
function neededApproval(request: ProgramCall, outcome: CallOutcome): ApprovalPrompt | undefined {
  return request.isCancelled() ? undefined : approvalPromptOf(request, outcome);
}

type ApprovalPrompt = Pick<ApprovalWait, "message" | "approvalId" | "tool" | "args" | "interrupted">;

/** The approval that a rule requires; undefined if the call succeeded, or failed for another reason. */
export function approvalPromptOf(
  { tool, args }: Pick<ProgramCall, "tool" | "args">,
  { result, pendingApproval }: CallOutcome,
): ApprovalPrompt | undefined {
  if (result.success) return undefined;
  if (pendingApproval !== undefined) return pendingApproval;
  const { code, approvalId } = result.error;
  if (code !== "approval_required" || approvalId === undefined) return undefined;
  return { tool, args, message: `Allow ${tool} to run with these arguments?`, approvalId };
}

function* requestPersonDecision(
  { key: step, onRequested, onDecided }: ProgramCall,
  { key, tool, args, message: text, approvalId: requestedId, interrupted }: ApprovalPrompt & { readonly key: string },
): RunProgram<Verdict> {
  const wait = {
    kind: "approval" as const,
    step,
    tool,
    args,
    message: text,
    approvers: [],
    expiresMs: undefined,
    approvalId: requestedId,
    ...(interrupted === true && { interrupted }),
  };
  const decided = yield* waitForApproval(`${key}?`, wait, (approvalId, note) => {
    const message = note === undefined ? text : `${text} (${note})`;
    onRequested?.({ approvalId, tool, args, message });
  });
  if (decided.kind === "cancel") return { status: "cancelled" };
  onDecided?.(decided);
  return decided;
}

type Verdict = DecidedOutcome | { readonly status: "cancelled"; readonly note?: undefined };

/** Requests a decision about a call with an unknown outcome: undefined if a person wants it to run once more. */
function* requestInterruptedDecision(
  request: ProgramCall,
  { key, outcome }: { readonly key: string; readonly outcome: InterruptedOutcome },
): RunProgram<ToolCallOutcome | undefined> {
  const { tool, args } = request;
  const since = new Date(outcome.startedAt).toISOString();
  const message =
    `${tool} was running when its process ended (started ${since}), and must not run twice. Find out whether its work ` +
    `was done: approve to run it again, approve --done if it was done, reject to continue without it.`;
  const requestedId = { key, tool, args, message, approvalId: undefined, interrupted: true as const };
  const decided = yield* requestPersonDecision(request, requestedId);
  if (decided.status !== "approved") {
    const error = failure("interrupted", `${tool} was running when its process ended; it is unknown how far it got`, {
      forModel: `It is not known whether ${tool} did its work, and a person decided not to run it again. Continue without it.`,
      retry: "never",
    });
    return { result: createToolResult(request.tool, { success: false, error }), effect: "once" };
  }
  if (decided.done !== undefined) {
    return {
      result: createToolResult(request.tool, { success: true, output: decided.done.output ?? null }),
      effect: "once",
    };
  }
  // The rules may still require approval of the call: the permission to run it twice does not cover that.
  return undefined;
}

function refused(request: ProgramCall, verdict: Verdict): ToolResult {
  const { tool } = request;
  const content = verdict.note === undefined ? "" : `: ${verdict.note}`;
  if (verdict.status === "cancelled") {
    return createToolResult(request.tool, {
      success: false,
      error: failure("cancelled", `${tool} was not run: the run was cancelled`),
    });
  }
  const expired = verdict.status === "expired";
  const why = expired
    ? `the approval to run ${tool} expired without a decision`
    : `a person refused to let ${tool} run${content}`;
  const error = failure("permission_denied", why, {
    reason: expired ? "expired" : "rejected",
    forModel: `${why}. Do not request it again; continue without it, or say what you would need it for.`,
    retry: "never",
  });
  return createToolResult(request.tool, { success: false, error });
}

import { type Failure, jsonText } from "../base/index.ts";
import { approvalTooLarge } from "../store/index.ts";
import { type AnyTool, type TargetKind, fingerprintTool } from "../tool/index.ts";
import { approvalKey } from "./approval-service.ts";
import { canElicitApproval } from "./call-context.ts";
import type { Call } from "./call.ts";
import type { ApprovalAnswer, Approver } from "./approver.ts";
import { untrustedTargetOf } from "./decide-permission.ts";
import { isChoosingJob } from "./job.ts";

/** An approval request for one call, and the arguments that the decision is bound to. */
export interface ApprovalHandle {
  /** A JSON copy of the arguments: even if the caller changes its objects, exactly these are approved and run. */
  readonly args: unknown;
  readonly answer: Promise<ApprovalAnswer | RefusedApproval>;
  /** Withdraws the request: the decision is no longer needed. */
  withdraw(): void;
}

/** No approval was requested, because the call would fail even with one. */
export interface RefusedApproval {
  readonly kind: "refused";
  readonly failure: Failure;
}

/** Requests approval for a call with exactly these arguments. */
export function requestApproval(call: Call, tool: AnyTool): ApprovalHandle {
  const { core, context } = call;
  const refusal = tool.refuseApproval?.(canElicitApproval(context));
  if (refusal !== undefined) {
    return { args: undefined, answer: Promise.resolve({ kind: "refused", failure: refusal }), withdraw: ignore };
  }
  const json = jsonText(call.rawArgs);
  const args: unknown = "text" in json ? JSON.parse(json.text) : call.rawArgs;
  // Arguments that JSON cannot distinguish must not share an approval: it then covers only this one call.
  const bound = "text" in json ? args : { callId: call.callId };
  const waiting = new AbortController();
  const { approver, chosen } = findApprover(call);
  const scope = approver.bindsToRun === true ? undefined : context;
  const scripts = tool.scripts?.();
  // Also bound to the current tool definition, and to the scripts of its command: the approval does not cover another
  // tool under the same name.
  const definition = [fingerprintTool(tool), tool.description, bound, ...(scripts === undefined ? [] : [scripts])];
  const request = {
    key: approvalKey(tool.name, definition, context.principal, scope),
    tool: tool.name,
    // Redacts known secrets only, not values that merely look like one: an approver must see what is decided.
    args: core.redactor.known(args),
    message: approvalMessage(tool, untrustedTargetOf(call, tool)),
    callerType: context.callerType ?? "direct",
    expiresAt: call.executedAt + core.limits.approvalMs,
    ...(context.principal !== undefined && { principal: context.principal }),
  };
  const unseen = "text" in json ? approvalTooLarge(Buffer.byteLength(json.text)) : undefined;
  const answer: Promise<ApprovalAnswer> =
    unseen === undefined
      ? validAnswer(approver.requestApproval(request, waiting.signal, chosen)).then((decided) =>
          refuseChanged(decided, tool, scripts),
        )
      : Promise.resolve({ kind: "rejected", wasRequested: false, note: unseen });
  return { args, answer, withdraw };

  function withdraw(): void {
    waiting.abort();
    // It may still approve, and consume an approval for a call that never runs.
    answer.then((late) => late.kind === "approved" && restoreApproval(late.restore), ignore);
  }
}

/** An approval of a script does not cover one that changed while the approver decided. */
function refuseChanged(answer: ApprovalAnswer, { scripts }: AnyTool, before: string | undefined): ApprovalAnswer {
  if (answer.kind !== "approved" || scripts?.() === before) return answer;
  restoreApproval(answer.restore);
  return { kind: "rejected", wasRequested: false, note: "its script changed while it waited; call it again" };
}

/** Maximum number of covered calls that a message lists. */
const maxListed = 20;

/** The message for the approver; it lists the destructive calls that the approval covers. */
function approvalMessage({ displayName, coveredCalls }: AnyTool, untrusted: TargetKind | undefined): string {
  const why = untrusted === undefined ? "" : ` Untrusted content decides its ${untrusted}.`;
  const message = `Allow ${displayName} to run with these arguments?${why}`;
  const calls = [...new Set((coveredCalls?.() ?? []).map(({ tool, step }) => (step ? `${step} (${tool})` : tool)))];
  if (calls.length === 0) return message;
  const more = calls.length > maxListed ? `, and ${calls.length - maxListed} more` : "";
  return `${message} This also approves its destructive calls: ${calls.slice(0, maxListed).join(", ")}${more}.`;
}

/**
 * Restores an approval that was consumed by a call that never ran. If the approver fails to restore it, it stays
 * consumed.
 */
export function restoreApproval(take: (() => Promise<void>) | undefined): void {
  if (take === undefined) return;
  Promise.resolve().then(take).catch(ignore);
}

function ignore(): void {}

/** Checks the answer of the approver, which is user code: an invalid answer approves nothing. */
async function validAnswer(request: Promise<ApprovalAnswer>): Promise<ApprovalAnswer> {
  const answer = await request;
  if (["approved", "rejected", "pending"].includes(answer?.kind)) return answer;
  throw new TypeError("the approver returned no answer of the kind approved, rejected or pending");
}

/**
 * Returns the approver of the call's owner, or of the nearest enclosing call that has an owner, and whether that call
 * only chose.
 */
function findApprover(call: Call): { readonly approver: Approver; readonly chosen: boolean } {
  let approver = call.context.hooks?.approver;
  let chosen = approver === undefined && call.parent !== undefined;
  for (let outer = call.parent; approver === undefined && outer !== undefined; outer = outer.parent) {
    approver = outer.context.hooks?.innerApprover;
    chosen &&= isChoosingJob(outer);
  }
  return { approver: approver ?? call.core.approver, chosen };
}

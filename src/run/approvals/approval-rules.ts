import type { Approval, ApprovalRequest } from "../../store/index.ts";
import type { ApprovalWait, DecidedOutcome } from "../host.ts";

/** Returns the decision, or undefined while the approval is pending. */
export function verdictOf({ status, decidedAt }: Approval): DecidedOutcome["status"] | undefined {
  switch (status) {
    case "pending":
      return undefined;
    // Consumed by an earlier lease holder that lost the run before it could journal the decision: the approval still
    // counts.
    case "used":
      return "approved";
    // A decision that was made in time counts even if the run learns of it later; only approvals expire after the
    // decision.
    case "expired":
      return decidedAt === undefined ? "expired" : "approved";
    case "approved":
    case "rejected":
      return status;
  }
}

export function mayDecide({ approvers = [] }: Approval, by: string | undefined): boolean {
  return approvers.length === 0 || (by !== undefined && approvers.includes(by));
}

/** Returns why a decision does not count, or undefined if it does. */
export function whyDisregarded(approval: Approval, { interrupted }: ApprovalWait): string | undefined {
  if (!mayDecide(approval, approval.decidedBy)) return disregarded(approval, approval.decidedBy);
  if (approval.done === undefined || interrupted === true) return undefined;
  return "the call was not running when a process ended, so it cannot be marked as done: approve or reject it";
}

export function disregarded({ approvers = [] }: Approval, by: string | undefined): string {
  return `the decision of ${by ?? "an unnamed person"} does not count: only ${approvers.join(" or ")} may decide`;
}

/** Removes the attempt from a key: another attempt with the same arguments shares the approval. */
export const baseOf = (key: string): string => key.slice(0, key.lastIndexOf("#"));

/** Returns the step that a key without its attempt belongs to, and the approval message for that step. */
export function aboutStep(base: string, message: string): Pick<ApprovalRequest, "message"> & { readonly step: string } {
  const step = base.replaceAll(/[#~!]\d+|\^$/g, "");
  return { step, message: base.endsWith("^") ? compensationMessage(step, message) : message };
}

/** Approval message for compensating a step, as opposed to running it. */
export function compensationMessage(step: string, message: string): string {
  return `Undo of step ${step}: ${message}`;
}

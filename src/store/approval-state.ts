import type { Approval } from "./approvals.ts";

/** Maximum number of approvals in a list, and in memory. */
export const maxApprovals = 1000;

/** Returns the approval as of this time: expired if it was not decided or used in time. */
export function approvalStateAt(approval: Approval, now: number): Approval {
  const late = now >= approval.expiresAt && (approval.status === "pending" || approval.status === "approved");
  return late ? { ...approval, status: "expired" } : approval;
}

/** True if the approval still applies to its key. */
export function isApprovalOpen(approval: Approval, now: number): boolean {
  return now < approval.expiresAt && approval.status !== "used" && approval.status !== "expired";
}

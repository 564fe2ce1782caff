import type { Approval } from "./approvals.ts";

/** How many approvals a list gives, and how many the memory keeps. */
export const maxApprovals = 1000;

/** The approval as it stands at this time: one that nobody decided or used in time has expired. */
export function approvalAt(approval: Approval, now: number): Approval {
  const late = now >= approval.expiresAt && (approval.status === "pending" || approval.status === "approved");
  return late ? { ...approval, status: "expired" } : approval;
}

/** Does this approval still answer for its key? */
export function isOpen(approval: Approval, now: number): boolean {
  return now < approval.expiresAt && approval.status !== "used" && approval.status !== "expired";
}

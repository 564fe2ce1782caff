import type { PendingStepApproval, StepState } from "./step-state.ts";

/** Stores a pending approval with its step; requested once more, it has another id. */
export function addPendingApproval(state: StepState, approval: PendingStepApproval): void {
  removePendingApproval(state, approval.key);
  state.approvalId = approval.approvalId;
  state.pendingApprovals = [...(state.pendingApprovals ?? []), approval];
}

/** It is decided, or the decision is no longer needed. */
export function removePendingApproval(state: StepState, key: string): void {
  if (state.pendingApprovals === undefined) return;
  const left = state.pendingApprovals.filter((approval) => approval.key !== key);
  state.pendingApprovals = left.length === 0 ? undefined : left;
}

import type { ApprovalService } from "../../engine/index.ts";
import type { Approval, RunReader } from "../../store/index.ts";

/** Approvals, and the store of the runs that requested them. */
export interface ApprovalLookup {
  readonly approvals: Pick<ApprovalService, "list">;
  /** Undefined if no run is persisted. */
  readonly store?: { readonly runs: Pick<RunReader, "read"> } | undefined;
}

/** The pending approvals by the runs that wait for them. */
export async function approvalsByRun({
  approvals,
  store,
}: ApprovalLookup): Promise<{ readonly approval: Approval; readonly runs: readonly string[] }[]> {
  const pending = await approvals.list("pending");
  const waiting = new Map<string, readonly string[]>();
  for (const { runId } of pending) {
    if (runId !== undefined && !waiting.has(runId)) waiting.set(runId, await waitingFor(runId, store));
  }
  return pending.map((approval) => ({ approval, runs: waiting.get(approval.runId ?? "") ?? [] }));
}

/** The approvals that a run waits for, including those of agents that it called, oldest first. */
export async function listOpenApprovals(lookup: ApprovalLookup, runId: string): Promise<Approval[]> {
  const all = await approvalsByRun(lookup);
  return all.flatMap(({ approval, runs }) => (runs.includes(runId) ? [approval] : [])).reverse();
}

/** The run that requested the approval, and its ancestors if it was called as a tool. */
async function waitingFor(runId: string, store: ApprovalLookup["store"]): Promise<readonly string[]> {
  const found = await store?.runs.read(runId);
  if (store === undefined || found === undefined || found.run.calledBy === undefined) return [runId];
  return (await import("../../run/index.ts")).ancestorRunIds(store.runs, runId);
}

/** The parts of an approval that name its step. */
export type ApprovalSummary = Pick<Approval, "step" | "message">;

/** True if the approval is for the compensation of a step. */
export function isUndo(approval: ApprovalSummary): boolean {
  return approval.message.startsWith(undoOf(approval));
}

/** Prefix that runs write before an approval message about a compensation. */
export function undoOf({ step = "?" }: ApprovalSummary): string {
  return `Undo of step ${step}: `;
}

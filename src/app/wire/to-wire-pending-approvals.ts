import type { ApprovalService } from "../../engine/index.ts";
import type { Approval } from "../../store/index.ts";
import { toWireApproval } from "./to-wire.ts";

/**
 * Approvals in JSON output. A pending one has the last one that was approved for the same tool and step, so that a person
 * can compare their arguments.
 *
 * @param service Lists the earlier ones.
 */
export async function toWireApprovals(
  approvals: readonly Approval[],
  service: Pick<ApprovalService, "list">,
): Promise<Record<string, unknown>[]> {
  const hasPending = approvals.some(({ status }) => status === "pending");
  const approved = hasPending ? [...(await service.list("approved")), ...(await service.list("used"))] : [];
  return approvals.map((approval) => {
    const last = approval.status === "pending" ? lastApproved(approval, approved) : undefined;
    return { ...toWireApproval(approval), ...(last !== undefined && { last_approved: toLastApproved(last) }) };
  });
}

function lastApproved({ tool, step }: Approval, approved: readonly Approval[]): Approval | undefined {
  return approved
    .filter((other) => other.tool === tool && other.step === step)
    .reduce<Approval | undefined>(
      (last, each) => ((last?.decidedAt ?? 0) < (each.decidedAt ?? 0) ? each : last),
      undefined,
    );
}

function toLastApproved(approval: Approval): Record<string, unknown> {
  const { id, args, decided_at, decided_by } = toWireApproval(approval);
  return { id, args, decided_at, ...(decided_by !== undefined && { decided_by }) };
}

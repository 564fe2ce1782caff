import { toWireApproval, toWireApprovals } from "../../app/index.ts";
import type { Approval } from "../../store/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type ServerRequest, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";

/** Approvals: list and decide. */
export function approvalRoutes(): Handlers<"list_approvals" | "decide_approval"> {
  return {
    list_approvals: async ({ workspace, query }) => {
      const approvals = await workspace.approvals.list(query.status);
      // The newest first.
      const page = pageOf(
        approvals,
        query,
        ({ createdAt, id }) => `${(1e15 - createdAt).toString().padStart(16, "0")}/${id}`,
      );
      const items = await toWireApprovals(page.items, workspace.approvals);
      return { ...page, items: items.map((item) => asWire<"Approval">(item)) };
    },
    decide_approval: async (request) => asWire<"Approval">(toWireApproval(await decide(request))),
  };
}

async function decide(request: ServerRequest<"decide_approval">): Promise<Approval> {
  const { workspace, params, body, caller, requestId } = request;
  const { decision, note, output } = body;
  const decided = await workspace.approvals.decide(params.id, {
    approved: decision !== "reject",
    by: caller.principal,
    requestId,
    ...(note !== undefined && { note }),
    ...(decision === "done" && { done: { output: output ?? null } }),
  });
  if (decided === undefined) throw refusal("not_found", `there is no approval ${JSON.stringify(params.id)}`);
  const { approval, isRecorded, refusal: refused } = decided;
  if (isRecorded) return approval;
  const detail = refused?.message ?? `the approval was already ${approval.status}`;
  const { id, decidedBy } = approval;
  const isForbidden = refused?.reason === "not_an_approver";
  if (approval.status === "pending") await auditRefusal(request, refused?.reason ?? "conflict");
  throw refusal(isForbidden ? "forbidden" : "conflict", detail, {
    approval_id: id,
    ...(refused !== undefined && { reason: refused.reason }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  });
}

/** A refusal that the approvals do not see, because nothing was decided. */
async function auditRefusal(request: ServerRequest<"decide_approval">, outcome: string): Promise<void> {
  const { workspace, params, body } = request;
  const about = { action: "approval.decide", target: params.id, detail: body.decision, outcome };
  await workspace.audit.add({ at: Date.now(), by: request.caller.principal, requestId: request.requestId, ...about });
}

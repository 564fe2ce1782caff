import { toWireApproval, toWireApprovals } from "../../app/index.ts";
import type { Decided } from "../../engine/index.ts";
import type { Approval } from "../../store/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type ServerRequest, actorOf, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";

/** Approvals: list and decide. */
export function approvalRoutes(): Handlers<"list_approvals" | "get_approval" | "decide_approval"> {
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
    get_approval: async ({ workspace, params: { id } }) => {
      const approval = await workspace.approvals.find(id);
      if (approval === undefined) throw unknownApproval(id);
      return asWire<"Approval">(toWireApproval(approval));
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
  if (decided === undefined) throw unknownApproval(params.id);
  if (decided.isRecorded) return decided.approval;
  // A decision that did not reach the approval is not in their log.
  if (decided.approval.status === "pending") await auditRefusal(request, decided.refusal?.reason ?? "conflict");
  throw refusalOf(decided);
}

function refusalOf({ approval, refusal: refused }: Decided): Error {
  const { id, status, decidedBy } = approval;
  const detail = refused?.message ?? `the approval was already ${status}`;
  return refusal(refused?.reason === "not_an_approver" ? "forbidden" : "conflict", detail, {
    approval_id: id,
    ...(refused !== undefined && { reason: refused.reason }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  });
}

async function auditRefusal(request: ServerRequest<"decide_approval">, outcome: string): Promise<void> {
  const { workspace, params, body } = request;
  const about = { action: "approval.decide", target: params.id, detail: body.decision, outcome };
  await workspace.audit.add({ at: Date.now(), ...actorOf(request), ...about });
}

function unknownApproval(id: string): Error {
  return refusal("not_found", `there is no approval ${JSON.stringify(id)}`);
}

import type { Approval, ApprovalStore } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import type { Invocation } from "./invocation.ts";
import { aboutStep, openQuestions } from "./open-questions.ts";
import { unknownApproval } from "./unknown-approval.ts";
import { UsageError } from "./usage-error.ts";

/** The approval of an id, or the only one that a run of that id waits for. Throws where there is none, or several. */
export async function findApproval(id: string, approvals: ApprovalStore, invocation: Invocation): Promise<Approval> {
  const now = Date.now();
  const found = await approvals.get(id, now);
  if (found !== undefined) return found;
  const [only, ...others] = await openQuestions(approvals, id, now);
  if (only === undefined) throw await unknownApproval(id, approvals, invocation);
  if (others.length === 0) return only;
  const lines = [only, ...others].map((one) => `${one.id}   ${aboutStep(one)}: ${oneLine(one.tool)}`);
  throw new UsageError(`run ${id} waits for ${lines.length} decisions; name one of them`, ...lines);
}

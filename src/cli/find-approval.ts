import type { Approval, ApprovalStore, RunJournal } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import type { Invocation } from "./invocation.ts";
import { aboutStep, openQuestions } from "./open-questions.ts";
import { unknownApproval } from "./unknown-approval.ts";
import { UsageError } from "./usage-error.ts";

/** The approval of an id, or the only one that a run of that id waits for. Throws where there is none, or several. */
export async function findApproval(
  id: string,
  store: { readonly approvals: ApprovalStore; readonly runs: RunJournal },
  invocation: Invocation,
): Promise<Approval> {
  const { approvals } = store;
  const found = await approvals.get(id, Date.now());
  if (found !== undefined) return found;
  const [only, ...others] = await openQuestions({ approvals, store }, id);
  if (only === undefined) throw await unknownApproval(id, approvals, invocation);
  if (others.length === 0) return only;
  const lines = [only, ...others].map((one) => `${one.id}   ${aboutStep(one)}: ${oneLine(one.tool)}`);
  throw new UsageError(`run ${id} waits for ${lines.length} decisions; name one of them`, ...lines);
}

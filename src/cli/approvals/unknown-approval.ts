import type { ApprovalStore } from "../store/index.ts";
import { suggest } from "../text/index.ts";
import { formatCount } from "./format-figures.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** What is told of an id that no approval has. */
export async function unknownApproval(
  id: string,
  approvals: ApprovalStore | undefined,
  invocation: Invocation,
): Promise<UsageError> {
  const known = (await approvals?.list(Date.now(), "pending")) ?? [];
  const near = suggest(
    id,
    known.map((approval) => approval.id),
  );
  const [first] = known;
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : first === undefined
        ? "nothing waits for a decision here"
        : `${formatCount(known.length, "call")} waiting: ${commandLine(invocation, "approvals")}`;
  return new UsageError(`there is no approval ${JSON.stringify(id)}`, hint);
}

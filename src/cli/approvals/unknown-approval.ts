import type { ApprovalStore } from "../../store/index.ts";
import { suggest } from "../../text/index.ts";
import { formatCount } from "../terminal/format-figures.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";

/** The error for an unknown approval id. */
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
        ? "no approvals are pending"
        : `${formatCount(known.length, "call")} waiting: ${commandLine(invocation, "approvals")}`;
  return new UsageError(`there is no approval ${JSON.stringify(id)}`, hint);
}

import { type Approval, type ApprovalStatus, neverExpires } from "../../../store/index.ts";
import { argumentsLine } from "../../approvals/show-approval.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatTime } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { describeApprovalStep, unknownApproval } from "../../approvals/describe-approval.ts";
import { type RunData, withRunData } from "../../open/open-journal.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style } from "../../terminal/terminal.ts";
import { toWireApproval } from "../../../app/index.ts";

/** `windlass approvals`. */
export const showApprovals: RunCommand = (invocation) =>
  withRunData(invocation, async ({ approvals: service }) => {
    const { terminal } = invocation;
    const now = Date.now();
    const [id] = invocation.words;
    if (id !== undefined) return showOne(id, invocation, service);
    const status = invocation.flag("all") ? undefined : "pending";
    const approvals = (await service?.list(status)) ?? [];
    if (invocation.flag("json")) return terminal.print(safeJson(approvals.map(toWireApproval)));
    if (approvals.length === 0)
      return terminal.log(status === undefined ? "No approvals yet." : "No pending approvals.");
    for (const line of approvalLines(approvals, invocation, { now, whole: false })) terminal.print(line);
    if (approvals.some((approval) => approval.status === "pending")) {
      const hint = `approve with: ${commandLine(invocation, "approve", "ID")}; reject with: ${commandLine(invocation, "reject", "ID")}`;
      terminal.log(terminal.tint("dim", hint));
    }
  });

/** Prints one approval in full. */
async function showOne(id: string, invocation: Invocation, approvals: RunData["approvals"]): Promise<void> {
  const { terminal } = invocation;
  const now = Date.now();
  const approval = await approvals?.find(id);
  if (approval === undefined) throw await unknownApproval(id, approvals, invocation);
  if (invocation.flag("json")) terminal.print(safeJson(toWireApproval(approval)));
  else for (const line of approvalLines([approval], invocation, { now, whole: true })) terminal.print(line);
}

const styles: Readonly<Record<ApprovalStatus, Style>> = {
  pending: "yellow",
  approved: "green",
  rejected: "red",
  used: "dim",
  expired: "dim",
};

/** A row per approval, and below it everything that is needed to decide. */
function approvalLines(
  approvals: readonly Approval[],
  invocation: Invocation,
  { now, whole }: { readonly now: number; readonly whole: boolean },
): string[] {
  const rows = approvals.map((approval) => [
    approval.id,
    approval.status,
    formatTime(approval.createdAt),
    approval.status === "pending" ? expiryOf(approval, now) : "",
    approval.tool,
  ]);
  const columns: StyledColumn[] = [
    { title: "ID", style: "bold" },
    { title: "STATUS", style: (_cell, row) => styles[approvals[row]?.status ?? "expired"] },
    "REQUESTED",
    "EXPIRES",
    { title: "TOOL", long: "cut" },
  ];
  const [head = "", ...lines] = tableFor(invocation.terminal, columns, rows);
  const details = (approval: Approval | undefined): string[] =>
    approval === undefined ? [] : detailsOf(approval, invocation, whole);
  return [head, ...lines.flatMap((line, row) => [line, ...details(approvals[row])])];
}

function expiryOf({ expiresAt }: Approval, now: number): string {
  return expiresAt === neverExpires ? "never" : `in ${formatDuration(expiresAt - now)}`;
}

function detailsOf(approval: Approval, invocation: Invocation, whole: boolean): string[] {
  const { id, message, runId, args, approvers } = approval;
  return [
    `  ${toOneLine(message)}`,
    ...(runId === undefined ? [] : [`  run ${toOneLine(runId)}, ${describeApprovalStep(approval)}`]),
    ...(approvers === undefined ? [] : [`  to be decided by ${approvers.map(toOneLine).join(" or ")}`]),
    `  ${whole ? safeJson(args, 0) : argumentsLine(args, commandLine(invocation, "approvals", id))}`,
  ];
}

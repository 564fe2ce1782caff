import type { Approval, ApprovalStatus, ApprovalStore } from "../../store/index.ts";
import { argumentsLine } from "../arguments-line.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatDuration, formatTime } from "../format-figures.ts";
import { formatTable, oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { aboutStep } from "../open-questions.ts";
import { withJournal } from "../open-journal.ts";
import { safeJson } from "../safe-json.ts";
import { unknownApproval } from "../unknown-approval.ts";
import type { Style } from "../terminal.ts";
import { toWireApproval } from "../wire-record.ts";

/** `windlass approvals`. */
export const showApprovals: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const now = Date.now();
    const [id] = invocation.words;
    if (id !== undefined) return showOne(id, invocation, store?.approvals);
    const status = invocation.flag("all") ? undefined : "pending";
    const approvals = (await store?.approvals.list(now, status)) ?? [];
    if (invocation.flag("json")) {
      terminal.print(safeJson(approvals.map(toWireApproval)));
      return;
    }
    if (approvals.length === 0) {
      terminal.tell(status === undefined ? "Nobody was ever asked here." : "Nothing waits for a decision.");
      return;
    }
    for (const line of approvalLines(approvals, invocation, { now, whole: false })) terminal.print(line);
    if (approvals.some((approval) => approval.status === "pending")) {
      const hint = `${commandLine(invocation, "approve", "ID")} allows a call, ${commandLine(invocation, "reject", "ID")} refuses it`;
      terminal.tell(terminal.tint("dim", hint));
    }
  });

/** All there is to know of one, and nothing of it cut. */
async function showOne(id: string, invocation: Invocation, store: ApprovalStore | undefined): Promise<void> {
  const { terminal } = invocation;
  const now = Date.now();
  const approval = await store?.get(id, now);
  if (approval === undefined) throw await unknownApproval(id, store, invocation);
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

/** A row for each, and below it everything that somebody has to know who decides. */
function approvalLines(
  approvals: readonly Approval[],
  invocation: Invocation,
  { now, whole }: { readonly now: number; readonly whole: boolean },
): string[] {
  const { terminal } = invocation;
  const rows = approvals.map((approval) => [
    approval.id,
    approval.status,
    formatTime(approval.createdAt),
    approval.status === "pending" ? `in ${formatDuration(approval.expiresAt - now)}` : "",
    approval.tool,
  ]);
  const [head = "", ...lines] = formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "ID", paint: (cell) => terminal.paint("bold", cell) },
      { title: "STATUS", paint: (cell, row) => terminal.paint(styles[approvals[row]?.status ?? "expired"], cell) },
      { title: "ASKED" },
      { title: "EXPIRES" },
      { title: "TOOL", long: "cut" },
    ],
  });
  const details = (approval: Approval | undefined): string[] =>
    approval === undefined ? [] : detailsOf(approval, invocation, whole);
  return [head, ...lines.flatMap((line, row) => [line, ...details(approvals[row])])];
}

function detailsOf(approval: Approval, invocation: Invocation, whole: boolean): string[] {
  const { id, message, runId, args, approvers } = approval;
  return [
    `  ${oneLine(message)}`,
    ...(runId === undefined ? [] : [`  run ${oneLine(runId)}, ${aboutStep(approval)}`]),
    ...(approvers === undefined ? [] : [`  for ${approvers.map(oneLine).join(" or ")} to decide`]),
    `  ${whole ? safeJson(args, 0) : argumentsLine(args, commandLine(invocation, "approvals", id))}`,
  ];
}

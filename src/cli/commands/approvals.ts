import type { Approval, ApprovalStatus } from "../../store/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { formatDuration, formatTime } from "../format-figures.ts";
import { formatTable, oneLine } from "../format-table.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { aboutStep } from "../open-questions.ts";
import { withJournal } from "../open-journal.ts";
import { safeJson } from "../safe-json.ts";
import type { Style } from "../terminal.ts";
import { toWireApproval } from "../wire-record.ts";

/** `windlass approvals`. */
export const showApprovals: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const now = Date.now();
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
    for (const line of approvalLines(approvals, invocation, now)) terminal.print(line);
    if (approvals.some((approval) => approval.status === "pending")) {
      const hint = `${commandLine(invocation, "approve", "ID")} allows a call, ${commandLine(invocation, "reject", "ID")} refuses it`;
      terminal.tell(terminal.tint("dim", hint));
    }
  });

const styles: Readonly<Record<ApprovalStatus, Style>> = {
  pending: "yellow",
  approved: "green",
  rejected: "red",
  used: "dim",
  expired: "dim",
};

/** A row for each, and below it everything that somebody has to know who decides: nothing of it is cut. */
function approvalLines(approvals: readonly Approval[], { terminal }: Invocation, now: number): string[] {
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
  return [head, ...lines.flatMap((line, row) => [line, ...detailsOf(approvals[row])])];
}

function detailsOf(approval: Approval | undefined): string[] {
  if (approval === undefined) return [];
  const { message, runId, args, approvers } = approval;
  return [
    `  ${oneLine(message)}`,
    ...(runId === undefined ? [] : [`  run ${oneLine(runId)}, ${aboutStep(approval)}`]),
    ...(approvers === undefined ? [] : [`  for ${approvers.map(oneLine).join(" or ")} to decide`]),
    `  ${safeJson(args, 0)}`,
  ];
}

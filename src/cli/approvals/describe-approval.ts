import { type ApprovalSummary, isUndo, undoOf } from "../../app/index.ts";
import type { ApprovalService } from "../../engine/index.ts";
import type { Approval } from "../../store/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import type { ApprovalTexts } from "../terminal/texts/english.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import { suggest } from "../../text/index.ts";
import { formatCount, formatTime } from "../terminal/format-figures.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";

/** Describes the subject of an approval: `step send`, `undo of step send`, or `round 2, call 1` of an agent. */
export function describeApprovalStep(approval: ApprovalSummary, words: ApprovalTexts = cliTexts.en.approvals): string {
  const call = agentCall.exec(approval.step ?? "")?.groups;
  if (call !== undefined) {
    const { part = "", round = "", index = "0" } = call;
    return words.position({ part: part === "main" ? undefined : part, round, call: Number(index) + 1 });
  }
  return `${isUndo(approval) ? "undo of step" : "step"} ${toOneLine(approval.step ?? "?")}`;
}

/** Describes an approval with its subject: `undo of step send: may cancel_mail be called?` */
export function describeApproval(approval: ApprovalSummary, words: ApprovalTexts = cliTexts.en.approvals): string {
  const text = isUndo(approval) ? approval.message.slice(undoOf(approval).length) : approval.message;
  return `${describeApprovalStep(approval, words)}: ${toOneLine(words.message(text))}`;
}

/** Journal key of a tool call of an agent. */
const agentCall = /^(?<part>[\w~-]+)\.(?<round>\d+)\.(?<index>\d+)$/;

/** True if an agent made the call. */
export function isAgentCall({ step = "" }: ApprovalSummary): boolean {
  return agentCall.test(step);
}

/** The error for an unknown approval id. */
export async function unknownApproval(
  id: string,
  approvals: Pick<ApprovalService, "list"> | undefined,
  invocation: Invocation,
): Promise<UsageError> {
  const known = (await approvals?.list("pending")) ?? [];
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

/** Describes the state of an approval, and what it means for a later decision. */
export function describeDecision(approval: Approval): string {
  const { status, decidedBy, decidedAt, expiresAt, note } = approval;
  const again =
    approval.runId === undefined ? "repeat the call to request a new approval" : "its run has already resumed";
  const by = decidedBy === undefined ? "" : ` by ${toOneLine(decidedBy)}`;
  const at = decidedAt === undefined ? "" : ` at ${formatTime(decidedAt)}`;
  const how = `${by}${at}${note === undefined ? "" : ` (${toOneLine(note)})`}`;
  switch (status) {
    case "expired":
      return `expired at ${formatTime(expiresAt)}; repeat the call to request a new approval`;
    case "used":
      return `was approved${how} and is used up; ${again}`;
    case "approved":
    case "rejected":
      return `was ${status}${how}; the first decision counts`;
    case "pending":
      return "is still pending";
    default:
      return status satisfies never;
  }
}

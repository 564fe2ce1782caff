import type { Approval } from "../../store/index.ts";
import { formatTime } from "../terminal/format-figures.ts";
import { toOneLine } from "../terminal/format-table.ts";

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

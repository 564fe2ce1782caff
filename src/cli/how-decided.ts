import type { Approval } from "../store/index.ts";
import { formatTime } from "./format-figures.ts";
import { oneLine } from "./format-table.ts";

/** What became of an approval, and what that means for a decision that came later. */
export function howDecided(approval: Approval): string {
  const { status, decidedBy, decidedAt, expiresAt, note } = approval;
  const again = approval.runId === undefined ? "the call has to be made again" : "its run has gone on since";
  const by = decidedBy === undefined ? "" : ` by ${oneLine(decidedBy)}`;
  const at = decidedAt === undefined ? "" : ` at ${formatTime(decidedAt)}`;
  const how = `${by}${at}${note === undefined ? "" : ` (${oneLine(note)})`}`;
  switch (status) {
    case "expired":
      return `expired at ${formatTime(expiresAt)}; the call has to be made again`;
    case "used":
      return `was approved${how} and is used up; ${again}`;
    case "approved":
    case "rejected":
      return `was ${status}${how}; the first decision counts`;
    case "pending":
      return "still waits";
    default:
      return status satisfies never;
  }
}

import { type Failure, failure, orElse } from "../../base/index.ts";
import { approvalTooLarge } from "../../store/index.ts";
import type { Effect } from "../../tool/index.ts";

/** Message of the approval for a call that a rule stopped. */
export function ruleApprovalMessage(tool: string): string {
  return `Allow ${tool} to run with these arguments?`;
}

/** Message of the approval for a fallback that would replace a call that was subject to approval. */
export function fallbackApprovalMessage(message: string, failed: string, tool: string): string {
  return `${message} (${failed} failed; ${tool} would replace it, with these arguments)`;
}

/** Approvers must see all arguments: returns a failure if they are too large to store with an approval. */
export function approvalTooLargeFailure(tool: string, args: unknown): Failure | undefined {
  const why = approvalTooLarge(jsonBytes(args));
  if (why === undefined) return undefined;
  const message = `no approval was requested for ${tool}: ${why}`;
  return failure("permission_denied", message, { reason: "too_large", retry: "never" });
}

/** Message of the approval for a `once` tool that was interrupted, with an unknown outcome. */
export function interruptionMessage(tool: string, startedAt: number, otherwise: string = "let the step fail"): string {
  return (
    `${tool} was running when its process ended (started ${new Date(startedAt).toISOString()}), and must not run twice. ` +
    `Find out whether its work was done: approve to run it again, approve --done if it was done, reject to ${otherwise}.`
  );
}

/** Event that ended a call before its tool reported an outcome. */
export type UnknownEnd = "its process ended" | "it timed out" | "it was cancelled" | "its connection broke";

/** Explains why a step, or one of its items, that may have been done is not undone. */
export function unknownOutcomeNote(tool: string, end: UnknownEnd, item?: number): string {
  const which = item === undefined ? "" : ` (item ${item})`;
  return `it is unknown whether ${tool} had completed when ${end}${which}; if it had, undo its work by hand`;
}

/** Returns the event that ended a failed call, if it is unknown whether its work was done; else undefined. */
export function unknownEndOf(error: Failure, effect: Effect | undefined): UnknownEnd | undefined {
  // Undefined if the handler never ran.
  if (effect !== "once" && effect !== "idempotent") return undefined;
  switch (error.code) {
    case "timeout":
      return "it timed out";
    case "cancelled":
      return "it was cancelled";
    case "interrupted":
      return "its process ended";
    case "not_available":
      return error.retry === "unsafe" ? "its connection broke" : undefined;
    default:
      // The tool itself reported that it failed.
      return undefined;
  }
}

/** The failure of a `once` tool that was cancelled, and whose process ended. */
export function unknownOutcomeFailure(tool: string): Failure {
  return failure("interrupted", `${tool} was running when its process ended; it is unknown whether it completed`);
}

/** A value that JSON cannot represent is displayed as such, and is not large. */
function jsonBytes(value: unknown): number {
  return orElse(() => Buffer.byteLength(JSON.stringify(value) ?? ""), 0);
}

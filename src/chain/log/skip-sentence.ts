import type { SkipReason } from "../interpreter/step-state.ts";

/**
 * Explains in one clause why a step was skipped.
 *
 * @example
 * ```ts
 * skipSentence({ kind: "needs", step: "search", status: "failed" }); // "it needs search, which failed"
 * ```
 */
export function skipSentence(skip: SkipReason): string {
  if (skip.kind === "condition") return `its condition ${skip.condition} did not hold`;
  return `it needs ${skip.step}, which ${became(skip.status)}`;
}

function became(status: Extract<SkipReason, { kind: "needs" }>["status"]): string {
  switch (status) {
    case "failed":
      return "failed";
    case "skipped":
    case "cancelled":
      return `was ${status}`;
    case "pending":
    case "running":
    case "waiting":
    case "success":
    case "recovered":
      return "has no output";
    default:
      return status satisfies never;
  }
}

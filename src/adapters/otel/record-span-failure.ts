import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { type Failure, isFailureError } from "../../base/index.ts";

/** Says in a span why it failed. A question to a person is no failure: the work goes on once it is answered. */
export function tellFailure(span: Span, { code, reason, message, approvalId }: Failure): void {
  if (code === "approval_required") {
    if (approvalId !== undefined) span.setAttribute("windlass.approval.id", approvalId);
    return;
  }
  span.setAttribute("error.type", code);
  if (reason !== undefined) span.setAttribute("windlass.error.reason", reason);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** The same for what was thrown. Its text is told only where it is one of ours, which say what happened and no more. */
export function tellThrown(span: Span, error: unknown): void {
  if (isFailureError(error)) return tellFailure(span, error.toFailure());
  span.setAttribute("error.type", error instanceof Error ? error.name : "_OTHER");
  span.setStatus({ code: SpanStatusCode.ERROR });
}

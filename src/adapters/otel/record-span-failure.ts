import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { type Failure, isFailureError } from "../../base/index.ts";

/** Records a failure in a span. A pending approval is not a failure: the run resumes after the decision. */
export function recordSpanFailure(span: Span, { code, reason, message, approvalId }: Failure): void {
  if (code === "approval_required") {
    if (approvalId !== undefined) span.setAttribute("windlass.approval.id", approvalId);
    return;
  }
  span.setAttribute("error.type", code);
  if (reason !== undefined) span.setAttribute("windlass.error.reason", reason);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Records a thrown error. Only messages of our own failures are included, since others may contain data. */
export function recordSpanError(span: Span, error: unknown): void {
  if (isFailureError(error)) return recordSpanFailure(span, error.toFailure());
  span.setAttribute("error.type", error instanceof Error ? error.name : "_OTHER");
  span.setStatus({ code: SpanStatusCode.ERROR });
}

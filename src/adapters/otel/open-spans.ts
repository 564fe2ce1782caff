import {
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
  context,
  trace,
  SpanStatusCode,
} from "@opentelemetry/api";
import type { Redactor } from "../../secrets/index.ts";
import { type Failure, isFailureError } from "../../base/index.ts";

/** An open span, and the context in which it is active. */
export interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** A run, of a chain or of an agent. */
interface OpenRun extends OpenSpan {
  /** The ids that the model uses for its calls, by the keys of the calls in the run. */
  readonly modelIds: Map<string, string>;
}

/** The work of a run within its span, and the recording of its outcome. */
interface SpanWork<T> {
  readonly execute: () => Promise<T>;
  readonly record: (span: Span, result: T) => void;
}

/** Open spans, by the ids that events carry. */
export class OpenSpans {
  readonly calls: Map<string, OpenSpan & { readonly runId: string | undefined }> = new Map();
  readonly runs: Map<string, OpenRun> = new Map();
  readonly #tracer: Tracer;

  readonly #redactor: Pick<Redactor, "label">;

  constructor(tracer: Tracer, redactor: Pick<Redactor, "label">) {
    this.#tracer = tracer;
    this.#redactor = redactor;
  }

  /** Starts a span below another one, or below the active one. */
  begin(name: string, options: SpanOptions, parent: Context = context.active()): OpenSpan {
    const { label } = this.#redactor;
    const attributes = Object.entries(options.attributes ?? {}).map(
      ([key, value]) => [key, typeof value === "string" ? label(value) : value] as const,
    );
    const redacted = { ...options, attributes: Object.fromEntries(attributes) };
    const span = this.#tracer.startSpan(label(name), redacted, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  /** Executes a run in its span. */
  async run<T>(runId: string, begun: OpenSpan, work: SpanWork<T>): Promise<T> {
    const open: OpenRun = { ...begun, modelIds: new Map() };
    this.runs.set(runId, open);
    try {
      return await runInSpan(open, work);
    } finally {
      // A released run may already have been claimed again.
      if (this.runs.get(runId) === open) this.runs.delete(runId);
    }
  }
}

/** Executes work in a span, and ends the span. */
export async function runInSpan<T>({ span, context: within }: OpenSpan, { execute, record }: SpanWork<T>): Promise<T> {
  try {
    const result = await context.with(within, execute);
    record(span, result);
    return result;
  } catch (error) {
    recordSpanError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

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
function recordSpanError(span: Span, error: unknown): void {
  if (isFailureError(error)) return recordSpanFailure(span, error.toFailure());
  span.setAttribute("error.type", error instanceof Error ? error.name : "_OTHER");
  span.setStatus({ code: SpanStatusCode.ERROR });
}

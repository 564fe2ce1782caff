import { type Context, type Span, type SpanOptions, type Tracer, context, trace } from "@opentelemetry/api";
import { tellThrown } from "./tell-failure.ts";

/** A span that is not over, and the context in which it is the active one. */
export interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** The call of a tool. */
export interface OpenCall extends OpenSpan {
  readonly runId: string | undefined;
}

/** A run, of a chain or of an agent. */
export interface OpenRun extends OpenSpan {
  /** By the keys of calls in the run: the ids by which its model knows them. */
  readonly modelIds: Map<string, string>;
}

/** What a run does in its span, and what is said of it afterwards. */
export interface SpannedWork<T> {
  readonly execute: () => Promise<T>;
  readonly tell: (span: Span, result: T) => void;
}

/** What is under way, by the ids that events name. */
export class OpenSpans {
  readonly calls: Map<string, OpenCall> = new Map();
  readonly runs: Map<string, OpenRun> = new Map();
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Begins a span below another one, or below what is active. */
  begin(name: string, options: SpanOptions, parent: Context = context.active()): OpenSpan {
    const span = this.#tracer.startSpan(name, options, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  /** Executes a run in the span that was begun for it. */
  async run<T>(runId: string, begun: OpenSpan, work: SpannedWork<T>): Promise<T> {
    const open: OpenRun = { ...begun, modelIds: new Map() };
    this.runs.set(runId, open);
    try {
      return await inside(open, work);
    } finally {
      // A run that was left may have been taken up again already.
      if (this.runs.get(runId) === open) this.runs.delete(runId);
    }
  }
}

/** Does something in a span, and ends the span. */
export async function inside<T>({ span, context: within }: OpenSpan, { execute, tell }: SpannedWork<T>): Promise<T> {
  try {
    const result = await context.with(within, execute);
    tell(span, result);
    return result;
  } catch (error) {
    tellThrown(span, error);
    throw error;
  } finally {
    span.end();
  }
}

import { type Attributes, type Context, type Span, SpanKind, context } from "@opentelemetry/api";
import type {
  EngineEvent,
  ExecutionCompleted,
  ExecutionFailed,
  ExecutionStarted,
  HandlerWrapper,
} from "../../engine/index.ts";
import type { CapturedContent } from "./captured-content.ts";
import type { OpenSpan, OpenSpans } from "./open-spans.ts";
import { recordSpanFailure } from "./record-span-failure.ts";

/** The events that spans of calls are created from. */
export const callEvents = ["execution_started", "execution_completed", "execution_failed"] as const;

type Ended = ExecutionCompleted | ExecutionFailed;

/** Creates a span for each call of a tool, from the start of its handler. */
export class CallSpans {
  readonly #open: OpenSpans;
  readonly #content: CapturedContent | undefined;

  constructor(open: OpenSpans, content: CapturedContent | undefined) {
    this.#open = open;
    this.#content = content;
  }

  /** Handles an event of the engine. */
  onEvent(event: EngineEvent): void {
    if (event.type === "execution_started") {
      this.#open.calls.set(event.callId, { ...this.#begin(event), runId: event.workflowId });
    } else if (event.type === "execution_completed" || event.type === "execution_failed") this.#end(event);
  }

  /** Runs a handler inside the span of its call, so that its requests and logs become children. */
  readonly wrapHandler: HandlerWrapper = (call, handle) => {
    const open = this.#open.calls.get(call.callId);
    if (open === undefined) return handle();
    const content = open.span.isRecording() ? this.#content : undefined;
    content?.recordArguments(open.span, call.args);
    const returned = context.with(open.context, handle);
    content?.recordOutput(open.span, returned);
    return returned;
  };

  #end(event: Ended): void {
    const open = this.#open.calls.get(event.callId);
    this.#open.calls.delete(event.callId);
    // A cached call, or one rejected before its handler: the span is created once all its data is known.
    const { span } = open ?? this.#begin(event, event.at - event.durationMs);
    if (event.type === "execution_failed") recordSpanFailure(span, event.error);
    else if (event.cached) span.setAttribute("windlass.cached", true);
    endAt(span, open === undefined ? event.at : undefined);
  }

  #begin(event: ExecutionStarted | Ended, startTime?: number): OpenSpan {
    const { parent, modelId } = this.#parent(event);
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.tool,
      "gen_ai.tool.type": "function",
      "windlass.call.id": event.callId,
      "windlass.caller.type": event.callerType,
      ...(modelId !== undefined && { "gen_ai.tool.call.id": modelId }),
      ...(event.conversationId !== undefined && { "gen_ai.conversation.id": event.conversationId }),
      ...(event.workflowId !== undefined && { "windlass.run.id": event.workflowId }),
    };
    const options = { kind: SpanKind.INTERNAL, attributes, ...(startTime !== undefined && { startTime }) };
    return this.#open.begin(`execute_tool ${event.tool}`, options, parent);
  }

  /** Child of the calling call; or of the run, if the run makes the call, also within another call. */
  #parent({ parentId, workflowId, callerId }: ExecutionStarted | Ended): SpanParent {
    const { calls, runs } = this.#open;
    const caller = parentId === undefined ? undefined : calls.get(parentId);
    if (caller !== undefined && caller.runId === workflowId) return { parent: caller.context };
    const run = workflowId === undefined ? undefined : runs.get(workflowId);
    if (run === undefined) return { parent: caller?.context };
    // The key of a call in its run ends with the attempt number.
    const modelId = run.modelIds.get(callerId?.slice(0, callerId.lastIndexOf("#")) ?? "");
    return { parent: run.context, modelId };
  }
}

interface SpanParent {
  /** Undefined for the active context. */
  readonly parent: Context | undefined;
  readonly modelId?: string | undefined;
}

function endAt(span: Span, time: number | undefined): void {
  if (time === undefined) span.end();
  else span.end(time);
}

import { type Attributes, type Context, type Span, SpanKind, context } from "@opentelemetry/api";
import type {
  EngineEvent,
  ExecutionCompleted,
  ExecutionFailed,
  ExecutionStarted,
  Surround,
} from "../../engine/index.ts";
import type { CapturedContent } from "./captured-content.ts";
import type { OpenSpan, OpenSpans } from "./open-spans.ts";
import { tellFailure } from "./tell-failure.ts";

/** The events from which the spans of calls are made. */
export const callEvents = ["execution_started", "execution_completed", "execution_failed"] as const;

type Ended = ExecutionCompleted | ExecutionFailed;

/** A span for each call of a tool, from when its handler starts. */
export class CallSpans {
  readonly #open: OpenSpans;
  readonly #content: CapturedContent | undefined;

  constructor(open: OpenSpans, content: CapturedContent | undefined) {
    this.#open = open;
    this.#content = content;
  }

  /** Hears what the engine tells. */
  hear(event: EngineEvent): void {
    if (event.type === "execution_started") {
      this.#open.calls.set(event.callId, { ...this.#begin(event), runId: event.workflowId });
    } else if (event.type === "execution_completed" || event.type === "execution_failed") this.#end(event);
  }

  /** What a handler does is below the span of its call: requests that it makes, and what it logs. */
  readonly surround: Surround = (call, handle) => {
    const open = this.#open.calls.get(call.callId);
    if (open === undefined) return handle();
    const content = open.span.isRecording() ? this.#content : undefined;
    content?.tellArguments(open.span, call.args);
    const returned = context.with(open.context, handle);
    content?.tellReturned(open.span, returned);
    return returned;
  };

  #end(event: Ended): void {
    const open = this.#open.calls.get(event.callId);
    this.#open.calls.delete(event.callId);
    // Answered from the cache, or refused before its handler: the span is made when all is known of it.
    const { span } = open ?? this.#begin(event, event.at - event.durationMs);
    if (event.type === "execution_failed") tellFailure(span, event.error);
    else if (event.cached) span.setAttribute("windlass.cached", true);
    endAt(span, open === undefined ? event.at : undefined);
  }

  #begin(event: ExecutionStarted | Ended, startTime?: number): OpenSpan {
    const { parent, modelId } = this.#place(event);
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

  /** Below the call that made it; below the run, where it is the run that calls, also one within another call. */
  #place({ parentId, workflowId, callerId }: ExecutionStarted | Ended): Place {
    const { calls, runs } = this.#open;
    const caller = parentId === undefined ? undefined : calls.get(parentId);
    if (caller !== undefined && caller.runId === workflowId) return { parent: caller.context };
    const run = workflowId === undefined ? undefined : runs.get(workflowId);
    if (run === undefined) return { parent: caller?.context };
    // The key of a call in its run ends in the number of the attempt.
    const modelId = run.modelIds.get(callerId?.slice(0, callerId.lastIndexOf("#")) ?? "");
    return { parent: run.context, modelId };
  }
}

interface Place {
  /** Undefined for what is active. */
  readonly parent: Context | undefined;
  readonly modelId?: string | undefined;
}

function endAt(span: Span, time: number | undefined): void {
  if (time === undefined) span.end();
  else span.end(time);
}

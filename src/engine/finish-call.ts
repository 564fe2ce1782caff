import type { Issue } from "../base/index.ts";
import type { CallRecord } from "../store/index.ts";
import { redactFailure, redactIssue } from "../text/index.ts";
import type { ResultMeta, ToolResult } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { Execution } from "./execution.ts";
import { messageOf } from "./failed-attempt.ts";
import { isChoice } from "./job.ts";
import type { Outcome } from "./outcome.ts";

/** What callers get. */
export function toResult(call: Call, outcome: Outcome, execution: Execution | undefined): ToolResult {
  const tool = call.name;
  const durationMs = (execution?.endedAt || call.core.clock.elapsed()) - call.startedAt;
  const { executedAt } = call;
  const meta = metaOf(call, outcome, execution);
  if (outcome.failure !== undefined) {
    // Messages leave the engine: in results, records, events and prompts.
    const error = redactFailure(outcome.failure, call.core.redactor.text);
    return { success: false, tool, error, durationMs, executedAt, meta };
  }
  const { output, attachments } = outcome;
  return attachments === undefined
    ? { success: true, tool, output, durationMs, executedAt, meta }
    : { success: true, tool, output, attachments, durationMs, executedAt, meta };
}

function metaOf(call: Call, outcome: Outcome, execution: Execution | undefined): ResultMeta {
  const facts = reportedOf(call, execution);
  const meta = { callId: call.callId, source: sourceOf(call, facts), attempts: execution?.attempts ?? 0 };
  const isCached = call.cached || (isChoice(call) && facts?.["cached"] === true);
  if (facts === undefined && !isCached && outcome.abandoned !== true) return meta;
  // What the engine says about a call, its handler cannot say, unless it only chose who runs.
  const { cached: _cached, abandoned: _abandoned, ...reported } = facts ?? {};
  return {
    ...reported,
    ...meta,
    ...(isCached && { cached: true }),
    ...(outcome.abandoned === true && { abandoned: true }),
  };
}

/** What the handler reported, and by whom the call was approved beforehand, which a handler cannot say. */
function reportedOf({ preapproved }: Call, execution: Execution | undefined): CallRecord["reported"] {
  const facts = execution?.facts;
  if (preapproved === undefined && (facts === undefined || !Object.hasOwn(facts, "preapproved"))) return facts;
  const { preapproved: _said, ...reported } = facts ?? {};
  return preapproved === undefined ? reported : { ...reported, preapproved };
}

/** What chooses among others tells where the one came from that ran. */
function sourceOf(call: Call, facts: Readonly<Record<string, unknown>> | undefined): string {
  const told = isChoice(call) ? facts?.["source"] : undefined;
  return typeof told === "string" ? told : call.source;
}

/** One record for every call, however it ended. A store that breaks its word must not break the call. */
export function recordCall(call: Call, result: ToolResult, execution: Execution | undefined): void {
  try {
    const record = toRecord(call, result, execution);
    if (call.context.hooks?.record?.(record) !== true) call.core.records.add(record);
  } catch (error) {
    const message = `the record of this call was lost: ${messageOf(error)}`;
    call.core.log({ at: call.executedAt, callId: call.callId, tool: result.tool, message });
  }
}

// oxlint-disable-next-line complexity -- one flat literal with defaults, no decisions
function toRecord(call: Call, result: ToolResult, execution: Execution | undefined): CallRecord {
  const { context } = call;
  const tool = call.registration?.tool;
  return {
    id: call.callId,
    tool: result.tool,
    version: tool?.version ?? "",
    source: call.source,
    category: tool?.category ?? "",
    args: call.given,
    success: result.success,
    output: result.success ? result.output : undefined,
    error: result.success ? undefined : result.error,
    durationMs: result.durationMs,
    queuedMs: execution?.queuedMs ?? 0,
    attempts: result.meta.attempts,
    cached: call.cached,
    callerType: context.callerType ?? "direct",
    callerId: context.callerId,
    principal: context.principal,
    conversationId: context.conversationId,
    workflowId: context.workflowId,
    parentId: call.parent?.callId,
    reported: reportedOf(call, execution),
    createdAt: call.executedAt,
  };
}

// Events are written out field by field: spreading a common part costs more than everything else in them. Their time
// is worked out from the clock readings that the call has anyway.

export function emitStarted(call: Call, queuedMs: number): void {
  const { events } = call.core;
  if (!events.wants("execution_started")) return;
  events.emit({
    type: "execution_started",
    at: call.executedAt + (call.readyAt - call.startedAt) + queuedMs,
    callId: call.callId,
    tool: call.name,
    callerType: call.context.callerType ?? "direct",
    callerId: call.context.callerId,
    conversationId: call.context.conversationId,
    workflowId: call.context.workflowId,
    parentId: call.parent?.callId,
  });
}

export function emitInvalid(call: Call, issues: readonly Issue[]): void {
  const { events, redactor } = call.core;
  if (!events.wants("validation_error")) return;
  events.emit({
    type: "validation_error",
    at: call.executedAt,
    callId: call.callId,
    tool: call.name,
    callerType: call.context.callerType ?? "direct",
    callerId: call.context.callerId,
    conversationId: call.context.conversationId,
    workflowId: call.context.workflowId,
    parentId: call.parent?.callId,
    issues: issues.map((issue) => redactIssue(issue, redactor.text)),
  });
}

export function emitFinished(call: Call, result: ToolResult): void {
  const { events } = call.core;
  if (result.success) {
    if (!events.wants("execution_completed")) return;
    events.emit({
      type: "execution_completed",
      at: call.executedAt + result.durationMs,
      callId: call.callId,
      tool: result.tool,
      callerType: call.context.callerType ?? "direct",
      callerId: call.context.callerId,
      conversationId: call.context.conversationId,
      workflowId: call.context.workflowId,
      parentId: call.parent?.callId,
      durationMs: result.durationMs,
      cached: call.cached,
    });
  } else if (events.wants("execution_failed")) {
    events.emit({
      type: "execution_failed",
      at: call.executedAt + result.durationMs,
      callId: call.callId,
      tool: result.tool,
      callerType: call.context.callerType ?? "direct",
      callerId: call.context.callerId,
      conversationId: call.context.conversationId,
      workflowId: call.context.workflowId,
      parentId: call.parent?.callId,
      durationMs: result.durationMs,
      error: result.error,
    });
  }
}

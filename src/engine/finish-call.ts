import type { Failure, Issue } from "../base/index.ts";
import type { CallRecord, CallerType } from "../store/index.ts";
import { type Redactor, redactFailure, redactIssue } from "../secrets/index.ts";
import type { ResultMeta, ToolResult } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { Execution } from "./execution.ts";
import { thrownMessage } from "./handler-failure.ts";
import { isChoosingJob } from "./job.ts";
import type { AttemptOutcome } from "./attempt-outcome.ts";

/** Converts an outcome to the result of the call. */
export function toToolResult(call: Call, outcome: AttemptOutcome, execution: Execution | undefined): ToolResult {
  const totalMs = (execution?.endedAt || call.core.clock.elapsed()) - call.startedAt;
  const queuedMs = queuedMsOf(call, execution);
  // Most calls do not wait: their results have no such key.
  if (queuedMs === 0) return resultOf(call, outcome, execution, totalMs);
  const result = resultOf(call, outcome, execution, Math.max(0, totalMs - queuedMs));
  return { ...result, queuedMs };
}

/** Time that the call waited for a slot or for a decision. A call that joined another one did not wait for its slot. */
function queuedMsOf(call: Call, execution: Execution | undefined): number {
  return execution === undefined || call.cached ? call.approvalMs : call.approvalMs + execution.queuedMs;
}

function resultOf(
  call: Call,
  outcome: AttemptOutcome,
  execution: Execution | undefined,
  durationMs: number,
): ToolResult {
  const tool = call.name;
  const { executedAt } = call;
  const meta = metaOf(call, outcome, execution);
  if (outcome.failure !== undefined) {
    // Messages leave the engine in results, records, events and prompts.
    const error = redactFailure(outcome.failure, call.core.redactor.text);
    return { success: false, tool, error, durationMs, executedAt, meta };
  }
  const { output, attachments } = outcome;
  return attachments === undefined
    ? { success: true, tool, output, durationMs, executedAt, meta }
    : { success: true, tool, output, attachments, durationMs, executedAt, meta };
}

// oxlint-disable-next-line complexity -- a fact that is not set leaves no key
function metaOf(call: Call, outcome: AttemptOutcome, execution: Execution | undefined): ResultMeta {
  const facts = reportedOf(call, execution);
  const meta = { callId: call.callId, source: sourceOf(call, facts), attempts: execution?.attempts ?? 0 };
  const isCached = call.cached || (isChoosingJob(call) && facts?.["cached"] === true);
  if (facts === undefined && !isCached && outcome.abandoned !== true && call.ignored === undefined) return meta;
  // A handler cannot override the facts of the engine, unless it only chose the tool that ran.
  const { cached: _cached, abandoned: _abandoned, ignored: _ignored, ...reported } = facts ?? {};
  return {
    ...reported,
    ...meta,
    ...(isCached && { cached: true }),
    ...(call.ignored !== undefined && { ignored: call.ignored }),
    ...(outcome.abandoned === true && { abandoned: true }),
  };
}

/** Returns the facts that the handler reported, and the preapprover, which a handler cannot set. */
function reportedOf({ clearance }: Call, execution: Execution | undefined): CallRecord["reported"] {
  const facts = execution?.facts;
  const preapproved = clearance?.by === "preapproval" ? clearance.name : undefined;
  if (preapproved === undefined && (facts === undefined || !Object.hasOwn(facts, "preapproved"))) return facts;
  const { preapproved: _text, ...reported } = facts ?? {};
  return preapproved === undefined ? reported : { ...reported, preapproved };
}

/** Returns the source of the tool; a tool that chooses among others reports the source of the one that ran. */
function sourceOf(call: Call, facts: Readonly<Record<string, unknown>> | undefined): string {
  const reported = isChoosingJob(call) ? facts?.["source"] : undefined;
  return typeof reported === "string" ? reported : call.source;
}

/** Writes one record for every call, regardless of how it ended. A store that throws does not affect the call. */
export function recordCall(call: Call, result: ToolResult, execution: Execution | undefined): void {
  try {
    const record = new FinishedRecord(call, result, execution);
    if (call.context.hooks?.record?.(record) !== true) call.core.records.add(record, charsOf(call, record, execution));
  } catch (error) {
    const message = `the record of this call was lost: ${thrownMessage(error)}`;
    call.core.log({ at: call.executedAt, callId: call.callId, tool: result.tool, message });
  }
}

/** Length of the values of a record as JSON; undefined if it is not known. */
function charsOf(call: Call, record: CallRecord, execution: Execution | undefined): number | undefined {
  const { argsChars } = call;
  const outputChars = execution?.outputChars;
  if (!record.success || record.reported !== undefined || argsChars === undefined) return undefined;
  return outputChars === undefined ? undefined : argsChars + outputChars;
}

/**
 * The record of a call. A class, because V8 allocates a literal in the old generation if earlier objects of that literal
 * survived collections, as the latest records do; each record would then keep its arguments and output in memory until a
 * full collection. Instances of classes always begin in the young generation.
 */
class FinishedRecord implements CallRecord {
  readonly id: string;
  readonly tool: string;
  readonly version: string;
  readonly source: string;
  readonly category: string;
  readonly args: unknown;
  readonly success: boolean;
  readonly output: unknown;
  readonly error: Failure | undefined;
  readonly durationMs: number;
  readonly queuedMs: number;
  readonly attempts: number;
  readonly cached: boolean;
  readonly callerType: CallerType;
  readonly callerId: string | undefined;
  readonly principal: string | undefined;
  readonly conversationId: string | undefined;
  readonly workflowId: string | undefined;
  readonly parentId: string | undefined;
  readonly reported: CallRecord["reported"];
  readonly createdAt: number;

  // oxlint-disable-next-line complexity -- fields with defaults, no decisions
  constructor(call: Call, result: ToolResult, execution: Execution | undefined) {
    const { context } = call;
    const tool = call.registration?.tool;
    this.id = call.callId;
    this.tool = result.tool;
    this.version = tool?.version ?? "";
    this.source = call.source;
    this.category = tool?.category ?? "";
    this.args = call.rawArgs;
    this.success = result.success;
    this.output = result.success ? result.output : undefined;
    this.error = result.success ? undefined : result.error;
    this.durationMs = result.durationMs;
    this.queuedMs = result.queuedMs ?? 0;
    this.attempts = result.meta.attempts;
    this.cached = call.cached;
    this.callerType = context.callerType ?? "direct";
    this.callerId = context.callerId;
    this.principal = context.principal;
    this.conversationId = context.conversationId;
    this.workflowId = context.workflowId;
    this.parentId = call.parent?.callId;
    this.reported = reportedOf(call, execution);
    this.createdAt = call.executedAt;
  }
}

function optionalLabel(label: string | undefined, redactor: Redactor): string | undefined {
  return label === undefined ? undefined : redactor.label(label);
}

// Events are written field by field: spreading a common object would cost more than everything else. Their times are
// derived from clock readings that the call already has.

export function emitStarted(call: Call, queuedMs: number): void {
  const { events, redactor } = call.core;
  if (!events.hasListener("execution_started")) return;
  events.emit({
    type: "execution_started",
    at: call.executedAt + (call.readyAt - call.startedAt) + queuedMs,
    callId: call.callId,
    tool: redactor.label(call.name),
    callerType: call.context.callerType ?? "direct",
    callerId: optionalLabel(call.context.callerId, redactor),
    conversationId: optionalLabel(call.context.conversationId, redactor),
    workflowId: call.context.workflowId,
    parentId: call.parent?.callId,
  });
}

export function emitInvalid(call: Call, issues: readonly Issue[]): void {
  const { events, redactor } = call.core;
  if (!events.hasListener("validation_error")) return;
  events.emit({
    type: "validation_error",
    at: call.executedAt,
    callId: call.callId,
    tool: redactor.label(call.name),
    callerType: call.context.callerType ?? "direct",
    callerId: optionalLabel(call.context.callerId, redactor),
    conversationId: optionalLabel(call.context.conversationId, redactor),
    workflowId: call.context.workflowId,
    parentId: call.parent?.callId,
    issues: issues.map((issue) => redactIssue(issue, redactor.text)),
  });
}

export function emitFinished(call: Call, result: ToolResult): void {
  const { events, redactor } = call.core;
  if (result.success) {
    if (!events.hasListener("execution_completed")) return;
    events.emit({
      type: "execution_completed",
      at: call.executedAt + (result.queuedMs ?? 0) + result.durationMs,
      callId: call.callId,
      tool: redactor.label(result.tool),
      callerType: call.context.callerType ?? "direct",
      callerId: optionalLabel(call.context.callerId, redactor),
      conversationId: optionalLabel(call.context.conversationId, redactor),
      workflowId: call.context.workflowId,
      parentId: call.parent?.callId,
      durationMs: result.durationMs,
      cached: call.cached,
    });
  } else if (events.hasListener("execution_failed")) {
    events.emit({
      type: "execution_failed",
      at: call.executedAt + (result.queuedMs ?? 0) + result.durationMs,
      callId: call.callId,
      tool: redactor.label(result.tool),
      callerType: call.context.callerType ?? "direct",
      callerId: optionalLabel(call.context.callerId, redactor),
      conversationId: optionalLabel(call.context.conversationId, redactor),
      workflowId: call.context.workflowId,
      parentId: call.parent?.callId,
      durationMs: result.durationMs,
      error: result.error,
    });
  }
}

/** Passes the result to the listener of a call. */
export function reportEnd(
  { core, listener, cached }: Call,
  result: ToolResult,
  execution: Execution | undefined,
): void {
  if (listener?.isImmediate === true && !cached) core.reportedAt = execution?.endedAt;
  try {
    listener?.ended(result);
  } finally {
    core.reportedAt = undefined;
  }
}

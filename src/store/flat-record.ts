import type { CallRecord, CallerType } from "./records.ts";
import { type RecordRedactor, failureText, valueText } from "./record-text.ts";

/** A record as a row of scalars: free-form values as redacted JSON text, `null` for what is absent. */
export interface FlatRecord {
  readonly id: string;
  readonly tool: string;
  readonly version: string;
  readonly source: string;
  readonly category: string;
  readonly args: string | null;
  readonly success: boolean;
  readonly output: string | null;
  /** The failure's code; `null` for a success. */
  readonly code: string | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly queuedMs: number;
  readonly attempts: number;
  readonly cached: boolean;
  readonly callerType: string;
  readonly callerId: string | null;
  readonly principal: string | null;
  readonly conversationId: string | null;
  readonly workflowId: string | null;
  readonly parentId: string | null;
  readonly reported: string | null;
  readonly createdAt: number;
}

/** Longer names and ids are cut: a model may have made them up, and indexes hold them. */
const maxLabel = 1000;

/** A name or id as stores keep and compare it: well-formed and of bounded length. */
export function label(text: string): string {
  return (text.length > maxLabel ? text.slice(0, maxLabel) : text).toWellFormed();
}

/** Flattens a record for keeping. Never throws, whatever the record holds: one odd record must not cost its batch. */
export function flattenRecord(record: CallRecord, redactor: RecordRedactor): FlatRecord {
  return {
    id: labelOf(record.id) ?? "",
    tool: labelOf(record.tool) ?? "",
    version: labelOf(record.version) ?? "",
    source: labelOf(record.source) ?? "",
    category: labelOf(record.category) ?? "",
    args: valueText(record.args, redactor),
    success: record.success,
    output: valueText(record.output, redactor),
    code: failureCode(record),
    error: record.error === undefined ? null : failureText(record.error, redactor),
    durationMs: finite(record.durationMs),
    queuedMs: finite(record.queuedMs),
    attempts: wholeNumber(record.attempts),
    cached: record.cached,
    callerType: labelOf(record.callerType) ?? "",
    callerId: labelOf(record.callerId),
    principal: labelOf(record.principal),
    conversationId: labelOf(record.conversationId),
    workflowId: labelOf(record.workflowId),
    parentId: labelOf(record.parentId),
    reported: valueText(record.reported, redactor),
    createdAt: finite(record.createdAt),
  };
}

/** The record that a row tells of. */
export function restoreRecord(flat: FlatRecord): CallRecord {
  return {
    id: flat.id,
    tool: flat.tool,
    version: flat.version,
    source: flat.source,
    category: flat.category,
    args: parsed(flat.args),
    success: flat.success,
    ...(flat.output !== null && { output: parsed(flat.output) }),
    // Written by flattenRecord from a Failure and from nothing else.
    ...(flat.error !== null && { error: parsed(flat.error) as NonNullable<CallRecord["error"]> }),
    durationMs: flat.durationMs,
    queuedMs: flat.queuedMs,
    attempts: flat.attempts,
    cached: flat.cached,
    // A newer Windlass may know more kinds of caller; they are shown as they are.
    callerType: flat.callerType as CallerType,
    ...(flat.callerId !== null && { callerId: flat.callerId }),
    ...(flat.principal !== null && { principal: flat.principal }),
    ...(flat.conversationId !== null && { conversationId: flat.conversationId }),
    ...(flat.workflowId !== null && { workflowId: flat.workflowId }),
    ...(flat.parentId !== null && { parentId: flat.parentId }),
    // As for `error`: always an object.
    ...(flat.reported !== null && { reported: parsed(flat.reported) as NonNullable<CallRecord["reported"]> }),
    createdAt: flat.createdAt,
  };
}

/** How much of a page a row takes. */
export function flatSize(flat: FlatRecord): number {
  return (
    200 +
    (flat.args?.length ?? 0) +
    (flat.output?.length ?? 0) +
    (flat.error?.length ?? 0) +
    (flat.reported?.length ?? 0)
  );
}

/** The code a failed call counts under; `null` for a success. */
export function failureCode(record: CallRecord): string | null {
  return record.success ? null : (labelOf(record.error?.code) ?? "execution_error");
}

/** A time or a count that can be stored and compared; a broken clock's NaN becomes 0. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function wholeNumber(value: number): number {
  const whole = Math.trunc(finite(value));
  return Number.isSafeInteger(whole) ? whole : 0;
}

function labelOf(text: string | undefined): string | null {
  return typeof text === "string" ? label(text) : null;
}

function parsed(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

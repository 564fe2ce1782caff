import type { CallRecord, CallerType } from "./records.ts";
import { type RecordRedactor, failureText, noRedaction, valueText } from "./record-text.ts";

/** A record as a row of scalars: free-form values as redacted JSON text, `null` for missing values. */
export interface FlatRecord extends Pick<
  CallRecord,
  "id" | "tool" | "version" | "source" | "category" | "success" | "durationMs" | "queuedMs" | "attempts" | "cached"
> {
  readonly args: string | null;
  readonly output: string | null;
  /** The failure's code; `null` for a success. */
  readonly code: string | null;
  readonly error: string | null;
  readonly callerType: string;
  readonly callerId: string | null;
  readonly principal: string | null;
  readonly conversationId: string | null;
  readonly workflowId: string | null;
  readonly parentId: string | null;
  readonly reported: string | null;
  readonly createdAt: number;
}

/** Longer names and ids are truncated: a model may have invented them, and they are indexed. */
const maxLabel = 1000;

/** Returns a name or id as stores save and compare it: redacted, well-formed and of bounded length. */
export function toStoredLabel(label: string, redactor: RecordRedactor = noRedaction): string {
  const text = (redactor.label ?? redactor.text)(label);
  return (text.length > maxLabel ? text.slice(0, maxLabel) : text).toWellFormed();
}

/** Flattens a record for storage. Never throws: one invalid record must not cost its batch. */
export function flattenRecord(record: CallRecord, redactor: RecordRedactor): FlatRecord {
  return {
    id: labelOf(record.id) ?? "",
    tool: labelOf(record.tool, redactor) ?? "",
    version: labelOf(record.version) ?? "",
    source: labelOf(record.source, redactor) ?? "",
    category: labelOf(record.category) ?? "",
    args: valueText(record.args, redactor),
    success: record.success,
    output: valueText(record.output, redactor),
    code: failureCode(record),
    error: record.error === undefined ? null : failureText(record.error, redactor),
    durationMs: toFiniteNumber(record.durationMs),
    queuedMs: toFiniteNumber(record.queuedMs),
    attempts: wholeNumber(record.attempts),
    cached: record.cached,
    callerType: labelOf(record.callerType) ?? "",
    callerId: labelOf(record.callerId, redactor),
    principal: labelOf(record.principal, redactor),
    conversationId: labelOf(record.conversationId, redactor),
    workflowId: labelOf(record.workflowId),
    parentId: labelOf(record.parentId),
    reported: valueText(record.reported, redactor),
    createdAt: toFiniteNumber(record.createdAt),
  };
}

/** Returns the record that a row was made from. */
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
    // Only flattenRecord writes it, from a Failure.
    ...(flat.error !== null && { error: parsed(flat.error) as NonNullable<CallRecord["error"]> }),
    durationMs: flat.durationMs,
    queuedMs: flat.queuedMs,
    attempts: flat.attempts,
    cached: flat.cached,
    // A newer Windlass may know more kinds of caller; they are passed on unchanged.
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

/** Returns how much of a page a row takes. */
export function flatSize(flat: FlatRecord): number {
  return (
    200 +
    (flat.args?.length ?? 0) +
    (flat.output?.length ?? 0) +
    (flat.error?.length ?? 0) +
    (flat.reported?.length ?? 0)
  );
}

/** Returns the code under which a failed call counts; `null` for a success. */
export function failureCode(record: CallRecord): string | null {
  return record.success ? null : (labelOf(record.error?.code) ?? "execution_error");
}

/** Returns a time or a count that can be stored and compared; NaN of a broken clock becomes 0. */
export function toFiniteNumber(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function wholeNumber(value: number): number {
  const whole = Math.trunc(toFiniteNumber(value));
  return Number.isSafeInteger(whole) ? whole : 0;
}

function labelOf(text: string | undefined, redactor?: RecordRedactor): string | null {
  return typeof text === "string" ? toStoredLabel(text, redactor) : null;
}

function parsed(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

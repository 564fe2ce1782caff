import type { FlatRecord } from "../../../store/index.ts";
import type { RecordWrite, SqlRow, SqlValue } from "../thread/worker-ops.ts";

/** The columns of a record's row, in order. */
export const recordColumns: readonly string[] = [
  "id",
  "tool",
  "version",
  "source",
  "category",
  "args",
  "success",
  "output",
  "code",
  "error",
  "duration_ms",
  "queued_ms",
  "attempts",
  "cached",
  "caller_type",
  "caller_id",
  "principal",
  "conversation_id",
  "workflow_id",
  "parent_id",
  "reported",
  "created_at",
];

/** The write of a record. */
export function toRecordWrite(flat: FlatRecord): RecordWrite {
  return ["record", ...toRow(flat)];
}

/** The values of a record in the order of {@link recordColumns}. */
export function toRow(flat: FlatRecord): SqlRow {
  return [
    flat.id,
    flat.tool,
    flat.version,
    flat.source,
    flat.category,
    flat.args,
    flat.success ? 1 : 0,
    flat.output,
    flat.code,
    flat.error,
    flat.durationMs,
    flat.queuedMs,
    flat.attempts,
    flat.cached ? 1 : 0,
    flat.callerType,
    flat.callerId,
    flat.principal,
    flat.conversationId,
    flat.workflowId,
    flat.parentId,
    flat.reported,
    flat.createdAt,
  ];
}

/** The record of a row in the order of {@link recordColumns}. */
export function fromRow(row: SqlRow): FlatRecord {
  const [id, tool, version, source, category, args, success, output, code, error, ...rest] = row;
  const [durationMs, queuedMs, attempts, cached, callerType, callerId, principal, ...last] = rest;
  const [conversationId, workflowId, parentId, reported, createdAt] = last;
  return {
    id: text(id) ?? "",
    tool: text(tool) ?? "",
    version: text(version) ?? "",
    source: text(source) ?? "",
    category: text(category) ?? "",
    args: text(args),
    success: success === 1,
    output: text(output),
    code: text(code),
    error: text(error),
    durationMs: Number(durationMs),
    queuedMs: Number(queuedMs),
    attempts: Number(attempts),
    cached: cached === 1,
    callerType: text(callerType) ?? "",
    callerId: text(callerId),
    principal: text(principal),
    conversationId: text(conversationId),
    workflowId: text(workflowId),
    parentId: text(parentId),
    reported: text(reported),
    createdAt: Number(createdAt),
  };
}

function text(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

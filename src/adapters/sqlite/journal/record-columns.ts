import type { FlatRecord } from "../../../store/index.ts";
import type { RecordWrite, SqlRow, SqlValue } from "../thread/worker-ops.ts";

type Value = SqlValue | undefined;
const name = (value: Value): string => text(value) ?? "";
const text = (value: Value): string | null => (typeof value === "string" ? value : null);
const flag = (value: Value): boolean => value === 1;
const number = Number as (value: Value) => number;

/** The fields of a record in the order of its row, and how each is read from it. */
const fields: { readonly [K in keyof FlatRecord]: (value: Value) => FlatRecord[K] } = {
  id: name,
  tool: name,
  version: name,
  source: name,
  category: name,
  args: text,
  success: flag,
  output: text,
  code: text,
  error: text,
  durationMs: number,
  queuedMs: number,
  attempts: number,
  cached: flag,
  callerType: name,
  callerId: text,
  principal: text,
  conversationId: text,
  workflowId: text,
  parentId: text,
  reported: text,
  createdAt: number,
};
const names = Object.keys(fields) as (keyof FlatRecord)[];

/** The columns of a record's row, in order: `duration_ms` for `durationMs`. */
export const recordColumns: readonly string[] = names.map((field) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

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
  // Every field is among them, each of its type.
  return Object.fromEntries(names.map((field, at) => [field, fields[field](row[at])])) as unknown as FlatRecord;
}

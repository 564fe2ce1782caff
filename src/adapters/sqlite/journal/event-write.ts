import {
  type CallRecord,
  type JournalEvent,
  type NewJournalEvent,
  type RecordRedactor,
  type RunLease,
  toFiniteNumber,
  flattenRecord,
} from "../../../store/index.ts";
import { type ExtractedOutput, extractOutput } from "./extracted-output.ts";
import { checkStorable } from "../database/check-storable.ts";
import { toRow } from "./record-columns.ts";
import type { EventValues, EventWrite, SqlRow } from "../thread/worker-ops.ts";

/** The write of an event with its record. Throws on data that JSON cannot express. */
export function toEventWrite(lease: RunLease, event: NewJournalEvent, redactor: RecordRedactor): EventWrite {
  const { record } = event;
  checkStorable([lease.runId, lease.epoch]);
  const positioned = extractOutput(event.data, record?.output);
  return [
    "event",
    lease.runId,
    lease.epoch,
    valuesOf(event, positioned),
    record === undefined ? null : recordRow(record, positioned, redactor),
  ];
}

/** The columns of an event without a record. Throws on data that JSON cannot express. */
export function toEventValues(event: JournalEvent): EventValues {
  return valuesOf(event, extractOutput(event.data, undefined));
}

/** Share of a batch's size limit that a write takes. */
export function eventSize([, , , values, record]: EventWrite): number {
  return valuesSize(values) + (record === null ? 0 : 500 + (typeof record[5] === "string" ? record[5].length : 0));
}

/** Share of a batch's size limit that an event without a record takes. */
export function valuesSize([, , , , data, , large]: EventValues): number {
  return 200 + (data?.length ?? 0) + (large?.length ?? 0);
}

function valuesOf({ seq, kind, key, at }: JournalEvent, { data, outputPath, large }: ExtractedOutput): EventValues {
  checkStorable([seq, kind, key]);
  return [seq, kind, key, toFiniteNumber(at), data, outputPath, large];
}

/**
 * The exact output of the call is in the event; the record repeats it only if its visible form differs: redacted, or
 * truncated for its size.
 */
function recordRow(record: CallRecord, positioned: ExtractedOutput, redactor: RecordRedactor): SqlRow {
  const isInEvent = positioned.outputPath !== null && positioned.large === null;
  const isClean = isInEvent && redactor.value(record.output) === record.output;
  return toRow(flattenRecord(isClean ? { ...record, output: undefined } : record, redactor));
}

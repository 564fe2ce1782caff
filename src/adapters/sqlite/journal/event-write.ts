import {
  type CallRecord,
  type JournalEvent,
  type NewJournalEvent,
  type RecordRedactor,
  type RunLease,
  finite,
  flattenRecord,
} from "../../store/index.ts";
import { type PlacedOutput, placeOutput } from "./placed-output.ts";
import { checkStorable } from "./check-storable.ts";
import { toRow } from "./record-columns.ts";
import type { EventValues, EventWrite, SqlRow } from "./worker-ops.ts";

/** The write of an event and of the record it brings. Throws on data that JSON cannot express. */
export function toEventWrite(lease: RunLease, event: NewJournalEvent, redactor: RecordRedactor): EventWrite {
  const { record } = event;
  checkStorable([lease.runId, lease.epoch]);
  const placed = placeOutput(event.data, record?.output);
  return [
    "event",
    lease.runId,
    lease.epoch,
    valuesOf(event, placed),
    record === undefined ? null : recordRow(record, placed, redactor),
  ];
}

/** The columns of an event that brings no record. Throws on data that JSON cannot express. */
export function toEventValues(event: JournalEvent): EventValues {
  return valuesOf(event, placeOutput(event.data, undefined));
}

/** How much of a batch a write takes. */
export function eventSize([, , , values, record]: EventWrite): number {
  return valuesSize(values) + (record === null ? 0 : 500 + length(record[5]));
}

/** How much of a batch an event without a record takes. */
export function valuesSize([, , , , data, , large]: EventValues): number {
  return 200 + (data?.length ?? 0) + (large?.length ?? 0);
}

function valuesOf({ seq, kind, key, at }: JournalEvent, { data, outputAt, large }: PlacedOutput): EventValues {
  checkStorable([seq, kind, key]);
  return [seq, kind, key, finite(at), data, outputAt, large];
}

/**
 * The output of the call is in the event, exact; the record repeats it only where people must see it otherwise: redacted,
 * or cut for its size.
 */
function recordRow(record: CallRecord, placed: PlacedOutput, redactor: RecordRedactor): SqlRow {
  const isInEvent = placed.outputAt !== null && placed.large === null;
  const isClean = isInEvent && redactor.value(record.output) === record.output;
  return toRow(flattenRecord(isClean ? { ...record, output: undefined } : record, redactor));
}

function length(value: SqlRow[number] | undefined): number {
  return typeof value === "string" ? value.length : 0;
}

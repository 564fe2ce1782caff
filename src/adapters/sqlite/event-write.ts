import {
  type CallRecord,
  type NewJournalEvent,
  type RecordRedactor,
  type RunLease,
  finite,
  flattenRecord,
} from "../../store/index.ts";
import { type PlacedOutput, placeOutput } from "./placed-output.ts";
import { checkStorable } from "./check-storable.ts";
import { toRow } from "./record-columns.ts";
import type { EventWrite, SqlRow } from "./worker-ops.ts";

/** The write of an event and of the record it brings. Throws on data that JSON cannot express. */
export function toEventWrite(lease: RunLease, event: NewJournalEvent, redactor: RecordRedactor): EventWrite {
  const { seq, kind, key, at, data, record } = event;
  checkStorable([lease.runId, lease.epoch, seq, kind, key]);
  const placed = placeOutput(data, record?.output);
  return [
    "event",
    lease.runId,
    lease.epoch,
    [seq, kind, key, finite(at), placed.data, placed.outputAt, placed.large],
    record === undefined ? null : recordRow(record, placed, redactor),
  ];
}

/** How much of a batch a write takes. */
export function eventSize([, , , [, , , , data, , large], record]: EventWrite): number {
  return 200 + (data?.length ?? 0) + (large?.length ?? 0) + (record === null ? 0 : 500 + length(record[5]));
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

import type { CallRecord } from "./records.ts";
import { type RecordRedactor, failureText, valueText } from "./record-text.ts";

/** A value that takes more memory is stored as its JSON copy: above 256 KiB of JSON, that is a preview. */
const maxValueBytes = 1024 * 1024;
/** Deeper values count as too large: their JSON text decides. */
const maxDepth = 100;
/** Estimated bytes of a record without its values. */
const recordBytes = 600;

/** A record with fewer characters of values is not measured: its size is estimated high, and stays small. */
const maxSmallChars = 2048;
/** Memory of a value by the length of its JSON, at most: of a list of short lists. */
const maxBytesPerChar = 16;

/** A record whose values are bounded, and its estimated memory in bytes. */
export interface BoundedRecord {
  readonly record: CallRecord;
  readonly bytes: number;
}

/** Memory of a record with few characters of values, at most; undefined if it must be measured. */
export function smallRecordBytes(chars: number | undefined): number | undefined {
  return chars !== undefined && chars <= maxSmallChars ? recordBytes + chars * maxBytesPerChar : undefined;
}

/**
 * Returns the record itself, or a copy in which large values are replaced by their previews, so that a store can keep
 * it by reference. The estimate of a usual record allocates nothing: it runs once per call.
 */
export function boundRecord(record: CallRecord, redactor: RecordRedactor, chars?: number): BoundedRecord {
  const smallBytes = smallRecordBytes(chars);
  if (smallBytes !== undefined) return { record, bytes: smallBytes };
  const bytes = recordSize(record);
  if (bytes !== Infinity) return { record, bytes };
  const reduced = withPreviews(record, redactor);
  return { record: reduced, bytes: Math.min(recordSize(reduced), 4 * maxValueBytes) };
}

/** `Infinity` if a value is too large to be stored by reference, or cannot be estimated. */
function recordSize(record: CallRecord): number {
  return recordBytes + sizeOf(record.args) + sizeOf(record.output) + sizeOf(record.error) + sizeOf(record.reported);
}

function withPreviews(record: CallRecord, redactor: RecordRedactor): CallRecord {
  const { args, output, error, reported } = record;
  return {
    ...record,
    args: previewOf(args, redactor),
    output: previewOf(output, redactor),
    // The JSON of a failure and of an object: a failure and an object again.
    error: error && !fits(error) ? (JSON.parse(failureText(error, redactor)) as CallRecord["error"]) : error,
    reported: previewOf(reported, redactor) as CallRecord["reported"],
  };
}

function previewOf(value: unknown, redactor: RecordRedactor): unknown {
  if (fits(value)) return value;
  const text = valueText(value, redactor);
  return text === null ? undefined : JSON.parse(text);
}

function fits(value: unknown): boolean {
  return sizeOf(value) !== Infinity;
}

function sizeOf(value: unknown): number {
  try {
    const left = subtract(value, maxValueBytes, 0);
    return left < 0 ? Infinity : maxValueBytes - left;
  } catch {
    // A getter or a proxy threw.
    return Infinity;
  }
}

/** Subtracts the estimated memory of a value; negative if there is not enough. A circular value uses all of it up. */
function subtract(value: unknown, budget: number, depth: number): number {
  // At two bytes per character, the most a string takes.
  if (typeof value === "string") return budget - 16 - 2 * value.length;
  if (typeof value !== "object" || value === null) return budget - 8;
  if (depth > maxDepth) return -1;
  let left = budget - 32;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = subtract(value[index], left, depth + 1);
    return left;
  }
  // Any other object may hold more than its fields show, and its JSON may be anything.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return -1;
  for (const key in value) {
    left = subtract((value as Record<string, unknown>)[key], left - 8 - 2 * key.length, depth + 1);
    if (left < 0) break;
  }
  return left;
}

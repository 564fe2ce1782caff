import { type Clock, systemClock } from "../base/index.ts";
import { checkRetention } from "./check-retention.ts";
import { failureCode, toFiniteNumber, flatSize, flattenRecord, toStoredLabel, restoreRecord } from "./flat-record.ts";
import { CallCounter, toStatistics, summarizeTallies } from "./record-statistics.ts";
import { type PagePosition, fromCursor, maxPageSize, pageLimit, toCursor } from "./record-page.ts";
import { boundRecord, smallRecordBytes } from "./record-size.ts";
import { type RecordRedactor, noRedaction } from "./record-text.ts";
import type {
  CallRecord,
  ConversationSummary,
  PruneResult,
  RecordPage,
  RecordQuery,
  RecordStore,
  Retention,
  Statistics,
} from "./records.ts";

/** Options of {@link createInMemoryRecords}. */
export interface InMemoryRecordsOptions {
  /** Maximum number of records; beyond it the oldest is removed. Default: 1,000. */
  readonly capacity?: number;
  /** Maximum memory of the records, estimated; beyond it the oldest are removed. Default: 64 MiB. */
  readonly maxBytes?: number;
  readonly redactor?: RecordRedactor;
  readonly clock?: Clock;
}

/** A stored record and its sequence number. */
interface NumberedRecord extends PagePosition {
  readonly record: CallRecord;
}

/**
 * Stores the latest records in memory, bounded by number and by bytes. Adding one estimates its size and keeps it by
 * reference, except for large values, which become previews at once; redaction and statistics are computed on read.
 *
 * @example
 * ```ts
 * const records = createInMemoryRecords({ capacity: 1000 });
 * ```
 */
export function createInMemoryRecords(options: InMemoryRecordsOptions = {}): RecordStore {
  return new InMemoryRecords(options);
}

class InMemoryRecords implements RecordStore {
  readonly #capacity: number;
  readonly #redactor: RecordRedactor;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #ring: (CallRecord | undefined)[] = [];
  /** Estimated size of the record at the same index. */
  readonly #sizes: number[] = [];
  #bytes = 0;
  /** Number of records that were ever added; record n is at index n modulo the capacity. */
  #added = 0;
  /** Records with a smaller number are gone. */
  #oldest = 0;

  constructor(options: InMemoryRecordsOptions) {
    this.#capacity = wholeNumber("capacity", options.capacity ?? 1000);
    this.#maxBytes = wholeNumber("maxBytes", options.maxBytes ?? 64 * 1024 * 1024);
    this.#redactor = options.redactor ?? noRedaction;
    this.#clock = options.clock ?? systemClock;
  }

  add(record: CallRecord, chars?: number): void {
    const smallBytes = smallRecordBytes(chars);
    if (smallBytes !== undefined) return this.#add(record, smallBytes);
    const bounded = boundRecord(record, this.#redactor);
    this.#add(bounded.record, bounded.bytes);
  }

  #add(record: CallRecord, bytes: number): void {
    if (this.#added - this.#oldest === this.#capacity) this.#removeOldest();
    const index = this.#added++ % this.#capacity;
    this.#ring[index] = record;
    this.#sizes[index] = bytes;
    this.#bytes += bytes;
    // The latest record stays regardless of the limit: its values are bounded.
    while (this.#bytes > this.#maxBytes && this.#oldest < this.#added - 1) this.#removeOldest();
  }

  async flush(): Promise<void> {}

  async query(query: RecordQuery): Promise<RecordPage> {
    const after = query.cursor === undefined ? undefined : fromCursor(query.cursor);
    const matches = matcher(query, this.#redactor);
    const found = this.#stored()
      .filter((stored) => matches(stored.record) && (after === undefined || newestFirst(after, stored) < 0))
      .sort(newestFirst);
    const records: CallRecord[] = [];
    const limit = pageLimit(query.limit);
    let size = 0;
    let last: NumberedRecord | undefined;
    for (const stored of found) {
      if (records.length === limit || size > maxPageSize) break;
      const flat = flattenRecord(stored.record, this.#redactor);
      records.push(restoreRecord(flat));
      size += flatSize(flat);
      last = stored;
    }
    return last !== undefined && records.length < found.length ? { records, next: toCursor(last) } : { records };
  }

  async summary(conversationId: string): Promise<ConversationSummary> {
    const matches = matcher({ conversationId }, this.#redactor);
    return summarizeTallies(conversationId, this.#count(matches).tallies().tools);
  }

  async statistics(query: Pick<RecordQuery, "since" | "until" | "tool"> = {}): Promise<Statistics> {
    const matches = matcher(query, this.#redactor);
    return toStatistics(this.#count(matches).tallies());
  }

  async prune(retention: Retention): Promise<PruneResult> {
    checkRetention(retention);
    const oldest = retention.maxAgeMs === undefined ? -Infinity : this.#clock.now() - retention.maxAgeMs;
    let room = retention.maxBytes ?? Infinity;
    let records = 0;
    let bytes = 0;
    for (const { record, createdAt, number } of this.#stored().sort(newestFirst)) {
      const size = flatSize(flattenRecord(record, this.#redactor));
      if (createdAt >= oldest && size <= room) {
        room -= size;
        continue;
      }
      // Records older than the first one that does not fit are removed too, regardless of their size.
      if (createdAt >= oldest) room = -1;
      this.#remove(number);
      records++;
      bytes += size;
    }
    return { records, bytes };
  }

  async close(): Promise<void> {}

  #count(matches: (record: CallRecord) => boolean): CallCounter {
    const counter = new CallCounter();
    for (const { record } of this.#stored()) {
      if (matches(record))
        counter.count(
          toStoredLabel(record.tool, this.#redactor),
          toFiniteNumber(record.durationMs),
          failureCode(record),
        );
    }
    return counter;
  }

  #removeOldest(): void {
    this.#remove(this.#oldest++);
  }

  #remove(number: number): void {
    const index = number % this.#capacity;
    this.#bytes -= this.#sizes[index] ?? 0;
    this.#ring[index] = undefined;
    this.#sizes[index] = 0;
  }

  #stored(): NumberedRecord[] {
    const stored: NumberedRecord[] = [];
    for (let number = this.#oldest; number < this.#added; number++) {
      const record = this.#ring[number % this.#capacity];
      if (record !== undefined) stored.push({ record, number, createdAt: toFiniteNumber(record.createdAt) });
    }
    return stored;
  }
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`${name} must be a whole number of at least 1, got ${value}`);
}

function newestFirst(a: PagePosition, b: PagePosition): number {
  return b.createdAt - a.createdAt || b.number - a.number;
}

/** Returns a predicate for the records of a query, without paging. */
function matcher(query: RecordQuery, redactor: RecordRedactor): (record: CallRecord) => boolean {
  const { since = -Infinity, until = Infinity } = query;
  const texts = (["id", "conversationId", "tool", "callerType", "callerId"] as const).flatMap((key) => {
    const requested = query[key];
    return requested === undefined ? [] : [[key, toStoredLabel(requested, redactor)] as const];
  });
  return (record) => {
    const at = toFiniteNumber(record.createdAt);
    if (!(at >= since && at < until)) return false;
    if (query.status !== undefined && record.success !== (query.status === "success")) return false;
    if (query.code !== undefined && failureCode(record) !== query.code) return false;
    return texts.every(([key, requested]) => {
      const text = record[key];
      return text !== undefined && toStoredLabel(text, redactor) === requested;
    });
  };
}

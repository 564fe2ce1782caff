import { type Clock, systemClock } from "../base/index.ts";
import { checkRetention } from "./check-retention.ts";
import { failureCode, finite, flatSize, flattenRecord, label, restoreRecord } from "./flat-record.ts";
import { CallCounter, statisticsOf, summarise } from "./record-figures.ts";
import { type PagePosition, fromCursor, maxPageSize, pageLimit, toCursor } from "./record-page.ts";
import { type RecordRedactor, noRedaction } from "./record-text.ts";
import type {
  CallRecord,
  ConversationSummary,
  Pruned,
  RecordPage,
  RecordQuery,
  RecordStore,
  Retention,
  Statistics,
} from "./records.ts";

/** What {@link createMemoryRecords} takes. */
export interface MemoryRecordsOptions {
  /** The oldest record leaves when one more than this is added; 1,000 where absent. */
  readonly capacity?: number;
  readonly redactor?: RecordRedactor;
  readonly clock?: Clock;
}

/** A kept record and its number in the order of adding. */
interface Kept extends PagePosition {
  readonly record: CallRecord;
}

/**
 * Keeps the last records in memory. Adding is one array store: redaction, copies and figures are made when asked for.
 *
 * @example
 * ```ts
 * const records = createMemoryRecords({ capacity: 1000 });
 * ```
 */
export function createMemoryRecords(options: MemoryRecordsOptions = {}): RecordStore {
  return new MemoryRecords(options);
}

class MemoryRecords implements RecordStore {
  readonly #capacity: number;
  readonly #redactor: RecordRedactor;
  readonly #clock: Clock;
  readonly #ring: (CallRecord | undefined)[] = [];
  /** How many were ever added; the record with number n sits at n modulo the capacity. */
  #added = 0;

  constructor(options: MemoryRecordsOptions) {
    this.#capacity = options.capacity ?? 1000;
    if (!Number.isSafeInteger(this.#capacity) || this.#capacity < 1) {
      throw new RangeError(`capacity must be a whole number of at least 1, got ${this.#capacity}`);
    }
    this.#redactor = options.redactor ?? noRedaction;
    this.#clock = options.clock ?? systemClock;
  }

  add(record: CallRecord): void {
    this.#ring[this.#added++ % this.#capacity] = record;
  }

  async flush(): Promise<void> {}

  async query(query: RecordQuery): Promise<RecordPage> {
    const after = query.cursor === undefined ? undefined : fromCursor(query.cursor);
    const matches = matcher(query);
    const found = this.#kept()
      .filter((kept) => matches(kept.record) && (after === undefined || newestFirst(after, kept) < 0))
      .sort(newestFirst);
    const records: CallRecord[] = [];
    const limit = pageLimit(query.limit);
    let size = 0;
    let last: Kept | undefined;
    for (const kept of found) {
      if (records.length === limit || size > maxPageSize) break;
      const flat = flattenRecord(kept.record, this.#redactor);
      records.push(restoreRecord(flat));
      size += flatSize(flat);
      last = kept;
    }
    return last !== undefined && records.length < found.length ? { records, next: toCursor(last) } : { records };
  }

  async summary(conversationId: string): Promise<ConversationSummary> {
    const matches = matcher({ conversationId });
    return summarise(conversationId, this.#count(matches).tallies().tools);
  }

  async statistics(query: Pick<RecordQuery, "since" | "until" | "tool"> = {}): Promise<Statistics> {
    const matches = matcher(query);
    return statisticsOf(this.#count(matches).tallies());
  }

  async prune(retention: Retention): Promise<Pruned> {
    checkRetention(retention);
    const oldest = retention.maxAgeMs === undefined ? -Infinity : this.#clock.now() - retention.maxAgeMs;
    let room = retention.maxBytes ?? Infinity;
    let records = 0;
    let bytes = 0;
    for (const { record, createdAt, number } of this.#kept().sort(newestFirst)) {
      const size = flatSize(flattenRecord(record, this.#redactor));
      if (createdAt >= oldest && size <= room) {
        room -= size;
        continue;
      }
      // What is older than the first record without room goes too, whatever its size.
      if (createdAt >= oldest) room = -1;
      this.#ring[number % this.#capacity] = undefined;
      records++;
      bytes += size;
    }
    return { records, bytes };
  }

  async close(): Promise<void> {}

  #count(matches: (record: CallRecord) => boolean): CallCounter {
    const counter = new CallCounter();
    for (const { record } of this.#kept()) {
      if (matches(record)) counter.count(label(record.tool), finite(record.durationMs), failureCode(record));
    }
    return counter;
  }

  #kept(): Kept[] {
    const kept: Kept[] = [];
    for (let number = Math.max(0, this.#added - this.#capacity); number < this.#added; number++) {
      const record = this.#ring[number % this.#capacity];
      if (record !== undefined) kept.push({ record, number, createdAt: finite(record.createdAt) });
    }
    return kept;
  }
}

function newestFirst(a: PagePosition, b: PagePosition): number {
  return b.createdAt - a.createdAt || b.number - a.number;
}

/** Which records a query asks for, pages aside. */
function matcher(query: RecordQuery): (record: CallRecord) => boolean {
  const { since = -Infinity, until = Infinity } = query;
  const texts = (["conversationId", "tool", "callerType", "callerId"] as const).flatMap((key) => {
    const wanted = query[key];
    return wanted === undefined ? [] : [[key, label(wanted)] as const];
  });
  return (record) => {
    const at = finite(record.createdAt);
    if (!(at >= since && at < until)) return false;
    if (query.status !== undefined && record.success !== (query.status === "success")) return false;
    if (query.code !== undefined && failureCode(record) !== query.code) return false;
    return texts.every(([key, wanted]) => {
      const text = record[key];
      return text !== undefined && label(text) === wanted;
    });
  };
}

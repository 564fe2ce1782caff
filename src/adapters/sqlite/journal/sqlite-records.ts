import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../base/index.ts";
import {
  type CallRecord,
  type ConversationSummary,
  type Pruned,
  type RecordPage,
  type RecordQuery,
  type RecordRedactor,
  type RecordStore,
  type Retention,
  type Statistics,
  flatSize,
  flattenRecord,
  fromCursor,
  pageLimit,
  restoreRecord,
  statisticsOf,
  summarise,
  toCursor,
} from "../../store/index.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { Pruner } from "./pruner.ts";
import type { ReaderThread } from "./reader-thread.ts";
import { fromRow, toWrite } from "./record-columns.ts";

/** What {@link SqliteRecords} is made of. */
export interface SqliteRecordsParts {
  readonly writer: BatchWriter;
  readonly reader: ReaderThread;
  readonly pruner: Pruner;
  readonly redactor: RecordRedactor;
  readonly clock: Clock;
}

/** So many wait by reference at most; then they are serialised at once, whatever else waits. */
const maxReferences = 1000;
/** How long one turn of the event loop serialises. */
const sliceMs = 4;

/** Records in SQLite: kept by reference when added, redacted and serialised a little later, written by the writer thread. */
export class SqliteRecords implements RecordStore {
  readonly #parts: SqliteRecordsParts;
  /** Added and not all serialised yet. */
  #references: CallRecord[] = [];
  /** How many of the references are serialised. */
  #taken = 0;
  #added = 0;
  #serialised = 0;
  #scheduled = false;
  #closed = false;

  constructor(parts: SqliteRecordsParts) {
    this.#parts = parts;
  }

  add(record: CallRecord): void {
    if (this.#closed) {
      this.#parts.writer.lose(1, "added after the store was closed");
      return;
    }
    this.#added++;
    if (this.#references.push(record) >= maxReferences) this.#serialise(Infinity);
    else if (!this.#scheduled) this.#schedule();
  }

  async flush(): Promise<void> {
    await this.#serialiseAll();
    await this.#parts.writer.flush();
  }

  async query(query: RecordQuery): Promise<RecordPage> {
    const { cursor, limit, ...filter } = query;
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    await this.settle();
    const page = await this.#parts.reader.call("page", { ...filter, limit: pageLimit(limit), after });
    const records = page.rows.map((row) => restoreRecord(fromRow(row)));
    return page.next === undefined ? { records } : { records, next: toCursor(page.next) };
  }

  async summary(conversationId: string): Promise<ConversationSummary> {
    await this.settle();
    return summarise(conversationId, await this.#parts.reader.call("summary", { conversationId }));
  }

  async statistics(query: Pick<RecordQuery, "since" | "until" | "tool"> = {}): Promise<Statistics> {
    await this.settle();
    const { since, until, tool } = query;
    const which = {
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(tool !== undefined && { tool }),
    };
    return statisticsOf(await this.#parts.reader.call("statistics", which));
  }

  async prune(retention: Retention): Promise<Pruned> {
    await this.settle();
    return this.#parts.pruner.prune(retention);
  }

  /** Writes what was added, and takes no more. The database stays open for others. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Waits until what was added can be read, or is known to be unwritable: reading goes on while writing fails. */
  async settle(): Promise<void> {
    await this.#serialiseAll();
    await this.#parts.writer.settle();
  }

  // An immediate keeps the process alive, and so does a batch on its way: a process that ends by itself has written all.
  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#serialise(sliceMs);
      if (this.#references.length > 0) this.#schedule();
    });
  }

  async #serialiseAll(): Promise<void> {
    const upTo = this.#added;
    this.#serialise(sliceMs);
    while (this.#serialised < upTo) {
      await turn();
      this.#serialise(sliceMs);
    }
  }

  #serialise(ms: number): void {
    const { writer, redactor, clock } = this.#parts;
    const end = clock.elapsed() + ms;
    for (;;) {
      const record = this.#references[this.#taken];
      if (record === undefined) {
        this.#references = [];
        this.#taken = 0;
        break;
      }
      this.#taken++;
      const flat = flattenRecord(record, redactor);
      writer.push(toWrite(flat), flatSize(flat));
      this.#serialised++;
      if (clock.elapsed() >= end) break;
    }
    writer.send();
  }
}

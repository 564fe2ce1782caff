import { setImmediate as turn } from "node:timers/promises";
import { type Clock, definedOnly } from "../../../base/index.ts";
import {
  type CallRecord,
  type ConversationSummary,
  type PruneResult,
  type RecordPage,
  type RecordQuery,
  type RecordRedactor,
  type RecordStore,
  type Retention,
  type Statistics,
  boundRecord,
  flatSize,
  flattenRecord,
  fromCursor,
  pageLimit,
  restoreRecord,
  toStatistics,
  toStoredLabel,
  summarizeTallies,
  toCursor,
} from "../../../store/index.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { Pruner } from "./pruner.ts";
import type { ReaderThread } from "../thread/lazy-thread.ts";
import { fromRow, toRecordWrite } from "./record-columns.ts";

/** Dependencies of {@link SqliteRecords}. */
export interface SqliteRecordsDeps {
  readonly writer: Pick<BatchWriter, "push" | "send" | "settle" | "flush" | "lose">;
  readonly reader: Pick<ReaderThread, "call">;
  readonly pruner: Pick<Pruner, "prune">;
  readonly redactor: RecordRedactor;
  readonly clock: Clock;
}

/** Maximum number and estimated size of the records buffered by reference; beyond it they are serialized at once. */
const maxReferences = 1000;
const maxReferenceBytes = 16 * 1024 * 1024;
/** Maximum serializing time in one turn of the event loop. */
const sliceMs = 4;

/**
 * Records in SQLite: buffered by reference when added, redacted and serialized a little later, written by the writer
 * thread.
 */
export class SqliteRecords implements RecordStore {
  readonly #parts: SqliteRecordsDeps;
  /** Added records that are not all serialized yet. */
  #references: CallRecord[] = [];
  #referenceBytes = 0;
  /** Number of references that are already serialized. */
  #taken = 0;
  #added = 0;
  #serialised = 0;
  #scheduled = false;
  #closed = false;

  constructor(parts: SqliteRecordsDeps) {
    this.#parts = parts;
  }

  add(record: CallRecord, chars?: number): void {
    if (this.#closed) {
      this.#parts.writer.lose(1, "added after the store was closed");
      return;
    }
    this.#added++;
    // Large values become previews at once: by reference, a few of them would fill the memory.
    const { record: stored, bytes } = boundRecord(record, this.#parts.redactor, chars);
    this.#referenceBytes += bytes;
    const isFull = this.#references.push(stored) >= maxReferences || this.#referenceBytes >= maxReferenceBytes;
    if (isFull) this.#serialise(Infinity);
    else if (!this.#scheduled) this.#schedule();
  }

  async flush(): Promise<void> {
    await this.#serialiseAll();
    await this.#parts.writer.flush();
  }

  async query(query: RecordQuery): Promise<RecordPage> {
    const { cursor, limit, ...filter } = this.#withStoredLabels(query);
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    await this.settle();
    const page = await this.#parts.reader.call("page", { ...filter, limit: pageLimit(limit), after });
    const records = page.rows.map((row) => restoreRecord(fromRow(row)));
    return page.next === undefined ? { records } : { records, next: toCursor(page.next) };
  }

  async summary(conversationId: string): Promise<ConversationSummary> {
    await this.settle();
    const { conversationId: stored = "" } = this.#withStoredLabels({ conversationId });
    return summarizeTallies(conversationId, await this.#parts.reader.call("summary", { conversationId: stored }));
  }

  async statistics(query: Pick<RecordQuery, "since" | "until" | "tool"> = {}): Promise<Statistics> {
    await this.settle();
    const { since, until, tool } = this.#withStoredLabels(query);
    const which = {
      ...definedOnly({ since, until, tool }),
    };
    return toStatistics(await this.#parts.reader.call("statistics", which));
  }

  async prune(retention: Retention): Promise<PruneResult> {
    await this.settle();
    return this.#parts.pruner.prune(retention);
  }

  /** Writes the added records, and accepts no more. The database stays open for others. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Waits until added records can be read, or are known to be unwritable: reading continues while writing fails. */
  async settle(): Promise<void> {
    await this.#serialiseAll();
    await this.#parts.writer.settle();
  }

  /** Returns a filter with its labels as they are stored: redacted. */
  #withStoredLabels(query: RecordQuery): RecordQuery {
    const { redactor } = this.#parts;
    const labels = (["id", "tool", "callerId", "conversationId"] as const).flatMap((key) => {
      const label = query[key];
      return label === undefined ? [] : [[key, toStoredLabel(label, redactor)]];
    });
    return labels.length === 0 ? query : { ...query, ...Object.fromEntries(labels) };
  }

  // An immediate keeps the process alive, and so does a batch in flight: a process that ends by itself has written all.
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
        this.#referenceBytes = 0;
        this.#taken = 0;
        break;
      }
      this.#taken++;
      const flat = flattenRecord(record, redactor);
      writer.push(toRecordWrite(flat), flatSize(flat));
      this.#serialised++;
      if (clock.elapsed() >= end) break;
    }
    writer.send();
  }
}

import type { Clock } from "../../../base/index.ts";
import {
  type ConversationQuery,
  type ConversationTurn,
  type ConversationTurnRange,
  type ExecutableRun,
  type ExecutableRunQuery,
  type FinishedRun,
  type FinishedRunQuery,
  type RunCursor,
  type RunQuery,
  type RunRecording,
  type RunUpdate,
  type StoredConversation,
  type StoredRun,
  pageLimit,
} from "../../../store/index.ts";
import type { BatchWriter } from "./batch-writer.ts";
import type { ReaderThread } from "../thread/lazy-thread.ts";
import { toEvent, toFinishedRun, toRun, toRunAndEvents, toTurn } from "./run-columns.ts";
import { RunWatch } from "./run-watch.ts";

/** Dependencies of {@link SqliteRunReader}. */
export interface SqliteRunReaderDeps {
  readonly writer: Pick<BatchWriter, "settle">;
  readonly reader: Pick<ReaderThread, "call">;
  readonly clock: Clock;
  /** An owner without a sign of life for longer is gone. */
  readonly silenceMs: number;
}

/** Reads runs in SQLite, including those that this process has just written. */
export class SqliteRunReader {
  /** Notified of every event and end that is written here. */
  protected readonly runWatch: RunWatch;
  readonly #parts: SqliteRunReaderDeps;

  constructor(parts: SqliteRunReaderDeps) {
    this.#parts = parts;
    this.runWatch = new RunWatch(parts);
  }

  async read(runId: string): Promise<RunRecording | undefined> {
    const { writer, reader } = this.#parts;
    await writer.settle();
    const found = await reader.call("run", { runId });
    return found && toRunAndEvents(found);
  }

  async list(query: RunQuery = {}): Promise<readonly StoredRun[]> {
    const { writer, reader, clock, silenceMs } = this.#parts;
    await writer.settle();
    const requested = { ...query, limit: pageLimit(query.limit), now: clock.now(), silenceMs };
    return (await reader.call("runs", requested)).map(toRun);
  }

  async executable(query: ExecutableRunQuery): Promise<readonly ExecutableRun[]> {
    const { writer, reader, clock, silenceMs } = this.#parts;
    await writer.settle();
    const rows = await reader.call("executable", { ...query, now: clock.now(), silenceMs });
    return rows.map(({ number: position, ...run }) => ({ ...run, position }));
  }

  async updates(cursors: readonly RunCursor[]): Promise<readonly (RunUpdate | undefined)[]> {
    const { writer, reader, clock } = this.#parts;
    await writer.settle();
    const rows = await reader.call("updates", { cursors, now: clock.now() });
    return rows.map((row, index) => {
      if (row === null) return undefined;
      const { kind, status, epoch, suspended } = row.state;
      const id = cursors[index]?.runId ?? "";
      return { id, kind, status, epoch, isSuspended: suspended === 1, events: row.events.map(toEvent) };
    });
  }

  watch(changed: (runId?: string) => void): () => void {
    return this.runWatch.watch(changed);
  }

  /** Finished runs of chains, for statistics. */
  async finished({ since = 0, until = Number.MAX_SAFE_INTEGER }: FinishedRunQuery = {}): Promise<FinishedRun[]> {
    const { writer, reader } = this.#parts;
    await writer.settle();
    return (await reader.call("finishedRuns", { since, until })).map(toFinishedRun);
  }

  async conversations({
    id,
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: ConversationQuery): Promise<readonly StoredConversation[]> {
    const { writer, reader } = this.#parts;
    await writer.settle();
    return reader.call("conversations", { id, before, limit });
  }

  async turns(
    conversationId: string,
    { from = 0, to = Number.MAX_SAFE_INTEGER, last = -1 }: ConversationTurnRange = {},
  ): Promise<ConversationTurn[]> {
    const { writer, reader } = this.#parts;
    await writer.settle();
    return (await reader.call("turns", { conversationId, from, to, last })).map(toTurn);
  }
}

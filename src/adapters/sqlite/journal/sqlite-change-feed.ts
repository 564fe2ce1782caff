import type {
  ApprovalStatus,
  ChangeFeed,
  FeedChange,
  FeedCursor,
  FeedFilter,
  FeedHead,
  FeedPage,
  FeedPosition,
  FeedRun,
  RunKindId,
  RunReader,
  RunStatus,
} from "../../../store/index.ts";
import { definedOnly } from "../../../base/index.ts";
import type { ReaderThread } from "../thread/lazy-thread.ts";
import type { ChangeRow } from "../thread/worker-ops.ts";
import { toEvent } from "./run-columns.ts";

/** The changes of runs and approvals in a database, by every process that writes to it. Reads what is committed. */
export class SqliteChangeFeed implements ChangeFeed {
  readonly #reader: Pick<ReaderThread, "call">;
  readonly #runs: Pick<RunReader, "watch">;

  constructor(reader: Pick<ReaderThread, "call">, runs: Pick<RunReader, "watch">) {
    this.#reader = reader;
    this.#runs = runs;
  }

  async head(): Promise<FeedHead> {
    const { id, event, change } = await this.#reader.call("feedHead", null);
    return { id, event, change };
  }

  startOf(runIds: readonly string[]): Promise<FeedPosition> {
    return this.#reader.call("feedStart", { runIds });
  }

  async read(after: FeedCursor, filter: FeedFilter): Promise<FeedPage | undefined> {
    const page = await this.#reader.call("feedChanges", { after, filter });
    return page && { changes: page.rows.map(toChange), position: page.position, isLast: page.isLast };
  }

  watch(changed: () => void): () => void {
    return this.#runs.watch(changed);
  }
}

/** Only this store writes the columns. */
function toChange(row: ChangeRow): FeedChange {
  const { position } = row;
  switch (row.kind) {
    case "event": {
      const { runId, runKind, event, isCut } = row;
      const shown = toEvent([...event, null, null]);
      return { kind: "event", position, runId, runKind: runKind as RunKindId, event: shown, ...(isCut && { isCut }) };
    }
    case "run": {
      const { isSuspended, run } = row;
      const { kind, id, name, startedAt, ...rest } = run;
      const shown: FeedRun = { id, name, startedAt, kind: kind as RunKindId, ...definedOnly(rest) };
      return { kind: "run", position, status: row.status as RunStatus, isSuspended, run: shown };
    }
    case "approval":
      return { kind: "approval", position, status: row.status as ApprovalStatus, approval: row.approval };
  }
}

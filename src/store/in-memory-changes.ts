import { createIdGenerator } from "../base/index.ts";
import type { Approval, ApprovalStatus } from "./approvals.ts";
import {
  type ChangeFeed,
  type FeedCursor,
  type FeedChange,
  type FeedFilter,
  type FeedHead,
  type FeedPage,
  type FeedPosition,
  changesPerPage,
  maxFeedData,
} from "./change-feed.ts";
import { type InMemoryRun, publicEvent, storedRun } from "./in-memory-run.ts";
import type { RunStatus } from "./run-journal.ts";

/** A change of a run or of an approval. */
type Entry = { readonly number: number } & (
  | { readonly kind: "run"; readonly runId: string; readonly status: RunStatus; readonly isSuspended: boolean }
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly runId: string | undefined;
      readonly status: ApprovalStatus;
    }
);

/** Number of changes of runs and approvals that are retained at least; twice as many at most. */
const retained = 10_000;

/** The changes of an in-memory journal and of its approvals. They share one counter. */
export class InMemoryChanges implements ChangeFeed {
  readonly #id = createIdGenerator().next();
  readonly #watchers = new Set<() => void>();
  #runs: ReadonlyMap<string, InMemoryRun> = new Map();
  #approvals: ReadonlyMap<string, Approval> = new Map();
  /** Oldest first. */
  #entries: Entry[] = [];
  #last = 0;
  /** The last change that was removed. */
  #floor = 0;

  /** Names the runs whose changes these are. */
  ofRuns(runs: ReadonlyMap<string, InMemoryRun>): void {
    this.#runs = runs;
  }

  /** Names the approvals whose changes these are. */
  ofApprovals(approvals: ReadonlyMap<string, Approval>): void {
    this.#approvals = approvals;
  }

  /** Numbers an event of a run that is about to be appended. */
  event(): number {
    return ++this.#last;
  }

  /** Notifies the watchers, after the event is stored. */
  notify(): void {
    for (const changed of this.#watchers) changed();
  }

  run({ made, status, waitsFor }: InMemoryRun): void {
    const isSuspended = status === "waiting" && waitsFor !== "ready";
    this.#add({ kind: "run", number: ++this.#last, runId: made.id, status, isSuspended });
  }

  approval({ id, runId, status }: Approval): void {
    this.#add({ kind: "approval", number: ++this.#last, id, runId, status });
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * retained) {
      const removed = this.#entries.splice(0, retained);
      this.#floor = removed.at(-1)?.number ?? this.#floor;
    }
    this.notify();
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async head(): Promise<FeedHead> {
    return { id: this.#id, ...at(this.#last) };
  }

  async startOf(runIds: readonly string[]): Promise<FeedPosition> {
    const firsts = runIds.flatMap((id) => this.#runs.get(id)?.positions[0] ?? []);
    const changed = this.#entries.find((entry) => entry.runId !== undefined && runIds.includes(entry.runId));
    return at(Math.min(this.#last, ...[changed?.number ?? Infinity, ...firsts].map((first) => first - 1)));
  }

  async read({ event: from }: FeedCursor, filter: FeedFilter): Promise<FeedPage | undefined> {
    if (from > this.#last) return undefined;
    if ((filter.runs || filter.approvals) && from < this.#floor) return undefined;
    const requested = new Set(filter.runIds);
    const entries = this.#entriesAfter(from, filter, requested);
    const events = [...requested].flatMap((runId) => this.#eventsOf(runId, from));
    const changes = [...entries, ...events].sort((one, other) => one.position.event - other.position.event);
    const page = changes.slice(0, changesPerPage);
    const isLast = page.length === changes.length;
    return { changes: page, isLast, position: isLast ? at(this.#last) : (page.at(-1)?.position ?? at(from)) };
  }

  #entriesAfter(from: number, filter: FeedFilter, requested: ReadonlySet<string>): FeedChange[] {
    const found: FeedChange[] = [];
    const start = this.#entries.findLastIndex(({ number }) => number <= from) + 1;
    for (let index = start; index < this.#entries.length && found.length <= changesPerPage; index++) {
      const entry = this.#entries[index] as Entry;
      const isRequested = (entry.kind === "run" ? filter.runs : filter.approvals) || requested.has(entry.runId ?? "");
      const change = isRequested ? this.#changeOf(entry) : undefined;
      if (change !== undefined) found.push(change);
    }
    return found;
  }

  /** Undefined if the run or the approval was removed. */
  #changeOf(entry: Entry): FeedChange | undefined {
    const position = at(entry.number);
    if (entry.kind === "approval") {
      const approval = this.#approvals.get(entry.id);
      if (approval === undefined) return undefined;
      const isLarge = (JSON.stringify(approval.args)?.length ?? 0) > maxFeedData;
      const shown = isLarge ? { ...approval, args: undefined } : approval;
      return { kind: "approval", position, status: entry.status, approval: shown };
    }
    const stored = this.#runs.get(entry.runId);
    if (stored === undefined) return undefined;
    const { conversation, ...run } = storedRun(stored);
    const shown = { ...run, ...(conversation !== undefined && { conversationId: conversation.id }) };
    return { kind: "run", position, status: entry.status, isSuspended: entry.isSuspended, run: shown };
  }

  #eventsOf(runId: string, from: number): FeedChange[] {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return [];
    const { events, positions, made } = stored;
    const start = positions.findLastIndex((position) => position <= from) + 1;
    // One more than a page, which shows that there are more.
    return events.slice(start, start + changesPerPage + 1).map((event, index) => ({
      kind: "event",
      position: at(positions[start + index] ?? 0),
      runId,
      runKind: made.kind,
      event: publicEvent(event),
    }));
  }
}

function at(number: number): FeedPosition {
  return { event: number, change: number };
}

import { type FailureError, createIdGenerator } from "../base/index.ts";
import {
  type InMemoryRun,
  deliverTo,
  eventsOf,
  listedRun,
  matchesQuery,
  runUpdate,
  storedRun,
  listConversations,
  runsOfConversation,
} from "./in-memory-run.ts";
import type { InMemoryChanges } from "./in-memory-changes.ts";
import { InMemoryTurns } from "./in-memory-turns.ts";
import type { InMemoryRunJournalOptions } from "./in-memory-run-journal-options.ts";
import { RetainedRuns } from "./retained-runs.ts";
import { RunReadiness } from "./run-readiness.ts";
import { checkSequence, deliveriesOfEnd, sequenceGapFailure, isFinished, leaseLostFailure } from "./run-state.ts";
import { pageLimit } from "./record-page.ts";
import type {
  Claim,
  EventDelivery,
  ExternalEvent,
  JournalEvent,
  NewExternalEvent,
  NewJournalEvent,
  NewRun,
  NewConversationTurn,
  RunEnd,
  CancelRequest,
  ConversationQuery,
  ConversationRemoval,
  ExecutableRun,
  ExecutableRunQuery,
  Liveness,
  RunCursor,
  RunLease,
  RunRecording,
  RunStore,
  RunQuery,
  RunUpdate,
  StoredConversation,
  StoredRun,
  ConversationTurn,
  ConversationTurnRange,
} from "./run-journal.ts";

/**
 * Stores runs in memory, for one process: those that are running, and the last ones that finished.
 *
 * @example
 * ```ts
 * const runs = createInMemoryRunJournal({ approvals: createInMemoryApprovals(), finished: 10 });
 * ```
 */
export function createInMemoryRunJournal(options: InMemoryRunJournalOptions): RunStore {
  return new InMemoryRunJournal(options);
}

class InMemoryRunJournal implements RunStore {
  readonly #sinks: Pick<InMemoryRunJournalOptions, "records" | "deliveries">;
  readonly #changes: InMemoryChanges | undefined;
  readonly #readiness: RunReadiness;
  readonly #ids = createIdGenerator();
  /** Oldest first. */
  readonly #runs = new Map<string, InMemoryRun>();
  readonly #retained: RetainedRuns;
  readonly #turns = new InMemoryTurns();
  readonly #watchers = new Set<(runId: string) => void>();
  #lastPosition = 0;
  #lastEventPosition = 0;

  constructor(options: InMemoryRunJournalOptions) {
    this.#retained = new RetainedRuns(options, (runId) => this.#forget(runId));
    this.#sinks = options;
    this.#changes = options.changes;
    this.#changes?.ofRuns(this.#runs);
    this.#readiness = new RunReadiness(options);
  }

  join(): Liveness {
    const owner = this.#ids.next();
    // No other process considers the owner gone.
    return { owner, isGone: (other) => this.#readiness.isGone(other), onLost: () => () => {} };
  }

  async create(
    run: NewRun,
    owner: string,
    before: readonly JournalEvent[] = [],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }> {
    const existing = this.#add(run, before, { status: "running", owner, epoch: 1, waitsFor: undefined });
    if (existing !== undefined) return existing;
    this.#readiness.touch(owner);
    return { lease: { runId: run.id, epoch: 1 } };
  }

  async submit(
    run: NewRun,
    before: readonly JournalEvent[] = [],
  ): Promise<{ readonly existing: StoredRun } | undefined> {
    return this.#add(run, before, { status: "waiting", owner: undefined, epoch: 0, waitsFor: "ready" });
  }

  #add(
    run: NewRun,
    before: readonly JournalEvent[],
    state: Pick<InMemoryRun, "status" | "owner" | "epoch" | "waitsFor">,
  ): { readonly existing: StoredRun } | undefined {
    checkSequence(run.id, before);
    const existing = this.#runs.get(run.id);
    if (existing !== undefined) return { existing: storedRun(existing) };
    const position = ++this.#lastPosition;
    const begin = { events: [...before], positions: [], inbox: [], end: undefined, cancel: undefined, deaths: 0 };
    const stored: InMemoryRun = { made: { ...run }, position, ...begin, ...state };
    this.#runs.set(run.id, stored);
    this.#changes?.run(stored);
    for (const _ of before) this.#numberEvent(stored);
    if (run.conversation !== undefined) this.#turns.hold(run.conversation.id);
    this.#retained.began(run.id);
    return undefined;
  }

  async claim(runId: string, owner: string, reopen: boolean = false): Promise<Claim> {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return { kind: "unknown" };
    const { epoch } = stored;
    // A process that was stopped for long is still executing its own run.
    const isFree = stored.owner !== owner && (await this.#readiness.isFree(stored));
    const isReopened = reopen && stored.status === "failed";
    if (isFinished(stored.status) && !isReopened)
      return { kind: "finished", run: storedRun(stored), events: eventsOf(stored) };
    // Another owner may have claimed it in the meantime.
    if (!isFree || stored.epoch !== epoch) return { kind: "held", run: storedRun(stored) };
    const was = stored.status;
    if (isReopened) this.#reopen(stored);
    else if (stored.owner !== undefined) stored.deaths++;
    stored.owner = owner;
    stored.status = "running";
    stored.waitsFor = undefined;
    stored.epoch++;
    this.#readiness.touch(owner);
    this.#changes?.run(stored);
    return {
      kind: "claimed",
      lease: { runId, epoch: stored.epoch },
      run: storedRun(stored),
      was,
      events: eventsOf(stored),
    };
  }

  #numberEvent({ positions }: InMemoryRun): void {
    if (this.#changes !== undefined) positions.push(this.#changes.event());
  }

  #reopen(stored: InMemoryRun): void {
    stored.end = undefined;
    stored.deaths = 0;
    this.#retained.reopened(stored.made.id);
  }

  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined {
    const stored = this.#held(lease);
    if (stored === undefined) return this.#refuse(event, leaseLostFailure(lease.runId));
    if (event.seq !== stored.events.length + 1) {
      return this.#refuse(event, sequenceGapFailure(lease.runId, event.seq, stored.events.length));
    }
    stored.events.push(event);
    this.#numberEvent(stored);
    if (event.kind === "settled") stored.deaths = 0;
    if (event.record !== undefined) this.#sinks.records?.add(event.record);
    this.#changed(lease.runId);
    return undefined;
  }

  async finish(lease: RunLease, end: RunEnd): Promise<"finished" | "woken"> {
    const stored = this.#held(lease);
    if (stored === undefined) throw leaseLostFailure(lease.runId);
    stored.owner = undefined;
    stored.status = end.status;
    if (!isFinished(end.status)) {
      stored.waitsFor = stored.cancel === undefined ? end.waitsFor : "ready";
      const isWoken = await this.#readiness.isAwake(stored);
      stored.waitsFor ??= "ready";
      this.#changes?.run(stored);
      this.#changed(lease.runId);
      return isWoken ? "woken" : "finished";
    }
    const { turn, channels = [], ...reported } = end;
    stored.end = reported;
    await this.#sinks.deliveries?.add(deliveriesOfEnd(lease, channels, end.at));
    const { conversation, id: runId } = stored.made;
    if (turn !== undefined && conversation !== undefined) {
      this.#turns.add(conversation.id, { after: conversation.after, runId, at: end.at, data: turn });
    }
    this.#changes?.run(stored);
    this.#retained.ended(stored.made);
    this.#changed(runId);
    return "finished";
  }

  async requestCancel(runId: string, by: string | undefined): Promise<boolean> {
    const stored = this.#runs.get(runId);
    if (stored === undefined || isFinished(stored.status)) return false;
    // The first request for cancellation is the one that is named.
    stored.cancel ??= { by };
    if (stored.status === "waiting") stored.waitsFor = "ready";
    this.#changes?.run(stored);
    return true;
  }

  async deliver({ runId, ...event }: NewExternalEvent): Promise<EventDelivery> {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return "unknown";
    const delivery = deliverTo(stored, event, () => ++this.#lastEventPosition);
    if (delivery !== "delivered") return delivery;
    if (stored.waitsFor === "ready") this.#changes?.run(stored);
    this.#changed(runId);
    return delivery;
  }

  async inbox(runId: string, after: number): Promise<readonly ExternalEvent[]> {
    return this.#runs.get(runId)?.inbox.filter(({ position }) => position > after) ?? [];
  }

  async changes(owner: string, runIds: readonly string[]): Promise<readonly CancelRequest[]> {
    this.#readiness.touch(owner);
    return runIds.flatMap((runId) => {
      const cancel = this.#runs.get(runId)?.cancel;
      return cancel === undefined ? [] : [{ runId, by: cancel.by }];
    });
  }

  async read(runId: string): Promise<RunRecording | undefined> {
    const stored = this.#runs.get(runId);
    return stored && { run: storedRun(stored), events: eventsOf(stored) };
  }

  async list(query: RunQuery = {}): Promise<readonly StoredRun[]> {
    const found: InMemoryRun[] = [];
    for (const stored of this.#runs.values()) if (await this.#matches(stored, query)) found.push(stored);
    return found
      .reverse()
      .sort((a, b) => b.made.startedAt - a.made.startedAt)
      .slice(0, pageLimit(query.limit))
      .map(listedRun);
  }

  async #matches(stored: InMemoryRun, query: RunQuery): Promise<boolean> {
    if (!matchesQuery(stored, query) || !this.#follows(stored, query.after)) return false;
    return query.abandoned !== true || (stored.status === "running" && this.#readiness.isFree(stored));
  }

  /** True if it comes after that run in a list; also the runs that started with it, if it no longer exists. */
  #follows({ made, position }: InMemoryRun, after: RunQuery["after"]): boolean {
    if (after === undefined || made.startedAt !== after.startedAt)
      return made.startedAt < (after?.startedAt ?? Infinity);
    return position < (this.#runs.get(after.id)?.position ?? Infinity);
  }

  async executable({ kinds, after, limit }: ExecutableRunQuery): Promise<readonly ExecutableRun[]> {
    const found: ExecutableRun[] = [];
    // In the order of their positions.
    for (const stored of this.#runs.values()) {
      const { id, kind, calledBy } = stored.made;
      if (found.length === limit) break;
      if (stored.position <= after || calledBy !== undefined || !kinds.includes(kind)) continue;
      if (stored.status === "running" ? await this.#readiness.isFree(stored) : await this.#readiness.isAwake(stored)) {
        const { position, owner, deaths } = stored;
        found.push({ id, kind, position, deaths: deaths + (owner === undefined ? 0 : 1) });
      }
    }
    return found;
  }

  async updates(cursors: readonly RunCursor[]): Promise<readonly (RunUpdate | undefined)[]> {
    return Promise.all(cursors.map((cursor) => this.#update(cursor)));
  }

  async #update({ runId, after = Infinity }: RunCursor): Promise<RunUpdate | undefined> {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return undefined;
    return runUpdate(stored, after, await this.#readiness.isAwake(stored));
  }

  watch(changed: (runId?: string) => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  #changed(runId: string): void {
    this.#changes?.notify();
    for (const changed of this.#watchers) changed(runId);
  }

  async turns(conversationId: string, range?: ConversationTurnRange): Promise<readonly ConversationTurn[]> {
    return this.#turns.list(conversationId, range);
  }

  async addTurn(conversationId: string, turn: NewConversationTurn): Promise<void> {
    this.#turns.add(conversationId, turn);
  }

  async conversations(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    return listConversations(this.#runs.values(), query);
  }

  async removeConversation(conversationId: string): Promise<ConversationRemoval> {
    const removed = runsOfConversation(this.#runs.values(), conversationId);
    if (removed.length === 0) return "unknown";
    if (!removed.every(({ status }) => isFinished(status))) return "unfinished";
    for (const { made } of removed) this.#retained.remove(made.id);
    this.#turns.remove(conversationId);
    return "removed";
  }

  #forget(runId: string): void {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return;
    // A map that shrinks and grows leaves old tables behind, which retain its old values for a while.
    stored.events.length = 0;
    stored.inbox.length = 0;
    this.#runs.delete(runId);
    if (stored.made.conversation !== undefined) this.#turns.release(stored.made.conversation.id, runId);
  }

  #held(lease: RunLease): InMemoryRun | undefined {
    const stored = this.#runs.get(lease.runId);
    return stored?.owner !== undefined && stored.epoch === lease.epoch ? stored : undefined;
  }

  /** Refuses the event, but adds its record: the call was made anyway. */
  #refuse(event: NewJournalEvent, failure: FailureError): Promise<void> {
    if (event.record !== undefined) this.#sinks.records?.add(event.record);
    return Promise.reject(failure);
  }
}

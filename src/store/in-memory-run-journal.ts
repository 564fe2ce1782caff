import { type Clock, type FailureError, createIdGenerator, systemClock } from "../base/index.ts";
import { InMemoryTurns } from "./in-memory-turns.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { RecordStore } from "./records.ts";
import {
  checkSequence,
  sequenceGapFailure,
  isLargePayload,
  isFinished,
  leaseLostFailure,
  leaseTimeoutMs,
  runLimit,
} from "./run-state.ts";
import type {
  Claim,
  JournalEvent,
  NewJournalEvent,
  NewRun,
  NewConversationTurn,
  RunEnd,
  CancelRequest,
  Liveness,
  RunLease,
  RunRecording,
  RunStore,
  RunQuery,
  RunStatus,
  RunWait,
  StoredRun,
  ConversationTurn,
  ConversationTurnRange,
} from "./run-journal.ts";

/** Options of {@link createInMemoryRunJournal}. */
export interface InMemoryRunJournalOptions {
  /** Maximum number of finished runs; beyond it the run that finished first is removed. Default: 100. */
  readonly finished?: number;
  /**
   * Maximum number, counted separately, of finished runs that are not prompts of a conversation and were called by no
   * run known here. Default: they count like all others.
   */
  readonly detached?: number;
  /** Shared by journals whose runs call each other: a called run is retained until the run that called it is over. */
  readonly unfinished?: UnfinishedRuns;
  /** Receives the records that come with events. */
  readonly records?: Pick<RecordStore, "add">;
  /** The store of the approvals that its runs wait for: a decision makes them executable. */
  readonly approvals?: Pick<ApprovalStore, "get">;
  readonly clock?: Clock;
  /** Time without a sign of life after which an owner is gone. Default: 15 s. */
  readonly leaseTimeoutMs?: number;
  /** Decides instead whether an owner is gone. */
  readonly liveness?: Pick<Liveness, "isGone">;
}

/**
 * Stores runs in memory, for one process: those that are running, and the last ones that finished.
 *
 * @example
 * ```ts
 * const runs = createInMemoryRunJournal({ finished: 10 });
 * ```
 */
export function createInMemoryRunJournal(options: InMemoryRunJournalOptions = {}): RunStore {
  return new InMemoryRunJournal(options);
}

/** A run, as it changes. */
interface InMemoryRun {
  readonly made: NewRun;
  /** In order, by reference. */
  readonly events: NewJournalEvent[];
  status: RunStatus;
  end: RunEnd | undefined;
  owner: string | undefined;
  epoch: number;
  cancel: { readonly by: string | undefined } | undefined;
  /** The wait of a suspended run; `ready` once the run may continue. */
  waitsFor: RunWait | "ready" | undefined;
}

class InMemoryRunJournal implements RunStore {
  readonly #retainedFinished: number;
  readonly #retainedDetached: number | undefined;
  readonly #records: Pick<RecordStore, "add"> | undefined;
  readonly #approvals: Pick<ApprovalStore, "get"> | undefined;
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #liveness: Pick<Liveness, "isGone">;
  readonly #ids = createIdGenerator();
  /** Oldest first. */
  readonly #runs = new Map<string, InMemoryRun>();
  /** Finished runs, in the order in which they ended. */
  readonly #finished = new Set<string>();
  /** Finished runs that are counted separately. */
  readonly #asides = new Set<string>();
  readonly #unfinished: UnfinishedRuns;
  /** Finished runs by the unfinished run that called them, which may repeat the call on replay. */
  readonly #called = new Map<string, string[]>();
  /** Time of the last sign of life of each owner. */
  readonly #lastSeen = new Map<string, number>();
  readonly #turns = new InMemoryTurns();

  constructor(options: InMemoryRunJournalOptions) {
    this.#retainedFinished = checkedCount("finished", options.finished ?? 100);
    this.#retainedDetached = options.detached === undefined ? undefined : checkedCount("detached", options.detached);
    this.#unfinished = options.unfinished ?? new UnfinishedRuns();
    this.#records = options.records;
    this.#approvals = options.approvals;
    this.#clock = options.clock ?? systemClock;
    this.#silenceMs = options.leaseTimeoutMs ?? leaseTimeoutMs;
    this.#liveness = options.liveness ?? { isGone: async (owner) => this.#isSilent(owner) };
  }

  join(): Liveness {
    const owner = this.#ids.next();
    // No other process considers the owner gone.
    return { owner, isGone: (other) => this.#liveness.isGone(other), onLost: () => {} };
  }

  async create(
    run: NewRun,
    owner: string,
    before: readonly JournalEvent[] = [],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }> {
    const existing = this.#add(run, before, { status: "running", owner, epoch: 1, waitsFor: undefined });
    if (existing !== undefined) return existing;
    this.#touch(owner);
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
    this.#runs.set(run.id, { made: { ...run }, events: [...before], end: undefined, cancel: undefined, ...state });
    if (run.conversation !== undefined) this.#turns.hold(run.conversation.id);
    this.#unfinished.began(run.id);
    return undefined;
  }

  async claim(runId: string, owner: string): Promise<Claim> {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return { kind: "unknown" };
    const { epoch } = stored;
    // A process that was stopped for long is still executing its own run.
    const isFree = stored.owner !== owner && (await this.#isFree(stored));
    if (isFinished(stored.status)) return { kind: "finished", run: storedRun(stored), events: eventsOf(stored) };
    // Another owner may have claimed it in the meantime.
    if (!isFree || stored.epoch !== epoch) return { kind: "held", run: storedRun(stored) };
    const was = stored.status;
    stored.owner = owner;
    stored.status = "running";
    stored.waitsFor = undefined;
    stored.epoch++;
    this.#touch(owner);
    return {
      kind: "claimed",
      lease: { runId, epoch: stored.epoch },
      run: storedRun(stored),
      was,
      events: eventsOf(stored),
    };
  }

  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined {
    const stored = this.#held(lease);
    if (stored === undefined) return this.#refuse(event, leaseLostFailure(lease.runId));
    if (event.seq !== stored.events.length + 1) {
      return this.#refuse(event, sequenceGapFailure(lease.runId, event.seq, stored.events.length));
    }
    stored.events.push(event);
    if (event.record !== undefined) this.#records?.add(event.record);
    return undefined;
  }

  async finish(lease: RunLease, end: RunEnd): Promise<"finished" | "woken"> {
    const stored = this.#held(lease);
    if (stored === undefined) throw leaseLostFailure(lease.runId);
    stored.owner = undefined;
    stored.status = end.status;
    if (!isFinished(end.status)) {
      stored.waitsFor = stored.cancel === undefined ? end.waitsFor : "ready";
      const isWoken = await this.#isAwake(stored);
      stored.waitsFor ??= "ready";
      return isWoken ? "woken" : "finished";
    }
    const { turn, ...reported } = end;
    stored.end = reported;
    const { conversation, id: runId } = stored.made;
    if (turn !== undefined && conversation !== undefined) {
      this.#turns.add(conversation.id, { after: conversation.after, runId, at: end.at, data: turn });
    }
    this.#unfinished.ended(runId);
    this.#retire(stored.made);
    return "finished";
  }

  #retire({ id, calledBy, conversation }: NewRun): void {
    const isCalled = calledBy !== undefined && this.#unfinished.has(calledBy);
    if (isCalled && this.#called.get(calledBy)?.push(id) === undefined) this.#called.set(calledBy, [id]);
    const isAside = this.#retainedDetached !== undefined && conversation === undefined;
    if (!isCalled) (isAside ? this.#asides : this.#finished).add(id);
    for (const [caller, called] of this.#called) {
      if (this.#unfinished.has(caller)) continue;
      this.#called.delete(caller);
      for (const each of called) this.#finished.add(each);
    }
    this.#forgetFirst(this.#finished, this.#retainedFinished);
    this.#forgetFirst(this.#asides, this.#retainedDetached ?? 0);
  }

  #forgetFirst(finished: Set<string>, stored: number): void {
    for (const first of finished) {
      if (finished.size <= stored) break;
      finished.delete(first);
      this.#forget(first);
    }
  }

  async requestCancel(runId: string, by: string | undefined): Promise<boolean> {
    const stored = this.#runs.get(runId);
    if (stored === undefined || isFinished(stored.status)) return false;
    // The first request for cancellation is the one that is named.
    stored.cancel ??= { by };
    if (stored.status === "waiting") stored.waitsFor = "ready";
    return true;
  }

  async changes(owner: string, runIds: readonly string[]): Promise<readonly CancelRequest[]> {
    this.#touch(owner);
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
      .slice(0, runLimit(query.limit))
      .map(listedRun);
  }

  async #matches(stored: InMemoryRun, query: RunQuery): Promise<boolean> {
    const { kind, name, status, conversation, abandoned, executable } = query;
    const { made } = stored;
    const has = <T>(value: T, requested: T | undefined): boolean => requested === undefined || value === requested;
    if (!has(made.kind, kind) || !has(made.name, name) || !has(stored.status, status)) return false;
    if (!has(made.conversation?.id, conversation)) return false;
    if (abandoned !== true && executable !== true) return true;
    if (stored.status === "running") return this.#isFree(stored);
    return abandoned !== true && this.#isAwake(stored);
  }

  async turns(conversationId: string, range?: ConversationTurnRange): Promise<readonly ConversationTurn[]> {
    return this.#turns.list(conversationId, range);
  }

  async addTurn(conversationId: string, turn: NewConversationTurn): Promise<void> {
    this.#turns.add(conversationId, turn);
  }

  #forget(runId: string): void {
    const stored = this.#runs.get(runId);
    if (stored === undefined) return;
    // A map that shrinks and grows leaves old tables behind, which retain its old values for a while.
    stored.events.length = 0;
    this.#runs.delete(runId);
    if (stored.made.conversation !== undefined) this.#turns.release(stored.made.conversation.id, runId);
  }

  #held(lease: RunLease): InMemoryRun | undefined {
    const stored = this.#runs.get(lease.runId);
    return stored?.owner !== undefined && stored.epoch === lease.epoch ? stored : undefined;
  }

  async #isFree({ owner }: InMemoryRun): Promise<boolean> {
    return owner === undefined || this.#liveness.isGone(owner);
  }

  /** All owners are in this process and therefore alive, but one without signs of life has lost its runs. */
  #isSilent(owner: string): boolean {
    return Math.abs(this.#clock.now() - (this.#lastSeen.get(owner) ?? -Infinity)) > this.#silenceMs;
  }

  /** True if a suspended run may continue: it was submitted or cancelled, its time has come, or it was decided. */
  async #isAwake({ status, waitsFor }: InMemoryRun): Promise<boolean> {
    if (status !== "waiting" || waitsFor === undefined) return false;
    const now = this.#clock.now();
    if (waitsFor === "ready" || (waitsFor.until !== undefined && waitsFor.until <= now)) return true;
    for (const id of waitsFor.approvals) {
      const approval = await this.#approvals?.get(id, now);
      if (approval !== undefined && approval.status !== "pending") return true;
    }
    return false;
  }

  #touch(owner: string): void {
    this.#lastSeen.set(owner, this.#clock.now());
  }

  /** Refuses the event, but adds its record: the call was made anyway. */
  #refuse(event: NewJournalEvent, failure: FailureError): Promise<void> {
    if (event.record !== undefined) this.#records?.add(event.record);
    return Promise.reject(failure);
  }
}

function checkedCount(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${count}`);
}

function storedRun(stored: InMemoryRun): StoredRun {
  const { made, status, end, owner, epoch, cancel } = stored;
  return {
    ...made,
    status,
    ...(end !== undefined && { finishedAt: end.at }),
    ...(end?.output !== undefined && { output: end.output }),
    ...(end?.error !== undefined && { error: end.error }),
    cancelRequested: cancel !== undefined,
    ...(cancel?.by !== undefined && { cancelBy: cancel.by }),
    ...(owner !== undefined && { leaseHolder: owner }),
    epoch,
  };
}

function listedRun(stored: InMemoryRun): StoredRun {
  const { output, ...run } = storedRun(stored);
  return output === undefined || isLargePayload(output) ? run : { ...run, output };
}

function eventsOf({ events }: InMemoryRun): JournalEvent[] {
  return events.map(({ seq, kind, key, at, data }) => ({ seq, kind, key, at, data }));
}

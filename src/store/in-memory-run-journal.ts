import { type Clock, type FailureError, systemClock } from "../base/index.ts";
import { MemoryTurns } from "./memory-turns.ts";
import { UnfinishedRuns } from "./unfinished-runs.ts";
import type { RecordStore } from "./records.ts";
import { checkNumbered, gapFailure, isLarge, isOver, lostFailure, ownerSilenceMs, runLimit } from "./run-state.ts";
import type {
  Claim,
  JournalEvent,
  NewJournalEvent,
  NewRun,
  NewTurn,
  RunEnd,
  RunJournal,
  RunLease,
  RunOwner,
  RunQuery,
  RunStatus,
  StoredRun,
  Turn,
  TurnRange,
} from "./runs.ts";

/** What {@link createMemoryRuns} takes. */
export interface MemoryRunsOptions {
  /** The run that finished first is forgotten when more than this have; 100 where absent. */
  readonly finished?: number;
  /**
   * How many to keep, apart from the others, of those that finished, are no question of a conversation and were called by
   * no run that is known here; where absent they count like all others.
   */
  readonly asides?: number;
  /** Shared by journals whose runs call each other: what was called is kept until the run is over that called it. */
  readonly unfinished?: UnfinishedRuns;
  /** Gets the records that events bring along. */
  readonly records?: Pick<RecordStore, "add">;
  readonly clock?: Clock;
  /** How long an owner may be silent before its runs can be taken; 15 s where absent. */
  readonly ownerSilenceMs?: number;
}

/**
 * Keeps runs in memory, for one process: what goes on, and the last that finished.
 *
 * @example
 * ```ts
 * const runs = createMemoryRuns({ finished: 10 });
 * ```
 */
export function createMemoryRuns(options: MemoryRunsOptions = {}): RunJournal {
  return new MemoryRuns(options);
}

/** A run, as it changes. */
interface Kept {
  readonly made: NewRun;
  /** In order, by reference. */
  readonly events: NewJournalEvent[];
  status: RunStatus;
  end: RunEnd | undefined;
  owner: RunOwner | undefined;
  epoch: number;
  cancel: { readonly by: string | undefined } | undefined;
}

class MemoryRuns implements RunJournal {
  readonly #finishedKept: number;
  readonly #asidesKept: number | undefined;
  readonly #records: Pick<RecordStore, "add"> | undefined;
  readonly #clock: Clock;
  readonly #silenceMs: number;
  /** Oldest first. */
  readonly #runs = new Map<string, Kept>();
  /** Those that are over, in the order in which they ended. */
  readonly #finished = new Set<string>();
  /** Those of them that are counted apart. */
  readonly #asides = new Set<string>();
  readonly #unfinished: UnfinishedRuns;
  /** Those that are over, by the run that called them and is not: it may make the call again. */
  readonly #called = new Map<string, string[]>();
  /** When each owner was last heard of. */
  readonly #heard = new Map<string, number>();
  readonly #turns = new MemoryTurns();

  constructor(options: MemoryRunsOptions) {
    this.#finishedKept = checkedCount("finished", options.finished ?? 100);
    this.#asidesKept = options.asides === undefined ? undefined : checkedCount("asides", options.asides);
    this.#unfinished = options.unfinished ?? new UnfinishedRuns();
    this.#records = options.records;
    this.#clock = options.clock ?? systemClock;
    this.#silenceMs = options.ownerSilenceMs ?? ownerSilenceMs;
  }

  async create(
    run: NewRun,
    owner: RunOwner,
    before: readonly JournalEvent[] = [],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }> {
    checkNumbered(run.id, before);
    const existing = this.#runs.get(run.id);
    if (existing !== undefined) return { existing: storedRun(existing) };
    const made = { ...run };
    const events = [...before];
    this.#runs.set(run.id, { made, events, status: "running", end: undefined, owner, epoch: 1, cancel: undefined });
    if (run.conversation !== undefined) this.#turns.hold(run.conversation.id);
    this.#unfinished.began(run.id);
    this.#hear(owner);
    return { lease: { runId: run.id, epoch: 1 } };
  }

  async claim(runId: string, owner: RunOwner): Promise<Claim> {
    const kept = this.#runs.get(runId);
    if (kept === undefined) return { kind: "unknown" };
    if (isOver(kept.status)) return { kind: "finished", run: storedRun(kept), events: eventsOf(kept) };
    if (!this.#isFree(kept)) return { kind: "held", run: storedRun(kept) };
    const was = kept.status;
    kept.owner = owner;
    kept.status = "running";
    kept.epoch++;
    this.#hear(owner);
    return {
      kind: "claimed",
      lease: { runId, epoch: kept.epoch },
      run: storedRun(kept),
      was,
      events: eventsOf(kept),
    };
  }

  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined {
    const kept = this.#held(lease);
    if (kept === undefined) return this.#refuse(event, lostFailure(lease.runId));
    if (event.seq !== kept.events.length + 1) {
      return this.#refuse(event, gapFailure(lease.runId, event.seq, kept.events.length));
    }
    kept.events.push(event);
    if (event.record !== undefined) this.#records?.add(event.record);
    return undefined;
  }

  async finish(lease: RunLease, end: RunEnd): Promise<void> {
    const kept = this.#held(lease);
    if (kept === undefined) throw lostFailure(lease.runId);
    kept.owner = undefined;
    kept.status = end.status;
    if (!isOver(end.status)) return;
    const { turn, ...told } = end;
    kept.end = told;
    const { conversation, id: runId } = kept.made;
    if (turn !== undefined && conversation !== undefined) {
      this.#turns.add(conversation.id, { after: conversation.after, runId, at: end.at, data: turn });
    }
    this.#unfinished.ended(runId);
    this.#retire(kept.made);
  }

  #retire({ id, calledBy, conversation }: NewRun): void {
    const isCalled = calledBy !== undefined && this.#unfinished.has(calledBy);
    if (isCalled && this.#called.get(calledBy)?.push(id) === undefined) this.#called.set(calledBy, [id]);
    const isAside = this.#asidesKept !== undefined && conversation === undefined;
    if (!isCalled) (isAside ? this.#asides : this.#finished).add(id);
    for (const [caller, called] of this.#called) {
      if (this.#unfinished.has(caller)) continue;
      this.#called.delete(caller);
      for (const each of called) this.#finished.add(each);
    }
    this.#forgetFirst(this.#finished, this.#finishedKept);
    this.#forgetFirst(this.#asides, this.#asidesKept ?? 0);
  }

  #forgetFirst(finished: Set<string>, kept: number): void {
    for (const first of finished) {
      if (finished.size <= kept) break;
      finished.delete(first);
      this.#forget(first);
    }
  }

  async requestCancel(runId: string, by: string | undefined): Promise<boolean> {
    const kept = this.#runs.get(runId);
    if (kept === undefined || isOver(kept.status)) return false;
    // The first who asks is the one who is named.
    kept.cancel ??= { by };
    return true;
  }

  async attend(
    owner: RunOwner,
    runIds: readonly string[],
  ): Promise<readonly { readonly runId: string; readonly by: string | undefined }[]> {
    this.#hear(owner);
    return runIds.flatMap((runId) => {
      const cancel = this.#runs.get(runId)?.cancel;
      return cancel === undefined ? [] : [{ runId, by: cancel.by }];
    });
  }

  async read(
    runId: string,
  ): Promise<{ readonly run: StoredRun; readonly events: readonly JournalEvent[] } | undefined> {
    const kept = this.#runs.get(runId);
    return kept && { run: storedRun(kept), events: eventsOf(kept) };
  }

  async list(query: RunQuery = {}): Promise<readonly StoredRun[]> {
    const { chain, status, conversation, abandoned } = query;
    const limit = runLimit(query.limit);
    return [...this.#runs.values()]
      .filter(
        (kept) =>
          (chain === undefined || kept.made.chain === chain) &&
          (status === undefined || kept.status === status) &&
          (conversation === undefined || kept.made.conversation?.id === conversation) &&
          (abandoned !== true || (kept.status === "running" && this.#isFree(kept))),
      )
      .reverse()
      .sort((a, b) => b.made.startedAt - a.made.startedAt)
      .slice(0, limit)
      .map(listedRun);
  }

  async turns(conversationId: string, range?: TurnRange): Promise<readonly Turn[]> {
    return this.#turns.list(conversationId, range);
  }

  async addTurn(conversationId: string, turn: NewTurn): Promise<void> {
    this.#turns.add(conversationId, turn);
  }

  #forget(runId: string): void {
    const kept = this.#runs.get(runId);
    if (kept === undefined) return;
    // A map that shrinks and grows leaves tables behind, through which its old values stay alive for a while.
    kept.events.length = 0;
    this.#runs.delete(runId);
    if (kept.made.conversation !== undefined) this.#turns.release(kept.made.conversation.id, runId);
  }

  #held(lease: RunLease): Kept | undefined {
    const kept = this.#runs.get(lease.runId);
    return kept?.owner !== undefined && kept.epoch === lease.epoch ? kept : undefined;
  }

  /** All owners are in this process and therefore alive; but one that says nothing any more is gone. */
  #isFree({ owner }: Kept): boolean {
    if (owner === undefined) return true;
    const heard = this.#heard.get(owner.id) ?? -Infinity;
    return Math.abs(this.#clock.now() - heard) > this.#silenceMs;
  }

  #hear(owner: RunOwner): void {
    this.#heard.set(owner.id, this.#clock.now());
  }

  /** The event is refused; the call it tells of was made all the same. */
  #refuse(event: NewJournalEvent, failure: FailureError): Promise<void> {
    if (event.record !== undefined) this.#records?.add(event.record);
    return Promise.reject(failure);
  }
}

function checkedCount(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new RangeError(`${name} must be a whole number of at least 0, got ${count}`);
}

function storedRun(kept: Kept): StoredRun {
  const { made, status, end, owner, epoch, cancel } = kept;
  return {
    ...made,
    status,
    ...(end !== undefined && { finishedAt: end.at }),
    ...(end?.output !== undefined && { output: end.output }),
    ...(end?.error !== undefined && { error: end.error }),
    cancelRequested: cancel !== undefined,
    ...(cancel?.by !== undefined && { cancelBy: cancel.by }),
    ...(owner !== undefined && { owner }),
    epoch,
  };
}

function listedRun(kept: Kept): StoredRun {
  const { output, ...run } = storedRun(kept);
  return output === undefined || isLarge(output) ? run : { ...run, output };
}

function eventsOf({ events }: Kept): JournalEvent[] {
  return events.map(({ seq, kind, key, at, data }) => ({ seq, kind, key, at, data }));
}

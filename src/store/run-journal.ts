import type { CallRecord } from "./records.ts";

/** State of a run. `waiting`: no process executes it; it waits for a person, for a time, or for a worker. */
export type RunStatus = "running" | "waiting" | "success" | "failed" | "cancelled";

/** An owner of runs in this process, and whether it and other owners are alive. Each journal has its own signs of life. */
export interface Liveness {
  /** The name under which this owner claims runs. */
  readonly owner: string;
  /** True if this owner can no longer execute its runs, so that another one may claim them. */
  isGone(owner: string): Promise<boolean>;
  /**
   * Calls `stop` when other processes consider this owner gone: it must then start nothing more for its runs. Until the
   * returned function is called, for an owner that has no more runs.
   */
  onLost(stop: () => void): () => void;
}

/** The kinds of runs: a chain, a prompt of an agent, or one durable call of one tool. */
export type RunKindId = "chain" | "agent" | "call";

/** A run that is about to be created. Strings are JSON, except for ids and names. */
export interface NewRun {
  readonly id: string;
  readonly kind: RunKindId;
  /** The name of the chain, of the agent's runner, or of the tool. */
  readonly name: string;
  /** Everything that its program needs, such as the resolved chain and every chain it calls. */
  readonly definition: string;
  readonly input: string;
  readonly context: string;
  /** Version of the programs of its kind: another version replays differently. */
  readonly format: number;
  /** Tool name to a hash of the relevant parts of its definition. */
  readonly fingerprints: string;
  readonly startedAt: number;
  /** The run that this one repeats. */
  readonly rerunOf?: string;
  /** The run whose call started this one. */
  readonly calledBy?: string;
  readonly conversation?: RunConversation;
}

/** The conversation that a run answers a prompt of. */
export interface RunConversation {
  readonly id: string;
  /** Number of the last turn that it knows; 0 if it begins without turns. */
  readonly after: number;
}

/**
 * A unit of messages that is appended to a conversation. Immutable, and ordered after all turns that existed before.
 */
export interface ConversationTurn {
  /** Increases in the order in which turns appear; never reused. */
  readonly number: number;
  /** Number of the last turn that its author knew; 0 for none. Others may have been added in between. */
  readonly after: number;
  /** The run that produced it. */
  readonly runId?: string;
  readonly at: number;
  /** JSON. */
  readonly data: string;
}

/** A turn without a run. By default it knows all turns before it. */
export type NewConversationTurn = Pick<ConversationTurn, "at" | "data"> & Partial<Pick<ConversationTurn, "after">>;

/** Range of turns of a conversation: between these numbers, both inclusive. Default: all. */
export interface ConversationTurnRange {
  readonly from?: number;
  readonly to?: number;
  /** Only this number of turns, the last ones of the range. */
  readonly last?: number;
}

/** A stored run. */
export interface StoredRun extends NewRun {
  readonly status: RunStatus;
  /** The wait of a suspended run: it is woken by any part of it. */
  readonly waitsFor?: RunWait;
  readonly finishedAt?: number;
  /** JSON, of a finished run. */
  readonly output?: string;
  readonly error?: string;
  readonly cancelRequested: boolean;
  readonly cancelBy?: string;
  /** The owner that executes it. */
  readonly leaseHolder?: string;
  readonly epoch: number;
  /**
   * Number of owners in a row that died while they executed it: they neither released nor ended it, and it got no new
   * outcome since.
   */
  readonly deaths: number;
}

/** One journal event of a run. `seq` counts from 1 without gaps. */
export interface JournalEvent {
  readonly seq: number;
  readonly kind: "started" | "settled" | "waiting";
  readonly key: string;
  readonly at: number;
  /** Plain JSON data. */
  readonly data: unknown;
}

/** An event to be appended; a settled call comes with its record, which is written in the same transaction. */
export interface NewJournalEvent extends JournalEvent {
  readonly record?: CallRecord;
}

/**
 * The right to write to a run. A claim increases the epoch; writes with an older epoch are refused (a fencing token).
 */
export interface RunLease {
  readonly runId: string;
  readonly epoch: number;
}

/** Result of an attempt to claim a run. */
export type Claim =
  | {
      readonly kind: "claimed";
      readonly lease: RunLease;
      readonly run: StoredRun;
      /** The previous status, for a claimant that cannot resume the run and releases it unchanged. */
      readonly was: RunStatus;
      readonly events: readonly JournalEvent[];
    }
  | { readonly kind: "held"; readonly run: StoredRun }
  | { readonly kind: "finished"; readonly run: StoredRun; readonly events: readonly JournalEvent[] }
  | { readonly kind: "unknown" };

/** Filter for runs; newest first. */
export interface RunQuery {
  readonly id?: string;
  readonly kind?: RunKindId;
  readonly name?: string;
  readonly status?: RunStatus;
  /** Only the runs that started at this time or later; epoch milliseconds. */
  readonly since?: number;
  /** Only the runs with this text in their id, name or error; ASCII letters match in either case. */
  readonly text?: string;
  /** Only the runs after this one in the list. */
  readonly after?: Pick<StoredRun, "id" | "startedAt">;
  /** Only the prompts of this conversation. */
  readonly conversation?: string;
  /** Only the runs that this run called. */
  readonly calledBy?: string;
  /** Maximum number of runs, from 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** Only runs whose status is `running` and whose owner is gone. */
  readonly abandoned?: boolean;
}

/** A run that a worker can claim now: abandoned, submitted, or woken by a decision, a time or a cancellation. */
export interface ExecutableRun extends Pick<StoredRun, "id" | "kind"> {
  /** Increases in the order in which runs were stored. */
  readonly position: number;
  /** The deaths of its owners, including the last one if it is abandoned. */
  readonly deaths: number;
}

/** A page of executable runs of these kinds, in the order of their positions. */
export interface ExecutableRunQuery {
  readonly kinds: readonly RunKindId[];
  /** Only runs after this position. */
  readonly after: number;
  readonly limit: number;
}

/** The position of an observer of a run. */
export interface RunCursor {
  readonly runId: string;
  /** Its last event. If omitted, it reads no events. */
  readonly after?: number;
}

/** The state of a run, with the events after a cursor. */
export interface RunUpdate extends Pick<StoredRun, "id" | "kind" | "status" | "epoch"> {
  /** True if it waits for a decision or a time: no worker can claim it before that. */
  readonly isSuspended: boolean;
  /** The next events after the cursor: {@link eventsPerUpdate}, or fewer if there are no more. */
  readonly events: readonly JournalEvent[];
}

/** The approvals, the events and the time that wake a suspended run. */
export interface RunWait {
  /** Ids of approvals: a decision about any of them wakes the run. */
  readonly approvals: readonly string[];
  /** Each of these external events wakes the run. */
  readonly events?: readonly AwaitedEvent[];
  /** Epoch milliseconds: the run is woken at this time even without a decision. */
  readonly until?: number;
}

/** An external event that a suspended run waits for. */
export interface AwaitedEvent {
  readonly name: string;
  /** Only an event after this position counts: the run has consumed those before. */
  readonly after: number;
}

/** An event that someone outside of a run delivers to it, such as a payment. */
export interface NewExternalEvent {
  readonly runId: string;
  /** Chosen by the sender: a second event of the run with the same name and id is a repetition. */
  readonly id: string;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** JSON. */
  readonly data: string;
}

/** An event in the inbox of its run. A run consumes it by the outcome in its journal that names its position. */
export interface ExternalEvent extends Omit<NewExternalEvent, "runId"> {
  /** Increases in the order in which events were stored. */
  readonly position: number;
}

/**
 * Result of a delivery. `repeated`: the run already has the event; `ended`: the run is over; `full`: its inbox holds the
 * maximum number of events; `unknown`: there is no such run.
 */
export type EventDelivery = "delivered" | "repeated" | "ended" | "full" | "unknown";

/** End of a run, or its release. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly at: number;
  readonly output?: string;
  readonly error?: string;
  /** For the status `waiting`: what wakes the run. Default: it is executable at once. */
  readonly waitsFor?: RunWait;
  /**
   * JSON: the turn that the run adds to its conversation, if it has one. Written atomically with the end of the run. A
   * function creates it on demand. A journal may omit it if the conversation has the id of the run, has no other turns,
   * and was not read yet: continuing that conversation replays the run instead.
   */
  readonly turn?: string | (() => string);
  /** JSON: the metrics of a finished run of a chain, for statistics. A journal need not store them. */
  readonly metrics?: string;
  /** Of a finished run: the channels to which its end is to be delivered. Added atomically with the end. */
  readonly channels?: readonly string[];
}

/** A finished run of a chain, for statistics. */
export interface FinishedRun {
  readonly chain: string;
  readonly status: "success" | "failed" | "cancelled";
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** JSON; absent if the run stored none. */
  readonly metrics?: string;
}

/** Filter for finished runs: those that started in a period. Epoch milliseconds. */
export interface FinishedRunQuery {
  readonly since?: number;
  /** Exclusive. */
  readonly until?: number;
}

/** A run with all its events. */
export interface RunRecording {
  readonly run: StoredRun;
  readonly events: readonly JournalEvent[];
}

/** A request to cancel a run, and the person who made it. */
export interface CancelRequest {
  readonly runId: string;
  readonly by: string | undefined;
}

/**
 * The owner's side of stored runs: their definition, their owner, and all their events, in order. Every write carries a
 * lease and is refused with `run_lost` if another owner has claimed the run. Every implementation passes
 * `test/conformance/run-journal.ts`.
 */
export interface RunJournal {
  /** Registers an owner in this process; every call returns another one. */
  join(): Liveness;
  /**
   * Atomically creates a run held by `owner`, together with initial events, such as results reused from another run. If
   * the id exists, returns that run instead. Durable when it resolves.
   */
  create(
    run: NewRun,
    owner: string,
    events?: readonly JournalEvent[],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }>;
  /**
   * Atomically stores a run that any worker may claim; its status is `waiting`. If the id exists, returns that run
   * instead. Durable when it resolves.
   */
  submit(run: NewRun, events?: readonly JournalEvent[]): Promise<{ readonly existing: StoredRun } | undefined>;
  /**
   * Claims a run that no owner holds, or whose owner is gone; the latter counts as a death of that owner. With `reopen`, a
   * failed run as well, which then continues where it stopped, without any deaths.
   */
  claim(runId: string, owner: string, reopen?: boolean): Promise<Claim>;
  /**
   * Appends an event, in order. Undefined if it is durable immediately; else resolves when it and everything before it
   * is durable.
   */
  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined;
  /**
   * Ends, suspends or releases the run, after everything appended before; the lease becomes invalid. A decision or an
   * event makes the runs that wait for it executable in its own transaction; a run that is to wait for one that has
   * already happened is `woken`: it is executable at once.
   */
  finish(lease: RunLease, end: RunEnd): Promise<"finished" | "woken">;
  /**
   * Returns the requests to cancel these runs of the owner. Each call is a sign of life: by default, an owner is gone after
   * 15 s without one.
   */
  changes(owner: string, runIds: readonly string[]): Promise<readonly CancelRequest[]>;
}

/** The reader's side of stored runs: anyone may observe a run, or request its cancellation. */
export interface RunReader {
  read(runId: string): Promise<RunRecording | undefined>;
  /** Omits outputs above 256 KiB, which `read` returns. */
  list(query?: RunQuery): Promise<readonly StoredRun[]>;
  /** Lists runs for workers, without those that the run that called them executes. Finished runs cost nothing. */
  executable(query: ExecutableRunQuery): Promise<readonly ExecutableRun[]>;
  /** Returns the states and new events of runs, in the order of the cursors; undefined for a run that does not exist. */
  updates(cursors: readonly RunCursor[]): Promise<readonly (RunUpdate | undefined)[]>;
  /**
   * Calls `changed` after each event and each end of a run, until the returned function is called: with its id for a run
   * that was written through this journal; a moment later and without one if another process may have written to any.
   */
  watch(changed: (runId?: string) => void): () => void;
  /** Requests that the owner cancel the run, and makes a waiting run executable; durable when it resolves. False if the run is over or unknown. */
  requestCancel(runId: string, by: string | undefined): Promise<boolean>;
}

/** The external events of runs. */
export interface EventInbox {
  /**
   * Atomically stores the event and makes a suspended run that waits for it executable; durable when it resolves. A run
   * that does not wait for it yet finds it later.
   */
  deliver(event: NewExternalEvent): Promise<EventDelivery>;
  /** The events of a run after this position, in their order. */
  inbox(runId: string, after: number): Promise<readonly ExternalEvent[]>;
}

/** A conversation with stored runs. */
export interface StoredConversation {
  readonly id: string;
  /** Number of its runs. */
  readonly runs: number;
  /** Ids of the runs that were stored first and last. */
  readonly firstRun: string;
  readonly lastRun: string;
  /** Increases in the order in which the last runs were stored. */
  readonly position: number;
}

/** A page of conversations. */
export interface ConversationQuery {
  readonly id?: string | undefined;
  /** Only conversations before this position. */
  readonly before?: number;
  readonly limit: number;
}

/** The outcome of a removal: a conversation is not removed while a run of it, or one that such a run called, has not ended. */
export type ConversationRemoval = "removed" | "unfinished" | "unknown";

/** Stores the turns of conversations. */
export interface ConversationStore {
  /** Lists conversations, the one with the newest run first. */
  conversations(query: ConversationQuery): Promise<readonly StoredConversation[]>;
  /** Removes the turns and the runs of a conversation, with the runs that those called and the records of their calls. */
  removeConversation(conversationId: string): Promise<ConversationRemoval>;
  /**
   * Returns the turns of a conversation, in order. They are retained together, at least as long as any run of the
   * conversation, and removed together: such a run always finds its initial turns, and removed turns never reappear.
   */
  turns(conversationId: string, range?: ConversationTurnRange): Promise<readonly ConversationTurn[]>;
  /** Adds a turn without a run; durable when it resolves. Does nothing if the conversation has no run. */
  addTurn(conversationId: string, turn: NewConversationTurn): Promise<void>;
}

/** Runs and their conversations in one store, for their owners and readers. */
export interface RunStore extends RunJournal, RunReader, EventInbox, ConversationStore {}

import type { CallRecord } from "./records.ts";

/** Where a run stands: `waiting` for a person's decision, with nobody executing it. */
export type RunStatus = "running" | "waiting" | "success" | "failed" | "cancelled";

/** A process that can own runs. */
export interface RunOwner {
  readonly id: string;
  readonly pid: number;
  /** When that process started, as the system tells it: a number given again means another process. */
  readonly processStart: string;
  /** Which start of the machine. */
  readonly bootId: string;
}

/** A run that is about to be made. Texts are JSON. */
export interface NewRun {
  readonly id: string;
  readonly chain: string;
  /** The resolved chain and every chain it calls. */
  readonly definition: string;
  readonly input: string;
  readonly context: string;
  /** Of the interpreter: another number replays differently. */
  readonly format: number;
  /** Tool name to a hash of what matters about it. */
  readonly fingerprints: string;
  readonly startedAt: number;
  /** The run that this one repeats. */
  readonly rerunOf?: string;
  /** The run whose call it is. */
  readonly calledBy?: string;
  readonly conversation?: RunConversation;
}

/** The conversation that a run is a question of. */
export interface RunConversation {
  readonly id: string;
  /** The number of the last turn that it knows of; 0 where it begins with none. */
  readonly after: number;
}

/** What was added to a conversation at once. It is never changed, and comes behind all turns that were there before. */
export interface Turn {
  /** Grows in the order in which turns appear; never given again. */
  readonly number: number;
  /** The number of the last turn that whoever made it knew of; 0 for none. Others may have come between. */
  readonly after: number;
  /** The run that it came of. */
  readonly runId?: string;
  readonly at: number;
  /** JSON. */
  readonly data: string;
}

/** A turn that is of no run. It knows of all turns before it where it does not say otherwise. */
export type NewTurn = Pick<Turn, "at" | "data"> & Partial<Pick<Turn, "after">>;

/** Which turns of a conversation to give: those between these numbers, both included; all where they are absent. */
export interface TurnRange {
  readonly from?: number;
  readonly to?: number;
}

/** A run as it is kept. */
export interface StoredRun extends NewRun {
  readonly status: RunStatus;
  readonly finishedAt?: number;
  /** JSON; of a run that is over. */
  readonly output?: string;
  readonly error?: string;
  readonly cancelRequested: boolean;
  readonly cancelBy?: string;
  readonly owner?: RunOwner;
  readonly epoch: number;
}

/** One thing that happened to a run. `seq` counts from 1 without gaps. */
export interface JournalEvent {
  readonly seq: number;
  readonly kind: "started" | "settled" | "waiting";
  readonly key: string;
  readonly at: number;
  /** Plain JSON data. */
  readonly data: unknown;
}

/** An event on its way into the journal; a call that settled brings its record, written in the same transaction. */
export interface NewJournalEvent extends JournalEvent {
  readonly record?: CallRecord;
}

/** The right to write to a run. Taking it over raises the epoch; what comes with an older epoch is refused. */
export interface RunLease {
  readonly runId: string;
  readonly epoch: number;
}

/** What came of trying to own a run. */
export type Claim =
  | {
      readonly kind: "claimed";
      readonly lease: RunLease;
      readonly run: StoredRun;
      /** How it stood before: whoever cannot go on with it gives it back so. */
      readonly was: RunStatus;
      readonly events: readonly JournalEvent[];
    }
  | { readonly kind: "held"; readonly run: StoredRun }
  | { readonly kind: "finished"; readonly run: StoredRun; readonly events: readonly JournalEvent[] }
  | { readonly kind: "unknown" };

/** Which runs to list; newest first. */
export interface RunQuery {
  readonly chain?: string;
  readonly status?: RunStatus;
  /** Only the questions of this conversation. */
  readonly conversation?: string;
  /** 100 where absent, 1 to 1,000. */
  readonly limit?: number;
  /** Only runs that say `running` and whose owner is gone. */
  readonly abandoned?: boolean;
}

/** How a run ended, or was left. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly at: number;
  readonly output?: string;
  readonly error?: string;
  /**
   * JSON: what the run adds to its conversation, where it has one. Kept together with the end of the run, or neither is.
   * A function writes it. A journal need not have it where the conversation has the id of the run, nothing else in it,
   * and nobody has looked at it yet: whoever goes on with that tells the run again.
   */
  readonly turn?: string | (() => string);
}

/**
 * Keeps runs: what they are, who executes them, and everything that happened to them, in order. Every write carries a
 * lease and is refused with `run_lost` when somebody else has taken the run over.
 * Every implementation passes `test/conformance/run-journal.ts`.
 */
export interface RunJournal {
  /**
   * Makes a run that `owner` executes, with what has happened to it already, such as what it takes over from another
   * run: both or neither. When the id is taken, gives that run instead. Durable when it resolves.
   */
  create(
    run: NewRun,
    owner: RunOwner,
    events?: readonly JournalEvent[],
  ): Promise<{ readonly lease: RunLease } | { readonly existing: StoredRun }>;
  /** Takes a run whose owner is gone (dead, or silent for 15 s), or that nobody executes. */
  claim(runId: string, owner: RunOwner): Promise<Claim>;
  /** In order. Undefined when kept at once; else resolves when durable, and everything before it is durable then. */
  append(lease: RunLease, event: NewJournalEvent): Promise<void> | undefined;
  /** Ends or leaves the run, after everything appended before; the lease is gone. */
  finish(lease: RunLease, end: RunEnd): Promise<void>;
  /** Asks whoever executes the run to stop; durable when it resolves. False when the run is over or unknown. */
  requestCancel(runId: string, by: string | undefined): Promise<boolean>;
  /** Those of these runs whose cancellation was asked for. Also says that the owner is alive. */
  attend(
    owner: RunOwner,
    runIds: readonly string[],
  ): Promise<readonly { readonly runId: string; readonly by: string | undefined }[]>;
  read(runId: string): Promise<{ readonly run: StoredRun; readonly events: readonly JournalEvent[] } | undefined>;
  /** Without outputs above 256 KiB, which `read` gives. */
  list(query?: RunQuery): Promise<readonly StoredRun[]>;
  /**
   * The turns of a conversation, in order. They are kept together, at least for as long as any run of the conversation
   * is, and given up together: whatever else is removed, such a run finds what it began with, and what was once gone does
   * not come back.
   */
  turns(conversationId: string, range?: TurnRange): Promise<readonly Turn[]>;
  /** Adds a turn that is of no run; durable when it resolves. Does nothing where no run is of that conversation. */
  addTurn(conversationId: string, turn: NewTurn): Promise<void>;
}

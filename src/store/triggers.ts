/**
 * State of a firing: it waits for earlier ones, is being started, its run was started, its run has ended; or it starts no
 * run, because another one was running, because it cannot, or because it was there before the trigger.
 */
export type FiringStatus = "waiting" | "starting" | "started" | "ended" | "skipped" | "failed" | "seen";

/** Firings that may still start a run, or whose run may not have ended. */
export const openFiringStatuses: readonly FiringStatus[] = ["waiting", "starting", "started"];

/** One firing of a trigger, which starts at most one run. */
export interface Firing {
  readonly triggerId: string;
  /** Identifies it among the firings of the trigger: a time, the id of a delivery, or a file with its digest. */
  readonly key: string;
  /** The run that it starts. The same firing has the same run in every process. */
  readonly runId: string;
  /** The time that it stands for; epoch milliseconds. */
  readonly at: number;
  readonly status: FiringStatus;
  /** JSON: the input of the run, until it was started. */
  readonly input?: string;
  /** The input contains content that did not come from the workspace. */
  readonly tainted: boolean;
  /** The person who fired the trigger by hand. */
  readonly principal?: string;
  /** Why it started no run. */
  readonly reason?: string;
  /** It is never removed: a repetition can come at any time. */
  readonly isLasting?: boolean;
}

/** A firing that is about to be stored. */
export type NewFiring = Omit<Firing, "triggerId">;

/** The stored state of a trigger. Its definition is in the files of the workspace. */
export interface TriggerState {
  readonly id: string;
  /** Identifies the definition. */
  readonly digest: string;
  /** Epoch milliseconds. */
  readonly registeredAt: number;
  /** Everything up to this time has been considered; epoch milliseconds. */
  readonly cursor: number;
  readonly pausedAt?: number;
  /** The definition that a person approved, and the number of the last tool write to its file that the person knew. */
  readonly approved?: { readonly digest: string; readonly write: number };
  /** The latest firing that started a run. */
  readonly last?: Pick<Firing, "at" | "runId">;
}

/** Changes the time up to which a trigger was considered, and adds the firings of the time in between. */
export interface TriggerAdvance {
  /** Nothing happens if the cursor is another one. */
  readonly from: number;
  readonly to: number;
  readonly firings: readonly NewFiring[];
}

/** The condition under which a firing is begun. */
export type BeginCondition = "always" | "alone";

/**
 * Stores the states of triggers and their firings, so that all servers of a workspace fire each once. Every change is
 * durable when it resolves. Every implementation passes `test/conformance/trigger-store.ts`.
 */
export interface TriggerStore {
  /**
   * Adds triggers that it does not know. One with another digest than before begins anew at this time: times before it are
   * not missed.
   */
  register(triggers: readonly Pick<TriggerState, "id" | "digest">[], at: number): Promise<void>;
  /** The states of all triggers that were ever registered. */
  list(): Promise<readonly TriggerState[]>;
  /** Pauses a trigger, or, without `pausedAt`, resumes it at a time: times before it are not missed. */
  pause(id: string, change: { readonly pausedAt: number } | { readonly resumedAt: number }): Promise<void>;
  /** Approves the definition of a trigger, from this time on. */
  approve(id: string, approved: NonNullable<TriggerState["approved"]>, at: number): Promise<void>;
  /** Atomically moves the cursor and adds the firings that are new. False if another process has moved it. */
  advance(id: string, change: TriggerAdvance): Promise<boolean>;
  /**
   * Adds a firing: `known` if there is one with this key already; `full` if as many firings as allowed wait already.
   */
  add(id: string, firing: NewFiring, maxWaiting: number): Promise<"added" | "known" | "full">;
  /** A firing of a trigger. */
  get(id: string, key: string): Promise<Firing | undefined>;
  /** The keys among these that a trigger has firings with. */
  known(id: string, keys: readonly string[]): Promise<readonly string[]>;
  /** The open firings of a trigger, in the order in which they were added; or, without an id, of all of them. */
  open(id?: string): Promise<readonly Firing[]>;
  /** Changes `waiting` to `starting`; with `alone`, only if no other one is starting or started. False if it did not. */
  begin(id: string, key: string, when: BeginCondition): Promise<boolean>;
  /** Changes the status of a firing from one to another; its input is stored only while it waits or starts. */
  settle(id: string, key: string, change: FiringChange): Promise<boolean>;
  /** Records that a tool is about to write a file of the workspace. */
  toolWrites(file: string): Promise<void>;
  /** The number of the last write by a tool to each file. */
  writtenFiles(): Promise<ReadonlyMap<string, number>>;
}

/** A change of the status of a firing. */
export interface FiringChange {
  readonly from: FiringStatus;
  readonly to: FiringStatus;
  readonly reason?: string;
}

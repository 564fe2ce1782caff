import type { CallApproval } from "../engine/index.ts";
import type { ApprovalStatus, RunWait } from "../store/index.ts";
import type { Effect, ToolResult } from "../tool/index.ts";
import type { LeasedRun } from "./leases/run-leases.ts";

/** The work of one call, as the program of a run states it. */
export interface CallWork {
  readonly tool: string;
  /** Plain data; in a chain also secret handles. */
  readonly args: unknown;
  /** The same for every attempt of the same work. */
  readonly idempotencyKey: string;
  /** Number of this attempt, if the work is retried: 1 for the first one. */
  readonly attempt?: number | undefined;
  /** Maximum time of one attempt. Overrides the timeout of the tool. */
  readonly timeoutMs?: number | undefined;
  readonly cache?: { readonly ttlMs: number; readonly key?: unknown } | undefined;
  /** The approval that lets exactly this call run. */
  readonly approvalId?: string | undefined;
  /** Keys of the approvals that were granted for this call, or for calls that its tool makes itself. */
  readonly allowed?: readonly string[] | undefined;
}

/** A durable timer. It also runs down while no process executes the run. */
export interface TimerWait {
  readonly kind: "timer";
  readonly ms: number;
}

/**
 * A deadline for work. It runs down only while a process executes the run, and is paused while the run waits for
 * approvals.
 */
export interface DeadlineWait {
  readonly kind: "deadline";
  readonly ms: number;
  /** Start of the deadline in epoch milliseconds. */
  readonly since: number;
}

/** A wait for a person's decision. */
export interface ApprovalWait {
  readonly kind: "approval";
  /** The step that waits. */
  readonly step: string;
  readonly tool: string;
  readonly args: unknown;
  readonly message: string;
  readonly approvers: readonly string[];
  readonly expiresMs: number | undefined;
  /** Set if the engine has already requested the approval: wait for this one. */
  readonly approvalId: string | undefined;
  /** The call was running when its process ended, so the approver may also report that it was done. */
  readonly interrupted?: true;
}

/**
 * A wait for an external event, for a time, or for whichever comes first. If nothing else can move the run forward, and
 * the time is not near, the run is suspended.
 */
export interface ExternalWait {
  readonly kind: "external";
  /** The name of the event. Undefined for a wait for the time alone. */
  readonly event: string | undefined;
  /** Time until the end of the wait. Without it and `until`, the wait has no end. */
  readonly ms: number | undefined;
  /** The end of the wait in epoch milliseconds. */
  readonly until: number | undefined;
}

/** Waits that a run can start, besides calls. */
export type Wait = TimerWait | DeadlineWait | ApprovalWait | ExternalWait;

/** Outcome of a call. */
export interface CallOutcome {
  readonly kind: "call";
  readonly result: ToolResult;
  /** Undefined if the handler never ran. */
  readonly effect: Effect | undefined;
  /** The first nested call that needs approval by a permission rule. */
  readonly pendingApproval?: NestedApproval;
  /** Set if the call needs approval by a permission rule: the key to put into `allowed` once it is approved. */
  readonly approvalKey?: string;
}

/** A pending approval for a call that the tool of a step makes itself. */
export interface NestedApproval extends CallApproval {
  /**
   * The key to put into `allowed` once the call is approved. Undefined if the tool processes the decision itself, as an
   * agent does: then the step is re-executed after any decision.
   */
  readonly key?: string;
}

/** Outcome of a wait that an external event has ended; it consumes the event. */
export interface EventOutcome {
  readonly kind: "event";
  readonly name: string;
  readonly id: string;
  /** Position of the event in the inbox of the run. */
  readonly position: number;
  /** Time of its delivery; epoch milliseconds. */
  readonly deliveredAt: number;
  readonly data: unknown;
}

/** Outcome of a timer or deadline, or of a wait whose time has come. */
export interface TimerOutcome {
  readonly kind: "fired";
}

/** Outcome of an approval: the decision, or expiry. */
export interface DecidedOutcome {
  readonly kind: "decided";
  readonly approvalId: string;
  readonly status: Extract<ApprovalStatus, "approved" | "rejected" | "expired">;
  readonly by: string | undefined;
  readonly note: string | undefined;
  /** The approver reported that the interrupted call was done, with this output. It is not re-executed. */
  readonly done?: { readonly output: unknown };
}

/** The process ended while a handler with effect `once` was running, so it is unknown whether its work was done. */
export interface InterruptedOutcome {
  readonly kind: "interrupted";
  /** Start of the handler in epoch milliseconds. */
  readonly startedAt: number;
}

/** The run was cancelled. */
export interface CancelOutcome {
  readonly kind: "cancel";
  readonly by: string | undefined;
}

/**
 * Only a person's decision, an external event or a later time can continue the run: it can be suspended and resumed in
 * another process. Never journaled.
 */
export interface SuspendedOutcome {
  readonly kind: "suspended";
}

/** Outcome of a call, of a wait, or of the run itself. */
export type HostOutcome =
  | CallOutcome
  | TimerOutcome
  | EventOutcome
  | DecidedOutcome
  | InterruptedOutcome
  | CancelOutcome
  | SuspendedOutcome;

/** The key under which a cancellation arrives. */
export const cancelKey = "!cancel";

/** One outcome of a run. Outcomes are totally ordered by the journal. */
export interface SettledOutcome {
  readonly key: string;
  readonly outcome: HostOutcome;
  /** Epoch milliseconds. Identical on replay. */
  readonly at: number;
}

/** Receives notifications from a {@link Host}. Implemented by the driver of the run. */
export interface HostListener {
  /** `next` has an outcome again, after it had none. Must not throw. */
  wake(): void;
  /** The recorded outcomes are replayed, and work that they did not settle is about to start in this process. */
  goesLive?(): void;
  /** Interprets the outcome of a call before it is journaled. */
  interpret?(key: string, outcome: CallOutcome): CallOutcome;
  /** Progress of a running call. Like `approvalRequested`, it is not journaled. */
  progress(key: string, value: unknown): void;
  /**
   * The approval under this key was requested with this id. `note` explains why it was requested once more, or is still
   * pending.
   */
  approvalRequested(key: string, approvalId: string, note?: string): void;
  /** The {@link ExternalWait} under this key ends at this time, in epoch milliseconds, unless its event comes first. */
  waitBegan?(key: string, until: number | undefined): void;
}

/** The keys that the interpreter waits for, in the order in which they were started. */
export interface PendingKeys {
  has(key: string): boolean;
  keys(): Iterable<string>;
}

/**
 * Provides a run with durability and workers. The interpreter has no other access to the outside, and all data is
 * plain, so a run can be replayed: `next` returns the same outcomes in the same order. Every implementation passes
 * `test/conformance/run-conformance.ts`.
 */
export interface Host {
  readonly runId: string;
  /** Start of the run in epoch milliseconds. */
  readonly startedAt: number;
  /** True while `next` returns outcomes from the journal instead of new ones. */
  readonly isReplaying: boolean;
  /**
   * True if everything that can start must be started before the next call of `next`, because some of it may have
   * recorded outcomes (of this run, or of the run that it repeats), and those are replayed first.
   */
  readonly startsEagerly: boolean;
  /** True if nothing more is started in this process, because another one is to claim the run. */
  readonly isReleased: boolean;
  /** True if `next` would return an outcome immediately. */
  readonly hasReady: boolean;
  /** True if the outcome of this key was already in the journal when the run was claimed. */
  hasRecorded(key: string): boolean;
  /** Sets the listener. Must be called first. */
  attach(listener: HostListener): void;
  /** Starts a call; `next` returns its outcome. Starting the same key twice has no effect. */
  start(key: string, work: CallWork): void;
  /**
   * Reads a value of this process, and journals it as the output of a call; `next` returns it. It is never sent to
   * another process.
   */
  observe(key: string, read: () => unknown): void;
  /** Starts a wait; `next` returns its outcome. */
  wait(key: string, wait: Wait): void;
  /** Cancels a call, whose outcome is still delivered, or a wait, whose outcome is not. */
  cancel(key: string): void;
  /**
   * Returns the next outcome of a pending key, or of the run itself ({@link cancelKey}). Undefined if there is none
   * yet; the listener is then woken once there is. Not a promise, because a promise per outcome would cost more than
   * everything else in a fast step. Throws if this process can no longer execute the run.
   */
  next(pending: PendingKeys): SettledOutcome | undefined;
}

/** A host as its run service sees it: the program is driven through it, and the service can stop it. */
export interface RunHost extends Host, LeasedRun {
  /** The approvals and the time that wake the suspended run. Undefined if nothing does. */
  readonly waitsFor: RunWait | undefined;
  /** Rejects the pending approvals of a run that has ended for good. Undefined if the run never requested any. */
  rejectOpenApprovals(): Promise<void> | undefined;
  /** Stops all calls and timers in this process; late outcomes are ignored. */
  close(): void;
}

import type { CallQuestion } from "../../engine/index.ts";
import type { ApprovalStatus } from "../../store/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";

/** One call of one tool: all a worker needs to make it. Plain data, except for handles of secrets in the arguments. */
export interface StepWork {
  readonly tool: string;
  readonly args: unknown;
  /** The same for every attempt of the same work. */
  readonly idempotencyKey: string;
  /** The most that one attempt may take, whatever the tool says. */
  readonly timeoutMs?: number | undefined;
  readonly cache?: { readonly ttlMs: number; readonly key: unknown } | undefined;
  /** The approval by which a person let exactly this call run. */
  readonly approvalId?: string | undefined;
  /** Keys of approvals by which people let this call run as it was asked about, or those that the tool makes on its own. */
  readonly allowed?: readonly string[];
}

/** A time that has to pass; it passes while nobody executes the run, too. */
export interface TimerWait {
  readonly kind: "timer";
  readonly ms: number;
}

/** A limit on work: it counts only while the run is executed, by whomever, and not while it waits for people. */
export interface DeadlineWait {
  readonly kind: "deadline";
  readonly ms: number;
  /** When it began; epoch milliseconds. */
  readonly since: number;
}

/** A decision that a person has to make. */
export interface ApprovalWait {
  readonly kind: "approval";
  /** The step that waits. */
  readonly step: string;
  readonly tool: string;
  readonly args: unknown;
  readonly message: string;
  readonly approvers: readonly string[];
  readonly expiresMs: number | undefined;
  /** The engine has asked already, and this is the approval it waits for. */
  readonly approvalId: string | undefined;
  /** It is about a call that was running when its process ended: a person may say that it was done. */
  readonly interrupted?: true;
}

/** What a run can wait for besides calls. */
export type Wait = TimerWait | DeadlineWait | ApprovalWait;

/** What became of a call. */
export interface CallOutcome {
  readonly kind: "call";
  readonly result: ToolResult;
  /** Absent when the handler never ran. */
  readonly effect: Effect | undefined;
  /** The first call inside of it that a rule wants a person to allow. */
  readonly asks?: InnerQuestion;
  /** A rule wants a person to allow it: what `allowed` has once somebody said yes. */
  readonly asksKey?: string;
}

/** A question about a call that the tool of a step makes on its own. */
export interface InnerQuestion extends CallQuestion {
  /**
   * What `allowed` has once a person said yes. Absent where the tool takes the answer itself, as an agent does: its call
   * is made again whatever the answer is.
   */
  readonly key?: string;
}

/** What became of a wait. */
export interface FiredOutcome {
  readonly kind: "fired";
}

/** What a person decided, or that nobody did in time. */
export interface DecidedOutcome {
  readonly kind: "decided";
  readonly approvalId: string;
  readonly status: Extract<ApprovalStatus, "approved" | "rejected" | "expired">;
  readonly by: string | undefined;
  readonly note: string | undefined;
  /** What was asked about had been done, and gave this: it is not done again. */
  readonly done?: { readonly output: unknown };
}

/** The process ended while a `once` handler ran: nobody knows whether its work was done. */
export interface InterruptedOutcome {
  readonly kind: "interrupted";
  /** When it had started; epoch milliseconds. */
  readonly startedAt: number;
}

/** Somebody cancelled the run. */
export interface CancelOutcome {
  readonly kind: "cancel";
  readonly by: string | undefined;
}

/** Nothing goes on until a person decides: the run can be left and taken up again. Never journaled. */
export interface ParkedOutcome {
  readonly kind: "parked";
}

/** What can come of a call, a wait, or the run itself. */
export type Outcome = CallOutcome | FiredOutcome | DecidedOutcome | InterruptedOutcome | CancelOutcome | ParkedOutcome;

/** The key under which a cancellation arrives. */
export const cancelKey = "!cancel";

/** One thing that happened to a run, in the order in which it is remembered. */
export interface Settled {
  readonly key: string;
  readonly outcome: Outcome;
  /** Epoch milliseconds; the same when the run is replayed. */
  readonly at: number;
}

/** Whoever drives the run. */
export interface HostListener {
  /** `next` has an answer now, after it had none. Must not throw. */
  wake(): void;
  /** Like `asked`, no part of the journal. */
  progress(key: string, value: unknown): void;
  /** The question under this key has this id; `note` says why it is asked once more, or still open. */
  asked(key: string, approvalId: string, note?: string): void;
}

/** What the interpreter waits for, in the order in which it began. */
export interface PendingKeys {
  has(key: string): boolean;
  keys(): Iterable<string>;
}

/**
 * What gives a run durability and workers. The interpreter talks to the world through nothing else, in plain data, so
 * that a run can be replayed: `next` gives the same answers in the same order.
 * Every implementation passes `test/conformance/host.ts`.
 */
export interface Host {
  readonly runId: string;
  /** When the run began; epoch milliseconds. */
  readonly startedAt: number;
  /** What comes out of `next` happened in an earlier life of this run. */
  readonly replaying: boolean;
  /**
   * Whatever can begin is to begin before the next answer: among it may be what happened in an earlier life, or in the
   * run that this one repeats, and that is told first.
   */
  readonly opensAll: boolean;
  /** `next` would answer at once. */
  readonly hasNews: boolean;
  /** What came of this was known before the run was taken up. */
  knows(key: string): boolean;
  /** Before anything else: who is told. */
  attach(listener: HostListener): void;
  /** Begins a call; its outcome comes through `next`. Beginning it again under the same key does nothing. */
  start(key: string, work: StepWork): void;
  /** Begins to wait; the outcome comes through `next`. */
  wait(key: string, what: Wait): void;
  /** Stops a call, whose outcome still comes; or a wait, whose outcome does not. */
  cancel(key: string): void;
  /**
   * What happens next to one of the pending keys, or to the run ({@link cancelKey}). Undefined as long as that is not
   * known: then the listener is woken. A promise for each answer would cost more than all the rest of a quick step.
   * Throws when the run can no longer be executed here.
   */
  next(pending: PendingKeys): Settled | undefined;
}

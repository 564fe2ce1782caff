import type { Failure } from "../../base/index.ts";
import type { Coded, NoParams } from "../../text/index.ts";
import type { PlanStep } from "../plan/plan.ts";

/** Status of a step of a run. The last six are those that logs show. */
export type StepStatus =
  | "pending"
  | "running"
  | "success"
  | "recovered"
  | "skipped"
  | "failed"
  | "cancelled"
  | "waiting";

/** One failed attempt, and its handling. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly tool: string;
  /** Its start and its end, in epoch milliseconds. */
  readonly startedAt: number;
  readonly at: number;
  readonly error: Failure;
  /** Delay of the retry in milliseconds; or the reason why there is none. */
  readonly delayMs?: number;
  readonly notRetried?: NotRetried;
  readonly item?: number;
  /** The attempt of a fallback. */
  readonly standIn?: true;
}

/** Why a failed attempt was not retried. */
export interface NotRetriedParams {
  readonly no_retries: NoParams;
  readonly retries_failed: { readonly max: number };
  /** The tool has the effect `once`. */
  readonly effect_once: NoParams;
  readonly would_fail_again: { readonly code: string };
  readonly verdict_unsafe: NoParams;
  readonly condition_false: NoParams;
  readonly condition_failed: { readonly message: string };
  readonly is_fallback: NoParams;
  /** The expressions of the fallback failed. */
  readonly fallback_failed: NoParams;
}

/** Why a failed attempt was not retried, as data. */
export type NotRetried = Coded<NotRetriedParams>;

/** Why a step was skipped. */
export type SkipReason =
  | { readonly kind: "condition"; readonly condition: string }
  | { readonly kind: "needs"; readonly step: string; readonly status: StepStatus };

/** One item of a `for_each`, for the log. */
export interface ItemState {
  status: StepStatus;
  attempts: number;
  /** Without the time in `queuedMs`. */
  durationMs: number;
  /** Time that it waited for slots of the engine or for decisions. */
  queuedMs?: number;
  /** Epoch milliseconds; 0 if it never started. */
  startedAt: number;
  /** Start of its first call, after it had a slot; epoch milliseconds. */
  workedFrom: number | undefined;
  /** Epoch milliseconds. */
  endedAt: number | undefined;
  error?: Failure;
  cached?: boolean;
}

/** A pending approval of a step. */
export interface PendingStepApproval {
  /** Journal key of the approval within the run. */
  readonly key: string;
  readonly approvalId: string;
  readonly tool: string;
  /** Arguments of the tool, secrets as handles; for a `for_each` a list, one for each item. */
  readonly args: unknown;
  readonly message: string;
  /** The approval is for the compensation of the step. */
  readonly isCompensation: boolean;
}

/** An open wait of a step for a time or an event. */
export interface OpenStepWait {
  /** Journal key of the wait within the run. */
  readonly key: string;
  /** The name of the event. */
  readonly event: string | undefined;
  /** Epoch milliseconds. */
  readonly until: number | undefined;
}

/**
 * State of one step of a run: the interpreter writes it; log, events and explanations read it. Optional fields are set
 * only if they have a value: thousands of runs may wait at once, each with all its steps.
 */
export interface StepState {
  readonly step: PlanStep;
  /** `search`, or `research/search` inside of a sub-chain. */
  readonly path: string;
  status: StepStatus;
  /** Epoch milliseconds; 0 until it starts. */
  startedAt: number;
  /** Epoch milliseconds; 0 until it settles. */
  endedAt: number;
  attempts: number;
  /** Input of the tool, secrets as handles. */
  input: unknown;
  /** After `select`; undefined until there is one. */
  output: unknown;
  error: Failure | undefined;
  skip?: SkipReason | undefined;
  /** For a `for_each`: all its items were cached. */
  cached: boolean;
  /** The fallback that replaced the tool. */
  fallbackTool?: string | undefined;
  failures?: FailedAttempt[] | undefined;
  items?: ItemState[] | undefined;
  iterations: number;
  /** For a sub-chain: the states of its steps. */
  children?: StepState[] | undefined;
  /** The current or last approval of it, or of its compensation. */
  approvalId?: string | undefined;
  /** Pending approvals for it, or for its compensation. */
  pendingApprovals?: PendingStepApproval[] | undefined;
  /** Its open waits for times and events. */
  waits?: readonly OpenStepWait[] | undefined;
  /** Total duration of its calls, without the time that they waited. */
  workMs: number;
  /** Time that it waited for slots of the engine or for decisions; the items of a `for_each` have their own. */
  queuedMs?: number;
  /** Paths that were missing where the language allows it. */
  missing?: string[] | undefined;
  /** Facts that the handler reported: `tokensUsed`, `memoryId`, `parallelCount`, … */
  facts?: Readonly<Record<string, unknown>> | undefined;
  /** A person confirmed that it had completed when its process ended, and provided its output. */
  confirmedDone?: true;
  /** Outcome of its compensation. */
  compensation?: { readonly status: "success" | "failed"; readonly error?: Failure } | undefined;
}

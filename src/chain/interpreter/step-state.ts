import type { Failure } from "../../base/index.ts";
import type { PlanStep } from "../plan/plan.ts";

/** Where a step of a run stands. The last six are what the log calls its status. */
export type StepStatus =
  | "pending"
  | "running"
  | "success"
  | "recovered"
  | "skipped"
  | "failed"
  | "cancelled"
  | "waiting";

/** One attempt that failed, and what was done about it. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly tool: string;
  readonly error: Failure;
  /** `retry` after this many milliseconds; or why not. */
  readonly delayMs?: number;
  readonly notRetried?: string;
  readonly item?: number;
  /** It was a fallback's. */
  readonly standIn?: true;
}

/** Why a step was skipped. */
export type SkipReason =
  | { readonly kind: "condition"; readonly condition: string }
  | { readonly kind: "needs"; readonly step: string; readonly status: StepStatus };

/** One item of a `for_each`, for the log. */
export interface ItemState {
  status: StepStatus;
  attempts: number;
  durationMs: number;
  error?: Failure;
  cached?: boolean;
}

/** A question to a person that nobody has answered yet. */
export interface OpenQuestion {
  /** Of the question within the run. */
  readonly key: string;
  readonly approvalId: string;
  readonly tool: string;
  /** With which the tool would be called, secrets as handles; of a `for_each` a list, one for each item. */
  readonly args: unknown;
  readonly message: string;
  /** It is about undoing the step, not about the step. */
  readonly isUndo: boolean;
}

/**
 * What is known of one step of a run: the interpreter writes it, log, events and explanations read it. Optional fields
 * are there only when there is something to say: thousands of runs may wait at once, each with all its steps.
 */
export interface StepState {
  readonly step: PlanStep;
  /** `search`, or `research/search` inside of a sub-chain. */
  readonly path: string;
  status: StepStatus;
  /** Epoch milliseconds; 0 until it began. */
  startedAt: number;
  /** Epoch milliseconds; 0 until it settled. */
  endedAt: number;
  attempts: number;
  /** What the tool got, secrets as handles. */
  input: unknown;
  /** After `select`; undefined until there is one. */
  output: unknown;
  error: Failure | undefined;
  skip?: SkipReason | undefined;
  /** Of a `for_each`: all its items were. */
  cached: boolean;
  /** The fallback that stood in. */
  fallbackTool?: string | undefined;
  failures?: FailedAttempt[] | undefined;
  items?: ItemState[] | undefined;
  iterations: number;
  /** Of a sub-chain: the states of its steps. */
  children?: StepState[] | undefined;
  /** The approval that it, or undoing it, waits for or waited for last. */
  approvalId?: string | undefined;
  /** What people are being asked about it, or about undoing it. */
  questions?: OpenQuestion[] | undefined;
  /** What its calls took, added up. */
  workMs: number;
  /** Paths that were missing where the language accepts it. */
  missing?: string[] | undefined;
  /** What the handler reported: `tokensUsed`, `memoryId`, `parallelCount`, … */
  facts?: Readonly<Record<string, unknown>> | undefined;
  /** A person said that it had been done when its process ended, and gave its output. */
  saidDone?: true;
  /** How its compensation went. */
  compensation?: { readonly status: "success" | "failed"; readonly error?: Failure } | undefined;
}

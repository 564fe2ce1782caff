import type { Coded, NoParams } from "../../text/index.ts";
import type { NotRetried, StepStatus } from "../interpreter/step-state.ts";
import type { ForEachPlan } from "../plan/plan.ts";

/** A step, or one item of a step with `for_each`. */
interface Subject {
  readonly step: string;
  readonly item?: number;
}

/** A duration, and how long of it was waiting, if noticeable. */
interface Duration {
  readonly ms: number;
  readonly queuedMs?: number;
}

/** A failure; texts of it are redacted. */
export interface FactError {
  readonly code: string;
  readonly message: string;
}

/** A reference in an expression, and its value as text; or why there is none. */
export type ReferenceValue = { readonly reference: string } & (
  | { readonly value: string }
  | { readonly without: "missing" | "unrecorded" | "unknown" }
);

/** A condition as it is written, with the values that it saw. */
interface Condition {
  readonly condition: string;
  readonly values: readonly ReferenceValue[];
}

interface StatusOf {
  readonly step: string;
  readonly status: StepStatus;
}

/** A parameter; without a name the whole input. */
interface Parameter {
  readonly parameter?: string;
  /** References in it. */
  readonly from: readonly string[];
}

/** The facts of explanations: their codes with their parameters. */
export interface ExplainFactParams {
  // --- the outcome
  readonly run_status: Duration & {
    readonly chain: string;
    readonly status: "running" | "interrupted" | "waiting" | "success" | "failed" | "cancelled";
    readonly error?: FactError;
  };
  readonly succeeded: Subject & Duration & { readonly tool: string; readonly attempts: number };
  readonly recovered: Subject &
    Duration & { readonly tool: string; readonly fallback?: string; readonly attempts: number };
  /** Without a tool for an item; without attempts it was not called. */
  readonly failed: Subject &
    Duration & { readonly tool?: string; readonly attempts: number; readonly error?: FactError };
  /** Without a duration it was cancelled before it began. */
  readonly cancelled: Subject & Partial<Duration>;
  readonly awaits_approval: Subject & { readonly approvals: readonly string[] };
  /** It waits for times and events. */
  readonly awaits_external: Subject & {
    readonly waits: readonly { readonly event?: string; readonly until?: string }[];
  };
  /** It waited for an event, or without one for a time, and continued. */
  readonly wait_ended: Subject & Duration & { readonly event?: string };
  readonly running: Subject & Duration;
  readonly interrupted: Subject;
  readonly not_begun: Subject;
  readonly not_ended: Subject;

  // --- why it was skipped, or ran
  readonly skipped_by_condition: Subject & Condition;
  readonly skipped_by_step: Subject & { readonly needs: string; readonly status: StepStatus };
  readonly failed_before: Subject & { readonly error: FactError };
  readonly has_status: StatusOf;
  readonly condition_held: Condition;

  // --- when it started
  readonly started_with_chain: NoParams;
  /** `slots` is the number of slots for steps, one of which it waited for. */
  readonly started_later: { readonly ms: number; readonly slots?: number };
  readonly waited_for: {
    /** The steps, with the reference or setting that needs each of the first ones. */
    readonly steps: readonly { readonly step: string; readonly by?: string }[];
    readonly last: string;
    readonly lastMs: number;
    /** Between the end of the last step and its own start, if noticeable. */
    readonly laterMs?: number;
    readonly slots?: number;
  };
  readonly last_needed_by: { readonly steps: readonly string[] };
  readonly waits_for_steps: { readonly steps: readonly StatusOf[] };
  readonly waits_for_slot: { readonly slots: number };
  readonly chain_ended_by: { readonly step: string };
  readonly run_cancelled: NoParams;
  readonly chain_ended: NoParams;

  // --- its input
  readonly parameter_received: Parameter & { readonly value: string; readonly ofFirstItem?: true };
  readonly parameter_omitted: Parameter;
  readonly item_input: { readonly value: string };
  readonly parameters_untrusted: { readonly parameters: readonly string[] };
  readonly targets_allowed: { readonly targets: readonly string[] };
  readonly values_missing: { readonly references: readonly string[] };

  // --- failures and their handling
  /** An expression of the step, its path in the step, and the values that it saw. */
  readonly expression_failed: {
    readonly path: readonly (string | number)[];
    readonly expression: string;
    readonly values: readonly ReferenceValue[];
  };
  readonly not_called: {
    readonly tool: string;
    readonly fallback?: true;
    readonly item?: number;
    readonly error: FactError;
  };
  readonly attempt_failed: {
    readonly attempt: number;
    readonly tool: string;
    readonly fallback?: true;
    readonly item?: number;
    readonly error: FactError;
    readonly retriedAfterMs?: number;
    readonly notRetried?: NotRetried;
  };
  readonly more_attempts_failed: { readonly count: number };
  readonly fallback_used: { readonly tool: string } & Partial<Condition>;
  readonly fallback_not_used: {
    readonly tool: string;
    readonly reason: "condition" | "not_approved" | "step_ended";
  } & Partial<Condition>;
  readonly items_processed: {
    readonly count: number;
    readonly concurrency: number;
    readonly failed: readonly { readonly item: number; readonly error?: FactError }[];
    readonly tolerate: ForEachPlan["tolerate"];
  };
  readonly rounds_run: {
    readonly rounds: number;
    readonly max: number;
    readonly until: string;
    readonly end: "held" | "never_held" | "stopped";
  };
  readonly chain_continued: { readonly fallbacks: boolean };
  readonly chain_stopped: { readonly fallbacks: boolean };
  readonly item_tolerated: NoParams;
  readonly undone: { readonly tool?: string };
  readonly not_undone: { readonly tool?: string; readonly error?: FactError };
  readonly undo_unknown: { readonly message: string };
  readonly undo_awaits_approval: { readonly tool: string; readonly approval: string };

  // --- its output
  readonly steps_inside: { readonly steps: readonly StatusOf[] };
  readonly served_by: { readonly tools: readonly string[]; readonly merged: boolean };
  readonly source_failed: { readonly tool: string; readonly error: Partial<FactError> & { readonly message: string } };
  readonly source_skipped: { readonly tool: string; readonly message: string };
  readonly confirmed_done: { readonly approval?: string };
  readonly approval_needed: { readonly approval: string };
  readonly approval_pending: {
    readonly approval: string;
    readonly step: string;
    readonly undo: boolean;
    readonly tool: string;
    readonly args: string;
  };
  readonly output_cached: NoParams;
  readonly output: { readonly value: string; readonly selected: boolean };
}

/** A fact about a step of a run, or about the run, as data. */
export type ExplainFact = Coded<ExplainFactParams>;

import { type Failure, definedOnly } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { renderCoded } from "../../text/index.ts";
import { type OmittedTool, readSourceReport } from "../../tool/index.ts";
import type {
  FailedAttempt,
  ItemState,
  NotRetried,
  OpenStepWait,
  StepState,
  StepStatus,
} from "../interpreter/step-state.ts";
import { type LogRedactor, logValue } from "./log-value.ts";
import { itemsAtOnce, stepTimes } from "../interpreter/step-times.ts";
import { rounded } from "./run-metrics.ts";
import { chainTexts, skipSentence } from "../texts/chain-texts.ts";

/** A failure as logs show it. */
export interface LoggedError {
  readonly code: string;
  readonly reason?: string;
  readonly message: string;
}

/** One item of a `for_each`, as logs show it. */
export interface ItemLog {
  readonly status: StepStatus;
  /** Local time with offset; absent if it never started. */
  readonly started_at?: string;
  readonly attempts: number;
  /** Without the time in `queued_ms`. */
  readonly duration_ms: number;
  readonly queued_ms?: number;
  readonly cached?: true;
  readonly error?: LoggedError;
}

/** An attempt that failed, of the tool itself or of a fallback, as logs show it. */
export interface FailedAttemptLog extends LoggedError {
  readonly tool: string;
  /** Index of the item of a `for_each`, from 0. */
  readonly item?: number;
  /** Its start and its end, in local time with offset. */
  readonly started_at: string;
  readonly failed_at: string;
  /** It was retried after this delay; else `not_retried` says why not. */
  readonly retry_in_ms?: number;
  readonly not_retried?: string;
}

/** A pending approval, as logs show it. */
export interface PendingApprovalLog {
  readonly approval_id: string;
  readonly tool: string;
  /** Input that the tool would get, secrets redacted; for a `for_each` a list, one for each item. */
  readonly input: unknown;
  readonly message: string;
  /** The approval is for the compensation of the step. */
  readonly undo?: true;
}

/** An open wait for a time or an event, as logs show it. */
export interface StepWaitLog {
  /** The name of the event. */
  readonly event?: string;
  /** End of the wait in local time; absent if it has none. */
  readonly until?: string;
}

/** One step, as the execution log shows it; fields that do not apply are omitted. */
export interface StepLog {
  /** `search`, or `research/search` inside of a sub-chain. */
  readonly id: string;
  readonly tool: string;
  /** Local time with offset; absent if it never started. */
  readonly started_at?: string;
  /** Time from its start to its end without the time in `queued_ms`. */
  readonly duration_ms: number;
  /** Time that it waited for slots of the engine or for decisions, and did nothing else. */
  readonly queued_ms?: number;
  /** `running` only in the log of a run that is running. */
  readonly status: Exclude<StepStatus, "pending">;
  /** Input of the tool, secrets redacted. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly attempts: number;
  /** Number of operations that ran at once: as the tool reported it, or of the items of a `for_each`. */
  readonly parallel_count?: number;
  readonly tokens_used?: number;
  readonly memory_id?: string;
  /** Candidate tools: those whose results these are, those that failed, and those that were not called. */
  readonly sources?: readonly string[];
  readonly failed_sources?: readonly OmittedTool[];
  readonly skipped_tools?: readonly OmittedTool[];
  readonly cached?: true;
  /** A person confirmed that its work had been done when its process ended, and provided the output. */
  readonly confirmed_done?: true;
  /** The tool was not called: its output is a stub. */
  readonly dry_run?: true;
  readonly fallback_tool?: string;
  /** One clause. */
  readonly skip_reason?: string;
  readonly error?: LoggedError;
  /** Reason why a failed attempt was not retried. */
  readonly not_retried?: string;
  /** Every attempt that failed, those of fallbacks too; at most 100. */
  readonly failures?: readonly FailedAttemptLog[];
  readonly items?: readonly ItemLog[];
  /** Number of rounds of a `repeat`. */
  readonly iterations?: number;
  /** Paths that were missing where the language allows it. */
  readonly missing?: readonly string[];
  readonly approval_id?: string;
  /** Pending approvals. */
  readonly pending_approvals?: readonly PendingApprovalLog[];
  /** Times and events that it waits for. */
  readonly waits_for?: readonly StepWaitLog[];
  readonly compensation?: { readonly status: "success" | "failed"; readonly error?: LoggedError };
}

/** Options for logging steps. */
export interface StepLogOptions {
  readonly redactor: LogRedactor;
  readonly utcOffset: number | undefined;
  /** The last known moment; epoch milliseconds. */
  readonly until: number;
}

/** A step as the execution log shows it; undefined if it has not started. */
export function toStepLog(state: StepState, options: StepLogOptions): StepLog | undefined {
  if (state.status === "pending") return undefined;
  const { redactor } = options;
  const { durationMs, queuedMs } = stepTimes(state, options.until);
  return {
    id: state.path,
    tool: state.step.target.name,
    ...(state.startedAt > 0 && { started_at: toLocalTime(state.startedAt, options.utcOffset) }),
    duration_ms: rounded(durationMs, 3),
    ...(queuedMs > 0 && { queued_ms: rounded(queuedMs, 3) }),
    status: state.status,
    ...(state.input !== undefined && { input: logValue(state.input, redactor) }),
    ...(state.output !== undefined && { output: logValue(state.output, redactor) }),
    attempts: state.attempts,
    ...reportedFields(state, redactor),
    ...outcomeFields(state, options),
    ...otherFields(state, options),
    ...(state.waits && { waits_for: state.waits.map((wait) => toWaitLog(wait, options.utcOffset)) }),
  };
}

function toWaitLog({ event, until }: OpenStepWait, utcOffset: number | undefined): StepWaitLog {
  return definedOnly({ event, until: until === undefined ? undefined : toLocalTime(until, utcOffset) });
}

/** The tokens that the calls of a step used, of all attempts and items; those of a sub-chain belong to its steps. */
export function tokensOf(state: StepState): number {
  return numberFact(state, "tokensUsed") ?? 0;
}

/** A failure as logs show it. */
export function toLoggedError(failure: Failure, redactor: LogRedactor): LoggedError {
  return {
    code: failure.code,
    ...(failure.reason !== undefined && { reason: failure.reason }),
    message: redactor.text(failure.message),
  };
}

function reportedFields(state: StepState, redactor: LogRedactor): Partial<StepLog> {
  const parallel = numberFact(state, "parallelCount") ?? itemsAtOnce(state);
  const tokens = numberFact(state, "tokensUsed");
  const memory = memoryIdOf(state);
  return {
    ...definedOnly({ parallel_count: parallel, tokens_used: tokens }),
    ...(memory !== undefined && { memory_id: redactor.text(memory) }),
    ...sourceFields(state, redactor),
  };
}

/** In a `for_each` every item has its own. */
function sourceFields({ facts, items }: StepState, redactor: LogRedactor): Partial<StepLog> {
  const sentences = facts === undefined || items !== undefined ? undefined : readSourceReport(facts);
  if (sentences === undefined) return {};
  const safe = (tools: readonly OmittedTool[]): readonly OmittedTool[] =>
    tools.map((left) => ({ ...left, message: redactor.text(left.message) }));
  return {
    sources: sentences.sources,
    ...(sentences.failed.length > 0 && { failed_sources: safe(sentences.failed) }),
    ...(sentences.skipped.length > 0 && { skipped_tools: safe(sentences.skipped) }),
  };
}

function outcomeFields(state: StepState, options: StepLogOptions): Partial<StepLog> {
  const { redactor } = options;
  // A fallback is never retried, which does not apply to the step.
  const own = state.failures?.findLast((attempt) => attempt.notRetried !== undefined && !attempt.standIn);
  const notRetried = own?.notRetried;
  return {
    ...(state.cached && { cached: true as const }),
    ...(state.confirmedDone && { confirmed_done: true as const }),
    ...(factOf(state, "dryRun") === true && { dry_run: true as const }),
    ...(state.fallbackTool !== undefined && { fallback_tool: state.fallbackTool }),
    ...(state.skip && { skip_reason: skipSentence(state.skip) }),
    ...(state.error && { error: toLoggedError(state.error, redactor) }),
    ...(notRetried !== undefined && { not_retried: whyNotRetried(notRetried, redactor) }),
    ...(state.failures && { failures: state.failures.map((failed) => toFailedAttemptLog(failed, options)) }),
  };
}

function toFailedAttemptLog(failed: FailedAttempt, { redactor, utcOffset }: StepLogOptions): FailedAttemptLog {
  const { tool, item, error, delayMs, notRetried } = failed;
  return {
    tool,
    ...(item !== undefined && { item }),
    started_at: toLocalTime(failed.startedAt, utcOffset),
    failed_at: toLocalTime(failed.at, utcOffset),
    ...toLoggedError(error, redactor),
    ...(delayMs !== undefined && { retry_in_ms: rounded(delayMs, 3) }),
    ...(notRetried !== undefined && { not_retried: whyNotRetried(notRetried, redactor) }),
  };
}

function whyNotRetried(reason: NotRetried, { text }: LogRedactor): string {
  return text(renderCoded(chainTexts.en.notRetried, reason));
}

function otherFields(state: StepState, options: StepLogOptions): Partial<StepLog> {
  const { redactor } = options;
  const { items, missing, approvalId, pendingApprovals, compensation } = state;
  return {
    ...(items && { items: items.map((item) => toItemLog(item, options)) }),
    ...(state.step.repeat && state.iterations > 0 && { iterations: state.iterations }),
    ...(missing && missing.length > 0 && { missing: [...new Set(missing)] }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(pendingApprovals && {
      pending_approvals: pendingApprovals.map((approval) => ({
        approval_id: approval.approvalId,
        tool: approval.tool,
        input: logValue(approval.args, redactor),
        message: redactor.text(approval.message),
        ...(approval.isCompensation && { undo: true as const }),
      })),
    }),
    ...(compensation && {
      compensation: {
        status: compensation.status,
        ...(compensation.error && { error: toLoggedError(compensation.error, redactor) }),
      },
    }),
  };
}

function toItemLog(item: ItemState, { redactor, utcOffset }: StepLogOptions): ItemLog {
  return {
    status: item.status,
    ...(item.startedAt > 0 && { started_at: toLocalTime(item.startedAt, utcOffset) }),
    attempts: item.attempts,
    duration_ms: rounded(item.durationMs, 3),
    ...(item.queuedMs !== undefined && item.queuedMs > 0 && { queued_ms: rounded(item.queuedMs, 3) }),
    ...(item.cached && { cached: true as const }),
    ...(item.error && { error: toLoggedError(item.error, redactor) }),
  };
}

function factOf({ facts }: StepState, name: string): unknown {
  return facts !== undefined && Object.hasOwn(facts, name) ? facts[name] : undefined;
}

function numberFact(state: StepState, name: string): number | undefined {
  const value = factOf(state, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** As the handler reported it, or as its output names it. */
function memoryIdOf(state: StepState): string | undefined {
  const { output } = state;
  const reported = factOf(state, "memoryId");
  const named = isRecord(output) && Object.hasOwn(output, "memory_id") ? output["memory_id"] : undefined;
  return [reported, named].find((id) => typeof id === "string");
}

/**
 * A moment in local time: `2026-02-25T18:50:00.000+08:00`. The offset is in minutes east of Greenwich. Default: the
 * offset of this machine at that moment.
 */
export function toLocalTime(at: number, utcOffset?: number): string {
  const offset = utcOffset ?? -new Date(at).getTimezoneOffset();
  const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

import type { Failure } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type LeftOutTool, toldSources } from "../../tool/index.ts";
import type { FailedAttempt, ItemState, OpenQuestion, StepState, StepStatus } from "../run/step-state.ts";
import { toLocalTime } from "./local-time.ts";
import { type LogRedactor, logValue } from "./log-value.ts";
import { rounded, stepDuration } from "./run-metrics.ts";
import { skipSentence } from "./skip-sentence.ts";

/** A failure as logs show it. */
export interface LoggedError {
  readonly code: string;
  readonly reason?: string;
  readonly message: string;
}

/** One item of a `for_each`, as logs show it. */
export interface ItemLog {
  readonly status: StepStatus;
  readonly attempts: number;
  readonly duration_ms: number;
  readonly cached?: true;
  readonly error?: LoggedError;
}

/** An attempt that failed, of the tool itself or of a fallback, as logs show it. */
export interface FailedAttemptLog extends LoggedError {
  readonly tool: string;
  /** Of a `for_each`, from 0. */
  readonly item?: number;
  /** It was made again after this pause; else `not_retried` says why not. */
  readonly retry_in_ms?: number;
  readonly not_retried?: string;
}

/** A question that waits for a person, as logs show it. */
export interface QuestionLog {
  readonly approval_id: string;
  readonly tool: string;
  /** What the tool would get, secrets redacted; of a `for_each` a list, one for each item. */
  readonly input: unknown;
  readonly message: string;
  /** It is about undoing the step. */
  readonly undo?: true;
}

/** One step, as the execution log shows it; what does not apply is left out. */
export interface StepLog {
  /** `search`, or `research/search` inside of a sub-chain. */
  readonly id: string;
  readonly tool: string;
  /** Local time with offset; absent when it never began. */
  readonly started_at?: string;
  readonly duration_ms: number;
  /** `running` only in the log of a run that goes on. */
  readonly status: Exclude<StepStatus, "pending">;
  /** What the tool got, secrets redacted. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly attempts: number;
  /** How much went on at once. */
  readonly parallel_count?: number;
  readonly tokens_used?: number;
  readonly memory_id?: string;
  /** Where tools were chosen from: those whose results these are, those that failed, and those that were not called. */
  readonly sources?: readonly string[];
  readonly failed_sources?: readonly LeftOutTool[];
  readonly passed_over?: readonly LeftOutTool[];
  readonly cached?: true;
  /** A person said that its work had been done when its process ended, and gave the output. */
  readonly said_done?: true;
  /** The tool was not called: its output is made up. */
  readonly dry_run?: true;
  readonly fallback_tool?: string;
  /** A sentence. */
  readonly skip_reason?: string;
  readonly error?: LoggedError;
  /** Why a failed attempt was not made again. */
  readonly not_retried?: string;
  /** Every attempt that failed, those of fallbacks too; at most 100. */
  readonly failures?: readonly FailedAttemptLog[];
  readonly items?: readonly ItemLog[];
  /** How often a `repeat` went round. */
  readonly iterations?: number;
  /** Paths that were missing where the language accepts it. */
  readonly missing?: readonly string[];
  readonly approval_id?: string;
  /** What people are being asked. */
  readonly questions?: readonly QuestionLog[];
  readonly compensation?: { readonly status: "success" | "failed"; readonly error?: LoggedError };
}

/** How steps are written down. */
export interface StepLogOptions {
  readonly redactor: LogRedactor;
  readonly utcOffset: number | undefined;
  /** The moment up to which something is known; epoch milliseconds. */
  readonly until: number;
}

/** A step as the execution log shows it; undefined for one that has not begun. */
export function toStepLog(state: StepState, options: StepLogOptions): StepLog | undefined {
  if (state.status === "pending") return undefined;
  const { redactor } = options;
  return {
    id: state.path,
    tool: state.step.target.name,
    ...(state.startedAt > 0 && { started_at: toLocalTime(state.startedAt, options.utcOffset) }),
    duration_ms: rounded(stepDuration(state, options.until), 3),
    status: state.status,
    ...(state.input !== undefined && { input: logValue(state.input, redactor) }),
    ...(state.output !== undefined && { output: logValue(state.output, redactor) }),
    attempts: state.attempts,
    ...reportedFields(state, redactor),
    ...outcomeFields(state, redactor),
    ...otherFields(state, redactor),
  };
}

/** The tokens that the calls of a step used, of all attempts and items; those of a sub-chain are its steps'. */
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
    ...(parallel !== undefined && { parallel_count: parallel }),
    ...(tokens !== undefined && { tokens_used: tokens }),
    ...(memory !== undefined && { memory_id: redactor.text(memory) }),
    ...sourceFields(state, redactor),
  };
}

/** Of a `for_each` every item has its own. */
function sourceFields({ facts, items }: StepState, redactor: LogRedactor): Partial<StepLog> {
  const told = facts === undefined || items !== undefined ? undefined : toldSources(facts);
  if (told === undefined) return {};
  const safe = (tools: readonly LeftOutTool[]): readonly LeftOutTool[] =>
    tools.map((left) => ({ ...left, message: redactor.text(left.message) }));
  return {
    sources: told.sources,
    ...(told.failed.length > 0 && { failed_sources: safe(told.failed) }),
    ...(told.passedOver.length > 0 && { passed_over: safe(told.passedOver) }),
  };
}

function outcomeFields(state: StepState, redactor: LogRedactor): Partial<StepLog> {
  // A fallback is never tried again, which says nothing of the step.
  const own = state.failures?.findLast((attempt) => attempt.notRetried !== undefined && !attempt.standIn);
  const notRetried = own?.notRetried;
  return {
    ...(state.cached && { cached: true as const }),
    ...(state.saidDone && { said_done: true as const }),
    ...(factOf(state, "dryRun") === true && { dry_run: true as const }),
    ...(state.fallbackTool !== undefined && { fallback_tool: state.fallbackTool }),
    ...(state.skip && { skip_reason: skipSentence(state.skip) }),
    ...(state.error && { error: toLoggedError(state.error, redactor) }),
    ...(notRetried !== undefined && { not_retried: redactor.text(notRetried) }),
    ...(state.failures && { failures: state.failures.map((failed) => toFailedAttemptLog(failed, redactor)) }),
  };
}

function toFailedAttemptLog(failed: FailedAttempt, redactor: LogRedactor): FailedAttemptLog {
  const { tool, item, error, delayMs, notRetried } = failed;
  return {
    tool,
    ...(item !== undefined && { item }),
    ...toLoggedError(error, redactor),
    ...(delayMs !== undefined && { retry_in_ms: rounded(delayMs, 3) }),
    ...(notRetried !== undefined && { not_retried: redactor.text(notRetried) }),
  };
}

function otherFields(state: StepState, redactor: LogRedactor): Partial<StepLog> {
  const { items, missing, approvalId, questions, compensation } = state;
  return {
    ...(items && { items: items.map((item) => toItemLog(item, redactor)) }),
    ...(state.step.repeat && state.iterations > 0 && { iterations: state.iterations }),
    ...(missing && missing.length > 0 && { missing: [...new Set(missing)] }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(questions && { questions: questions.map((question) => toQuestionLog(question, redactor)) }),
    ...(compensation && {
      compensation: {
        status: compensation.status,
        ...(compensation.error && { error: toLoggedError(compensation.error, redactor) }),
      },
    }),
  };
}

function toQuestionLog({ approvalId, tool, args, message, isUndo }: OpenQuestion, redactor: LogRedactor): QuestionLog {
  return {
    approval_id: approvalId,
    tool,
    input: logValue(args, redactor),
    message: redactor.text(message),
    ...(isUndo && { undo: true as const }),
  };
}

function toItemLog(item: ItemState, redactor: LogRedactor): ItemLog {
  return {
    status: item.status,
    attempts: item.attempts,
    duration_ms: rounded(item.durationMs, 3),
    ...(item.cached && { cached: true as const }),
    ...(item.error && { error: toLoggedError(item.error, redactor) }),
  };
}

function itemsAtOnce(state: StepState): number | undefined {
  const { forEach } = state.step;
  if (forEach === undefined || state.items === undefined || state.items.length === 0) return undefined;
  return Math.min(forEach.concurrency, state.items.length);
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

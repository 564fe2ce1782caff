import type { Failure } from "../../base/index.ts";
import type { Reference } from "../../expr/index.ts";
import type { FallbackPlan } from "../plan/plan.ts";
import { isRefusal } from "../interpreter/is-refusal.ts";
import type { FailedAttempt, NotRetried, StepState } from "../interpreter/step-state.ts";
import type { ExplainFact, FactError } from "../texts/explain-fact.ts";
import { type LogRedactor, referenceValues } from "./log-value.ts";
import { type StepLocation, whileFailing } from "./step-location.ts";

/** More failed attempts than this are only counted. */
const maxAttempts = 20;

/** Explains failures and their handling: retries, fallbacks, items, rounds, compensation. */
export function explainAttempts(site: StepLocation): ExplainFact[] {
  return [
    ...failedAttempts(site),
    ...fallbacks(site),
    ...items(site),
    ...rounds(site.state),
    ...afterwards(site.state),
    ...compensation(site),
  ];
}

function failedAttempts(site: StepLocation): ExplainFact[] {
  const failures = site.state.failures ?? [];
  const facts = failures.slice(0, maxAttempts).map((failed) => attemptFact(failed, site));
  const count = failures.length - maxAttempts;
  return count > 0 ? [...facts, { code: "more_attempts_failed", params: { count } }] : facts;
}

/** One failed attempt, and its handling. */
export function attemptFact(failed: FailedAttempt, { redactor }: StepLocation): ExplainFact {
  const { attempt, tool, delayMs, notRetried, item, standIn } = failed;
  const error = toFactError(failed.error, redactor);
  const which = { tool, ...(standIn && { fallback: standIn }), ...(item !== undefined && { item }), error };
  if (attempt === 0) return { code: "not_called", params: which };
  // A fallback is never retried, which needs no reason.
  const why = standIn || notRetried === undefined ? undefined : redactReason(notRetried, redactor);
  const handling = delayMs === undefined ? why && { notRetried: why } : { retriedAfterMs: delayMs };
  return { code: "attempt_failed", params: { attempt, ...which, ...handling } };
}

/** The part of a failure that explanations quote. */
export function toFactError({ code, message }: Failure, { text }: LogRedactor): FactError {
  return { code, message: text(message) };
}

function redactReason(reason: NotRetried, { text }: LogRedactor): NotRetried {
  if (reason.code !== "condition_failed") return reason;
  return { code: reason.code, params: { message: text(reason.params.message) } };
}

function fallbacks(site: StepLocation): ExplainFact[] {
  const { state } = site;
  const error = failureBeforeFallbacks(state);
  if (error === undefined) return [];
  const failing = whileFailing(site, error);
  const failed = new Set(state.failures?.filter(({ standIn }) => standIn).map(({ tool }) => tool));
  const facts: ExplainFact[] = [];
  for (const { target, condition } of state.step.onFailure.fallback) {
    const { name: tool } = target;
    const seen = condition && conditionOf(condition, failing);
    if (state.status === "recovered" && tool === state.fallbackTool)
      return [...facts, { code: "fallback_used", params: { tool, ...seen } }];
    if (!failed.has(tool))
      facts.push({ code: "fallback_not_used", params: { tool, reason: whyNot(condition, failing), ...seen } });
  }
  return facts;
}

/** The failure that the conditions of the fallbacks saw; undefined if no fallback was considered. */
function failureBeforeFallbacks({ status, error, failures }: StepState): Failure | undefined {
  if (status !== "failed" && status !== "recovered") return undefined;
  return failures?.findLast(({ standIn }) => standIn === undefined)?.error ?? error;
}

function whyNot(
  condition: FallbackPlan["condition"],
  { state }: StepLocation,
): "condition" | "not_approved" | "step_ended" {
  if (condition !== undefined) return "condition";
  return state.failures?.some(({ error }) => isRefusal(error)) === true ? "not_approved" : "step_ended";
}

/** A condition as it is written, with the values that it saw. */
export function conditionOf(
  { text, references }: { readonly text: string; readonly references: readonly Reference[] },
  site: StepLocation,
): { readonly condition: string; readonly values: ReturnType<typeof referenceValues> } {
  return { condition: text, values: referenceValues(references, site) };
}

function items({ state, redactor }: StepLocation): ExplainFact[] {
  const { forEach } = state.step;
  if (forEach === undefined || state.items === undefined) return [];
  const count = state.items.length;
  const concurrency = Math.max(1, Math.min(forEach.concurrency, count));
  const failed = [...state.items.entries()]
    .filter(([, { status }]) => status === "failed")
    .map(([item, { error }]) => ({ item, ...(error && { error: toFactError(error, redactor) }) }));
  return [{ code: "items_processed", params: { count, concurrency, failed, tolerate: forEach.tolerate } }];
}

function rounds({ step: { repeat }, iterations, error, status }: StepState): ExplainFact[] {
  if (repeat === undefined || iterations === 0) return [];
  const end = error?.code === "loop_exhausted" ? "never_held" : status === "success" ? "held" : "stopped";
  return [{ code: "rounds_run", params: { rounds: iterations, max: repeat.max, until: repeat.until.text, end } }];
}

function afterwards({ status, step }: StepState): ExplainFact[] {
  if (status !== "failed") return [];
  const code = step.onFailure.otherwise === "continue" ? "chain_continued" : "chain_stopped";
  return [{ code, params: { fallbacks: step.onFailure.fallback.length > 0 } }];
}

function compensation({ state, redactor }: StepLocation): ExplainFact[] {
  const { compensation: undone, step } = state;
  if (undone === undefined) return [];
  const tool = step.compensate && { tool: step.compensate.target.name };
  if (undone.status === "success") return [{ code: "undone", params: { ...tool } }];
  const error = undone.error && toFactError(undone.error, redactor);
  if (error?.code === "interrupted") return [{ code: "undo_unknown", params: { message: error.message } }];
  return [{ code: "not_undone", params: { ...tool, ...(error && { error }) } }];
}

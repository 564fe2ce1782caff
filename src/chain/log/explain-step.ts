import { createRedactor } from "../../secrets/index.ts";
import { type Language, stripUnsafe } from "../../text/index.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import type { OpenStepWait, StepState, StepStatus } from "../interpreter/step-state.ts";
import { stepTimes } from "../interpreter/step-times.ts";
import { definedOnly, formatPath } from "../../base/index.ts";
import { findUntrustedValues } from "../plan/untrusted-target.ts";
import { readSourceReport } from "../../tool/index.ts";
import { explainFactText } from "../texts/chain-texts.ts";
import type { ExplainFact } from "../texts/explain-fact.ts";
import type { CompiledValue, ValueReference } from "../../expr/index.ts";
import { isRecord } from "../../schema/index.ts";
import { isFinished } from "../../store/index.ts";
import type { PlanStep } from "../plan/plan.ts";
import { waitReferencesOf } from "../plan/step-references.ts";
import { conditionOf, explainAttempts, toFactError } from "./explain-attempts.ts";
import { explainExpression } from "./explain-expression.ts";
import { explainItem } from "./explain-item.ts";
import { type LogRedactor, showShort } from "./log-value.ts";
import { lastMoment } from "./run-metrics.ts";
import { type StepLocation, locateStep, chainCall } from "./step-location.ts";

/** Options of an explanation besides the run. */
export interface ExplainOptions {
  /** Redacts secrets. Default: a redactor that recognizes secret-like names and token formats. */
  readonly redactor?: LogRedactor;
  /** The process that executed the run has ended: its running steps no longer run. */
  readonly interrupted?: boolean;
}

/**
 * Explains a step in sentences with the values: when and why it ran or was skipped, the input of its tool and its
 * sources, and its failures and their handling. `each[2]` is one item of a step with `for_each`.
 *
 * @example
 * ```ts
 * explainStep(run, "revise");
 * // ["revise was skipped because its condition ${steps.review.output.score < 8} was false: steps.review.output.score = 9."]
 * ```
 */
export function explainStep(
  run: RunFacts,
  path: string,
  options: ExplainOptions & { readonly language?: Language } = {},
): string[] {
  return explainFacts(run, path, options).map((fact) => stripUnsafe(explainFactText(fact, options.language)));
}

/**
 * Explains a step as {@link explainStep} does, as data: one fact for each sentence. `explainFactText` gives the
 * sentence.
 *
 * @example
 * ```ts
 * const [fact] = explainFacts(run, "revise");
 * if (fact?.code === "skipped_by_condition") fact.params.values; // [{ reference: "steps.review.output.score", value: "9" }]
 * ```
 */
export function explainFacts(run: RunFacts, path: string, options: ExplainOptions = {}): ExplainFact[] {
  const { item, ...site } = locateStep(run, path, options.redactor ?? createRedactor([]));
  if (item !== undefined) return explainItem(site, item);
  return [
    // A run whose processes died may have ended without the end of its steps.
    ...opening(site, options.interrupted === true || isFinished(run.status)),
    ...explainSkip(site),
    ...explainTiming(site),
    ...explainInput(site, untrustedInput(site)),
    ...explainExpression(site),
    ...explainConsent(site),
    ...explainAttempts(site),
    ...explainSources(site),
    ...ending(site),
  ];
}

function opening(site: StepLocation, interrupted: boolean): ExplainFact[] {
  const { status } = site.state;
  return status === "skipped" ? [] : [outcomeFact(site, status, interrupted)];
}

function outcomeFact(site: StepLocation, status: Exclude<StepStatus, "skipped">, interrupted: boolean): ExplainFact {
  const { state, redactor } = site;
  const { path: step, attempts, error } = state;
  const called = { step, tool: state.step.target.name, attempts };
  switch (status) {
    case "success":
      return successFact(site);
    case "recovered": {
      const fallback = state.fallbackTool === undefined ? undefined : { fallback: state.fallbackTool };
      return { code: "recovered", params: { ...called, ...fallback, ...durationOf(site) } };
    }
    case "failed": {
      const why = error && { error: toFactError(error, redactor) };
      return { code: "failed", params: { ...called, ...durationOf(site), ...why } };
    }
    case "cancelled":
      return { code: "cancelled", params: state.startedAt === 0 ? { step } : { step, ...durationOf(site) } };
    case "waiting":
      return waitingFact(state);
    case "running":
      if (interrupted) return { code: "interrupted", params: { step } };
      return { code: "running", params: { step, ...durationOf(site) } };
    case "pending":
      return { code: "not_begun", params: { step } };
    default:
      return status satisfies never;
  }
}

function successFact(site: StepLocation): ExplainFact {
  const { path: step, attempts, step: planned } = site.state;
  if (planned.wait !== undefined)
    return { code: "wait_ended", params: { step, ...durationOf(site), ...eventOf(site.state) } };
  return { code: "succeeded", params: { step, tool: planned.target.name, attempts, ...durationOf(site) } };
}

function waitingFact(state: StepState): ExplainFact {
  const { path: step, waits, pendingApprovals } = state;
  if (waits === undefined || pendingApprovals !== undefined)
    return { code: "awaits_approval", params: { step, approvals: approvalsOf(state) } };
  return { code: "awaits_external", params: { step, waits: waits.map(toExternalWait) } };
}

function toExternalWait({ event, until }: OpenStepWait): { readonly event?: string; readonly until?: string } {
  return definedOnly({ event, until: until === undefined ? undefined : new Date(until).toISOString() });
}

/** The name of the event that a step waited for. */
function eventOf({ input }: StepState): { readonly event?: string } {
  const event = isRecord(input) ? input["event"] : undefined;
  return typeof event === "string" ? { event } : {};
}

function durationOf({ state, run }: StepLocation): { readonly ms: number; readonly queuedMs?: number } {
  const { durationMs: ms, queuedMs } = stepTimes(state, lastMoment(run));
  return queuedMs < noticeableMs ? { ms } : { ms, queuedMs };
}

function approvalsOf({ pendingApprovals = [], approvalId }: StepState): readonly string[] {
  if (pendingApprovals.length > 0) return pendingApprovals.map((pendingApproval) => pendingApproval.approvalId);
  return approvalId === undefined ? [] : [approvalId];
}

/** Pending approvals of its compensation. */
function openUndo({ pendingApprovals = [] }: StepState): ExplainFact[] {
  return pendingApprovals
    .filter(({ isCompensation }) => isCompensation)
    .map(({ tool, approvalId: approval }) => ({ code: "undo_awaits_approval", params: { tool, approval } }));
}

function ending(site: StepLocation): ExplainFact[] {
  const { status, cached, output, step, approvalId, pendingApprovals, confirmedDone } = site.state;
  const facts = openUndo(site.state);
  if (confirmedDone) {
    facts.push({ code: "confirmed_done", params: approvalId === undefined ? {} : { approval: approvalId } });
  } else if (approvalId !== undefined && status !== "waiting" && pendingApprovals === undefined) {
    facts.push({ code: "approval_needed", params: { approval: approvalId } });
  }
  if (cached) facts.push({ code: "output_cached", params: {} });
  if (output !== undefined)
    facts.push({ code: "output", params: { value: showShort(output, site), selected: step.select !== undefined } });
  return facts;
}

/** The untrusted parameters of a step, as people write them: `metadata.sources`. */
function untrustedInput(site: StepLocation): readonly string[] {
  const { run, plan, callers, state } = site;
  if (plan === undefined) return [];
  let values = findUntrustedValues(run.plan);
  for (const [position, caller] of callers.entries()) {
    const call = chainCall(caller, callers[position + 1] ?? state);
    const parts = call === undefined ? [] : values.partsOf(call.params, caller.step);
    const inputs = parts.map(({ reference }) => String(reference.valuePath[0]));
    values = findUntrustedValues(call?.plan ?? plan, inputs);
  }
  return values.partsOf(paramsOf(site), state.step).map(({ reference }) => formatPath(reference.valuePath));
}

/** For a step with several candidate tools: those that served it, those that failed, and those that were not called. */
function explainSources({ state, redactor }: StepLocation): ExplainFact[] {
  const report = state.facts === undefined || state.items !== undefined ? undefined : readSourceReport(state.facts);
  if (report === undefined || state.output === undefined) return [];
  const { sources: tools, synthesized: merged, failed, skipped } = report;
  const served: ExplainFact = { code: "served_by", params: { tools, merged } };
  return [
    ...(tools.length === 0 ? [] : [served]),
    ...failed.map(({ tool, code, message }): ExplainFact => {
      const error = { ...(code !== undefined && { code }), message: redactor.text(message) };
      return { code: "source_failed", params: { tool, error } };
    }),
    ...skipped.map(({ tool, message }): ExplainFact => ({
      code: "source_skipped",
      params: { tool, message: redactor.text(message) },
    })),
  ];
}

/** Explains why a step was skipped, down to the root cause; or why its condition let it run. */
function explainSkip(site: StepLocation): ExplainFact[] {
  const { state } = site;
  if (state.status === "skipped") return causes(site);
  const { condition } = state.step;
  // A step that failed before it had an input may have failed in the condition itself.
  if (condition === undefined || state.input === undefined) return [];
  return [{ code: "condition_held", params: conditionOf(condition, site) }];
}

function causes(site: StepLocation): ExplainFact[] {
  const facts: ExplainFact[] = [];
  const seen = new Set<StepState>();
  for (let state: StepState | undefined = site.state; state !== undefined && !seen.has(state);) {
    seen.add(state);
    facts.push(causeFact(state, site));
    state = causeOf(state, site.peers);
  }
  return facts;
}

function causeOf({ skip }: StepState, peers: readonly StepState[]): StepState | undefined {
  return skip?.kind === "needs" ? peers.find(({ step }) => step.id === skip.step) : undefined;
}

function causeFact(state: StepState, site: StepLocation): ExplainFact {
  const { skip, error, path: step, status } = state;
  if (skip?.kind === "condition") {
    const references = state.step.condition?.references ?? [];
    const params = { step, ...conditionOf({ text: skip.condition, references }, site) };
    return { code: "skipped_by_condition", params };
  }
  if (skip !== undefined) return { code: "skipped_by_step", params: { step, needs: skip.step, status: skip.status } };
  if (error === undefined) return { code: "has_status", params: { step, status } };
  return { code: "failed_before", params: { step, error: toFactError(error, site.redactor) } };
}

/** Explains the input of the tool: the source of each parameter, and the untrusted ones. */
function explainInput(site: StepLocation, untrusted: readonly string[]): ExplainFact[] {
  const { input, missing = [] } = site.state;
  if (input === undefined) return [];
  const facts = parameters(site);
  if (untrusted.length > 0) facts.push({ code: "parameters_untrusted", params: { parameters: untrusted } });
  if (missing.length > 0) facts.push({ code: "values_missing", params: { references: [...new Set(missing)] } });
  return facts;
}

function parameters(site: StepLocation): ExplainFact[] {
  const { references, secrets } = paramsOf(site);
  const byName = Map.groupBy(references, ({ valuePath }) => String(valuePath[0] ?? ""));
  const hidden = new Set(secrets.map(({ valuePath }) => String(valuePath[0] ?? "")));
  return Array.from(byName, ([name, used]): ExplainFact => {
    const from = [...new Set(used.map(({ text }) => text))];
    const parameter = name === "" ? undefined : { parameter: name };
    const got = received(name, used, site);
    if (got === undefined) return { code: "parameter_omitted", params: { ...parameter, from } };
    return { code: "parameter_received", params: { ...parameter, ...got, from: hidden.has(name) ? [] : from } };
  });
}

/** The input is that of the fallback if one was tried. */
function paramsOf({ state: { step, fallbackTool } }: StepLocation): CompiledValue {
  const entry = step.onFailure.fallback.find(({ target }) => target.name === fallbackTool);
  return entry?.params ?? step.params;
}

/** The value as the tool got it; for a `for_each`, as the first item got it. Undefined if it was omitted. */
function received(
  name: string,
  references: readonly ValueReference[],
  site: StepLocation,
): { readonly value: string; readonly ofFirstItem?: true } | undefined {
  const { input, step } = site.state;
  const each = step.forEach !== undefined && Array.isArray(input);
  const args: unknown = each ? input[0] : input;
  if (name !== "" && !(isRecord(args) && Object.hasOwn(args, name))) return undefined;
  const value = showShort(name === "" || !isRecord(args) ? args : args[name], site);
  const differs = each && references.some(({ root }) => root === "item" || root === "index");
  return differs ? { value, ofFirstItem: true } : { value };
}

/** The targets that untrusted content may decide, as the step allows. */
function explainConsent({ state }: StepLocation): ExplainFact[] {
  const targets = Object.keys(state.step.spec.untrusted ?? {});
  return targets.length === 0 ? [] : [{ code: "targets_allowed", params: { targets } }];
}

/** Shorter pauses between two steps are not mentioned. */
const noticeableMs = 5;

/** Explains when a step started: the steps that it waited for, and those that waited for it. */
function explainTiming(site: StepLocation): ExplainFact[] {
  const { state } = site;
  if (state.startedAt === 0) return explainNotStarted(site);
  if (state.status === "skipped") return [];
  return [began(site), ...released(site)];
}

function began(site: StepLocation): ExplainFact {
  const { state, chainStartedAt } = site;
  const needs = needed(site);
  const last = lastSettled(needs);
  if (last === undefined) {
    const ms = state.startedAt - chainStartedAt;
    if (ms < noticeableMs) return { code: "started_with_chain", params: {} };
    return { code: "started_later", params: { ms, ...slotsOf(site) } };
  }
  // Only the first reasons are shown, so only those are computed.
  const steps = needs.map(({ step }, at) =>
    at > 8 ? { step: step.id } : { step: step.id, by: whyNeeded(state.step, step) },
  );
  const lastMs = Math.max(0, last.endedAt - chainStartedAt);
  const pause = state.startedAt - last.endedAt;
  const later = pause < noticeableMs ? undefined : { laterMs: pause, ...slotsOf(site) };
  return { code: "waited_for", params: { steps, last: last.step.id, lastMs, ...later } };
}

function slotsOf({ plan }: StepLocation): { readonly slots?: number } {
  return plan === undefined ? {} : { slots: plan.maxParallel };
}

/** The steps that could start because this one had settled. */
function released({ state, peers }: StepLocation): ExplainFact[] {
  if (state.endedAt === 0) return [];
  const followers = state.step.dependents
    .flatMap((index) => peers[index] ?? [])
    .filter((peer) => peer.startedAt > 0 && lastSettled(needed({ state: peer, peers }))?.step === state.step);
  if (followers.length === 0) return [];
  return [{ code: "last_needed_by", params: { steps: followers.map(({ step }) => step.id) } }];
}

function explainNotStarted(site: StepLocation): ExplainFact[] {
  const { state, run, plan } = site;
  const open = needed(site).filter(({ endedAt }) => endedAt === 0);
  if (state.status === "pending") {
    const steps = open.map(({ step, status }) => ({ step: step.id, status }));
    if (steps.length > 0) return [{ code: "waits_for_steps", params: { steps } }];
    return plan === undefined ? [] : [{ code: "waits_for_slot", params: { slots: plan.maxParallel } }];
  }
  const culprit = site.peers.find((peer) => peer.status === "failed" && peer.step.onFailure.otherwise === "abort");
  if (culprit !== undefined) return [{ code: "chain_ended_by", params: { step: culprit.path } }];
  return [{ code: run.status === "cancelled" ? "run_cancelled" : "chain_ended", params: {} }];
}

function needed({ state, peers }: Pick<StepLocation, "state" | "peers">): StepState[] {
  // Peers are all steps of a chain in its order.
  return state.step.needs.flatMap((index) => peers[index] ?? []);
}

function lastSettled(states: readonly StepState[]): StepState | undefined {
  let last: StepState | undefined;
  for (const state of states) if (state.endedAt > 0 && state.endedAt >= (last?.endedAt ?? 0)) last = state;
  return last;
}

/** The connection of two steps: a reference as it is written, or `depends_on`. */
function whyNeeded(step: PlanStep, need: PlanStep): string {
  const reference = waitReferencesOf(step).find(
    ({ root, path }) =>
      (root === "steps" && path[0] === need.id) || (root === "context" && need.as !== undefined && path[0] === need.as),
  );
  return reference?.text ?? "depends_on";
}

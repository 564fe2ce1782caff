import type { PlanStep } from "../plan/plan.ts";
import type { StepState } from "../interpreter/step-state.ts";
import type { ExplainFact } from "../texts/explain-fact.ts";
import type { StepLocation } from "./step-location.ts";
import type { Reference } from "../../expr/index.ts";

/** Shorter pauses between two steps are not mentioned. */
export const noticeableMs = 5;

/** Explains when a step started: the steps that it waited for, and those that waited for it. */
export function explainTiming(site: StepLocation): ExplainFact[] {
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
function released(site: StepLocation): ExplainFact[] {
  const { state, peers } = site;
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

/** Every reference of a step that makes it wait for another one. */
function waitReferencesOf(step: PlanStep): readonly Reference[] {
  return [
    ...step.params.references,
    ...(step.condition?.references ?? []),
    ...(step.forEach?.items.references ?? []),
    ...(step.repeat?.until.references ?? []),
    ...(step.cache?.key?.references ?? []),
    ...(step.approval?.message.references ?? []),
  ];
}

import { formatDuration } from "../../text/index.ts";
import type { PlanStep } from "../plan/plan.ts";
import type { StepState } from "../interpreter/step-state.ts";
import { joinWithAnd } from "./sentence-format.ts";
import type { StepLocation } from "./step-location.ts";
import type { Reference } from "../../expr/index.ts";

/** Shorter pauses between two steps are not mentioned. */
export const noticeableMs = 5;

/** Explains when a step started: the steps that it waited for, and those that waited for it. */
export function explainTiming(site: StepLocation): string[] {
  const { state } = site;
  if (state.startedAt === 0) return explainNotStarted(site);
  if (state.status === "skipped") return [];
  return [began(site), ...released(site)];
}

function began(site: StepLocation): string {
  const { state, chainStartedAt } = site;
  const needs = needed(site);
  const last = lastSettled(needs);
  if (last === undefined) {
    const late = state.startedAt - chainStartedAt;
    if (late < noticeableMs) return "It needs no other step, so it started with the chain.";
    return `It needs no other step, and started ${formatDuration(late)} after the chain began${stepPosition(site)}.`;
  }
  // Only the first reasons are shown, so only those are computed.
  const reasons = needs.map(({ step }, at) => (at > 8 ? step.id : `${step.id} (${whyNeeded(state.step, step)})`));
  const waited = formatDuration(Math.max(0, last.endedAt - chainStartedAt));
  const which = needs.length === 1 ? `which settled` : `of which ${last.step.id} settled last,`;
  const pause = state.startedAt - last.endedAt;
  const then =
    pause < noticeableMs ? "it started immediately" : `it started ${formatDuration(pause)} later${stepPosition(site)}`;
  return `It waited for ${joinWithAnd(reasons)}, ${which} ${waited} after the chain began; ${then}.`;
}

function stepPosition({ plan }: StepLocation): string {
  return plan === undefined ? "" : `, when one of the ${plan.maxParallel} slots for steps was free (max_parallel)`;
}

/** The steps that could start because this one had settled. */
function released(site: StepLocation): string[] {
  const { state, peers } = site;
  if (state.endedAt === 0) return [];
  const followers = state.step.dependents
    .flatMap((index) => peers[index] ?? [])
    .filter((peer) => peer.startedAt > 0 && lastSettled(needed({ state: peer, peers }))?.step === state.step);
  if (followers.length === 0) return [];
  return [`It was the last step that ${joinWithAnd(followers.map(({ step }) => step.id))} waited for.`];
}

function explainNotStarted(site: StepLocation): string[] {
  const { state, run, plan } = site;
  const open = needed(site).filter(({ endedAt }) => endedAt === 0);
  if (state.status === "pending") {
    if (open.length > 0)
      return [`It waits for ${joinWithAnd(open.map(({ step, status }) => `${step.id} (${status})`))}.`];
    return plan === undefined ? [] : [`It waits for one of the ${plan.maxParallel} slots for steps (max_parallel).`];
  }
  const culprit = site.peers.find((peer) => peer.status === "failed" && peer.step.onFailure.otherwise === "abort");
  if (culprit !== undefined) return [`${culprit.path} failed before, and that ended the chain.`];
  return run.status === "cancelled" ? ["The run was cancelled before."] : ["The chain ended before."];
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

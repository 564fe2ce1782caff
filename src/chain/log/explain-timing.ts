import { formatDuration } from "../../text/index.ts";
import type { PlanStep } from "../plan/plan.ts";
import type { StepState } from "../run/step-state.ts";
import { referencesOf } from "./references-of.ts";
import { listed } from "./sentence.ts";
import type { StepSite } from "./step-site.ts";

/** Shorter pauses between two steps are nothing to speak of. */
const noticeableMs = 5;

/** Why a step began when it did: what it waited for, and who waited for it. */
export function explainTiming(site: StepSite): string[] {
  const { state } = site;
  if (state.startedAt === 0) return notBegun(site);
  if (state.status === "skipped") return [];
  return [began(site), ...released(site)];
}

function began(site: StepSite): string {
  const { state, chainStartedAt } = site;
  const needs = needed(site);
  const last = lastSettled(needs);
  if (last === undefined) {
    const late = state.startedAt - chainStartedAt;
    if (late < noticeableMs) return "It needs no other step, so it started with the chain.";
    return `It needs no other step, and started ${formatDuration(late)} after the chain began${place(site)}.`;
  }
  // Of many only the first are shown, so only theirs are looked for.
  const reasons = needs.map(({ step }, at) => (at > 8 ? step.id : `${step.id} (${whyNeeded(state.step, step)})`));
  const waited = formatDuration(Math.max(0, last.endedAt - chainStartedAt));
  const which = needs.length === 1 ? `which settled` : `of which ${last.step.id} settled last,`;
  const pause = state.startedAt - last.endedAt;
  const then = pause < noticeableMs ? "it started at once" : `it started ${formatDuration(pause)} later${place(site)}`;
  return `It waited for ${listed(reasons)}, ${which} ${waited} after the chain began; ${then}.`;
}

function place({ plan }: StepSite): string {
  return plan === undefined ? "" : `, when one of the ${plan.maxParallel} places for steps was free (max_parallel)`;
}

/** The steps that could begin because this one had settled. */
function released(site: StepSite): string[] {
  const { state, peers } = site;
  if (state.endedAt === 0) return [];
  const followers = state.step.dependents
    .flatMap((index) => peers[index] ?? [])
    .filter((peer) => peer.startedAt > 0 && lastSettled(needed({ state: peer, peers }))?.step === state.step);
  if (followers.length === 0) return [];
  return [`It was the last step that ${listed(followers.map(({ step }) => step.id))} waited for.`];
}

function notBegun(site: StepSite): string[] {
  const { state, run, plan } = site;
  const open = needed(site).filter(({ endedAt }) => endedAt === 0);
  if (state.status === "pending") {
    if (open.length > 0) return [`It waits for ${listed(open.map(({ step, status }) => `${step.id} (${status})`))}.`];
    return plan === undefined ? [] : [`It waits for one of the ${plan.maxParallel} places for steps (max_parallel).`];
  }
  const culprit = site.peers.find((peer) => peer.status === "failed" && peer.step.onFailure.otherwise === "abort");
  if (culprit !== undefined) return [`${culprit.path} failed before, and that ended the chain.`];
  return run.status === "cancelled" ? ["The run was cancelled before."] : ["The chain ended before."];
}

function needed({ state, peers }: Pick<StepSite, "state" | "peers">): StepState[] {
  // Peers are all steps of a chain in its order.
  return state.step.needs.flatMap((index) => peers[index] ?? []);
}

function lastSettled(states: readonly StepState[]): StepState | undefined {
  let last: StepState | undefined;
  for (const state of states) if (state.endedAt > 0 && state.endedAt >= (last?.endedAt ?? 0)) last = state;
  return last;
}

/** What ties two steps together: a reference as it is written, or `depends_on`. */
function whyNeeded(step: PlanStep, need: PlanStep): string {
  const reference = referencesOf(step).find(
    ({ root, path }) =>
      (root === "steps" && path[0] === need.id) || (root === "context" && need.as !== undefined && path[0] === need.as),
  );
  return reference?.text ?? "depends_on";
}

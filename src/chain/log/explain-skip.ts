import type { StepState } from "../run/step-state.ts";
import { quoted } from "./sentence.ts";
import { showReferences } from "./show-reference.ts";
import { skipSentence } from "./skip-sentence.ts";
import type { StepSite } from "./step-site.ts";

/** Why a step was skipped, down to the root cause; or why its condition let it run. */
export function explainSkip(site: StepSite): string[] {
  const { state } = site;
  if (state.status === "skipped") return causes(site);
  const { condition } = state.step;
  // What failed before it had an input may have failed on the condition itself.
  if (condition === undefined || state.input === undefined) return [];
  return [`Its condition ${condition.text} held${withValues(state, site)}.`];
}

function causes(site: StepSite): string[] {
  const sentences: string[] = [];
  const seen = new Set<StepState>();
  for (let state: StepState | undefined = site.state; state !== undefined && !seen.has(state);) {
    seen.add(state);
    sentences.push(causeSentence(state, site));
    state = causeOf(state, site.peers);
  }
  return sentences;
}

function causeOf({ skip }: StepState, peers: readonly StepState[]): StepState | undefined {
  return skip?.kind === "needs" ? peers.find(({ step }) => step.id === skip.step) : undefined;
}

function causeSentence(state: StepState, site: StepSite): string {
  const { skip, error, path: subject } = state;
  if (skip?.kind === "condition")
    return `${subject} was skipped because its condition ${skip.condition} was false${withValues(state, site)}.`;
  if (skip !== undefined) return `${subject} was skipped: ${skipSentence(skip)}.`;
  if (error === undefined) return `${subject} is ${state.status}.`;
  return `${subject} failed: ${error.code}: ${quoted(site.redactor.text(error.message))}.`;
}

function withValues({ step }: StepState, site: StepSite): string {
  const references = step.condition?.references ?? [];
  return references.length === 0 ? "" : `: ${showReferences(references, site)}`;
}

import type { Failure } from "../../base/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { FallbackPlan } from "../plan/plan.ts";
import { isRefusal } from "../run/is-refusal.ts";
import type { FailedAttempt, StepState } from "../run/step-state.ts";
import { counted, listed, ordinal, quoted } from "./sentence.ts";
import { showReferences } from "./show-reference.ts";
import { type StepSite, whileFailing } from "./step-site.ts";

/** More failed attempts than this are only counted. */
const mostAttempts = 20;

/** What failed and what was done about it: retries, fallbacks, items, rounds, compensation. */
export function explainAttempts(site: StepSite): string[] {
  return [
    ...failedAttempts(site),
    ...fallbacks(site),
    ...items(site),
    ...rounds(site.state),
    ...afterwards(site.state),
    ...compensation(site),
  ];
}

function failedAttempts(site: StepSite): string[] {
  const failures = site.state.failures ?? [];
  const told = failures.slice(0, mostAttempts).map((failed) => attemptSentence(failed, site));
  if (failures.length > mostAttempts) told.push(`${failures.length - mostAttempts} further attempts failed.`);
  return told;
}

/** One attempt that failed, and what was done about it. */
export function attemptSentence(failed: FailedAttempt, site: StepSite): string {
  const { attempt, tool, error, delayMs, notRetried, item } = failed;
  const own = failed.standIn === undefined;
  const forItem = item === undefined ? "" : ` for item ${item}`;
  const why = `${error.code}: ${quoted(site.redactor.text(error.message))}`;
  if (attempt === 0) return `${own ? tool : `The fallback ${tool}`} was not called${forItem}: ${why}.`;
  const what = `The ${own ? `${ordinal(attempt)} attempt` : `fallback ${tool}`}${forItem} failed: ${why}`;
  if (delayMs !== undefined) return `${what}; it was tried again after ${formatDuration(delayMs)}.`;
  if (notRetried === undefined || !own) return `${what}.`;
  return `${what}; it was not tried again: ${quoted(site.redactor.text(notRetried))}.`;
}

function fallbacks(site: StepSite): string[] {
  const { state } = site;
  const error = failureBeforeFallbacks(state);
  if (error === undefined) return [];
  const failing = whileFailing(site, error);
  const failed = new Set(state.failures?.filter(({ standIn }) => standIn).map(({ tool }) => tool));
  const told: string[] = [];
  for (const entry of state.step.onFailure.fallback) {
    const { name } = entry.target;
    if (state.status === "recovered" && name === state.fallbackTool)
      return [...told, `${name} stood in: ${whyChosen(entry, failing)}.`];
    if (!failed.has(name)) told.push(`The fallback ${name} was not used: ${whyNot(entry, failing)}.`);
  }
  return told;
}

/** What the fallbacks were asked about; undefined where it did not come to that. */
function failureBeforeFallbacks({ status, error, failures }: StepState): Failure | undefined {
  if (status !== "failed" && status !== "recovered") return undefined;
  return failures?.findLast(({ standIn }) => standIn === undefined)?.error ?? error;
}

function whyChosen({ condition }: FallbackPlan, site: StepSite): string {
  if (condition === undefined) return "it is the fallback for every failure";
  return `its condition ${condition.text} held${valuesOf(condition.references, site)}`;
}

function whyNot({ condition }: FallbackPlan, site: StepSite): string {
  const refused = site.state.failures?.some(({ error }) => isRefusal(error)) === true;
  if (condition === undefined && refused) return "it has no condition, and the call was not approved";
  if (condition === undefined) return "the step ended before it came to it";
  return `its condition ${condition.text} did not hold${valuesOf(condition.references, site)}`;
}

function valuesOf(references: Parameters<typeof showReferences>[0], site: StepSite): string {
  return references.length === 0 ? "" : `: ${showReferences(references, site)}`;
}

function items({ state, redactor }: StepSite): string[] {
  const { forEach } = state.step;
  if (forEach === undefined || state.items === undefined) return [];
  const { concurrency, tolerate } = forEach;
  const failed = [...state.items.entries()].filter(([, { status }]) => status === "failed");
  const many = state.items.length;
  const first = `It worked on ${counted(many, "item")}, at most ${Math.max(1, Math.min(concurrency, many))} at once`;
  if (failed.length === 0) return [`${first}; none failed.`];
  const limit = "count" in tolerate ? `${tolerate.count}` : `${Number((tolerate.share * 100).toFixed(2))} %`;
  const which = failed.map(([index, { error }]) =>
    error === undefined
      ? `item ${index}`
      : `item ${index} (${error.code}: ${quoted(redactor.text(error.message), 80)})`,
  );
  return [`${first}; ${failed.length} failed, where tolerate allows ${limit}: ${listed(which, 6)}.`];
}

function rounds(state: StepState): string[] {
  const { repeat } = state.step;
  if (repeat === undefined || state.iterations === 0) return [];
  const went = `It went round ${state.iterations === 1 ? "once" : `${state.iterations} times`}, at most ${repeat.max}`;
  if (state.error?.code === "loop_exhausted") return [`${went}, and ${repeat.until.text} never held.`];
  return state.status === "success" ? [`${went}, until ${repeat.until.text} held.`] : [`${went}.`];
}

function afterwards({ status, step }: StepState): string[] {
  if (status !== "failed") return [];
  const { fallback, otherwise } = step.onFailure;
  const unaided = fallback.length > 0 ? "No fallback helped. " : "";
  if (otherwise === "continue") {
    return [`${unaided}The chain went on without it (error_handling: continue); steps that need it are skipped.`];
  }
  return [`${unaided}Its failure ended the chain${fallback.length > 0 ? "" : " (error_handling: abort)"}.`];
}

function compensation({ state, redactor }: StepSite): string[] {
  const { compensation: undone, step } = state;
  if (undone === undefined) return [];
  const tool = step.compensate?.target.name ?? "its compensation";
  if (undone.status === "success") return [`Later the chain ended, and ${tool} undid what it had done.`];
  if (undone.error?.code === "interrupted") {
    return [`Later the chain ended, and what it may have done was not undone: ${quoted(undone.error.message)}.`];
  }
  const why =
    undone.error === undefined ? "" : `: ${undone.error.code}: ${quoted(redactor.text(undone.error.message))}`;
  return [`Later the chain ended, and ${tool} could not undo what it had done${why}.`];
}

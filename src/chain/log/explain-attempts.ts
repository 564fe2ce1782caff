import type { Failure } from "../../base/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { FallbackPlan } from "../plan/plan.ts";
import { isRefusal } from "../interpreter/is-refusal.ts";
import type { FailedAttempt, StepState } from "../interpreter/step-state.ts";
import { countOf, joinWithAnd, ordinal, quoteSentence } from "./sentence-format.ts";
import { showReferences } from "./show-reference.ts";
import { type StepLocation, whileFailing } from "./step-location.ts";

/** More failed attempts than this are only counted. */
const maxAttempts = 20;

/** Explains failures and their handling: retries, fallbacks, items, rounds, compensation. */
export function explainAttempts(site: StepLocation): string[] {
  return [
    ...failedAttempts(site),
    ...fallbacks(site),
    ...items(site),
    ...rounds(site.state),
    ...afterwards(site.state),
    ...compensation(site),
  ];
}

function failedAttempts(site: StepLocation): string[] {
  const failures = site.state.failures ?? [];
  const sentences = failures.slice(0, maxAttempts).map((failed) => attemptSentence(failed, site));
  if (failures.length > maxAttempts) sentences.push(`${failures.length - maxAttempts} further attempts failed.`);
  return sentences;
}

/** One failed attempt, and its handling. */
export function attemptSentence(failed: FailedAttempt, site: StepLocation): string {
  const { attempt, tool, error, delayMs, notRetried, item } = failed;
  const own = failed.standIn === undefined;
  const forItem = item === undefined ? "" : ` for item ${item}`;
  const why = `${error.code}: ${quoteSentence(site.redactor.text(error.message))}`;
  if (attempt === 0) return `${own ? tool : `The fallback ${tool}`} was not called${forItem}: ${why}.`;
  const sentence = `The ${own ? `${ordinal(attempt)} attempt` : `fallback ${tool}`}${forItem} failed: ${why}`;
  if (delayMs !== undefined) return `${sentence}; it was retried after ${formatDuration(delayMs)}.`;
  if (notRetried === undefined || !own) return `${sentence}.`;
  return `${sentence}; it was not retried: ${quoteSentence(site.redactor.text(notRetried))}.`;
}

function fallbacks(site: StepLocation): string[] {
  const { state } = site;
  const error = failureBeforeFallbacks(state);
  if (error === undefined) return [];
  const failing = whileFailing(site, error);
  const failed = new Set(state.failures?.filter(({ standIn }) => standIn).map(({ tool }) => tool));
  const sentences: string[] = [];
  for (const entry of state.step.onFailure.fallback) {
    const { name } = entry.target;
    if (state.status === "recovered" && name === state.fallbackTool)
      return [...sentences, `The fallback ${name} was used: ${whyChosen(entry, failing)}.`];
    if (!failed.has(name)) sentences.push(`The fallback ${name} was not used: ${whyNot(entry, failing)}.`);
  }
  return sentences;
}

/** The failure that the conditions of the fallbacks saw; undefined if no fallback was considered. */
function failureBeforeFallbacks({ status, error, failures }: StepState): Failure | undefined {
  if (status !== "failed" && status !== "recovered") return undefined;
  return failures?.findLast(({ standIn }) => standIn === undefined)?.error ?? error;
}

function whyChosen({ condition }: FallbackPlan, site: StepLocation): string {
  if (condition === undefined) return "it is the fallback for every failure";
  return `its condition ${condition.text} held${valuesOf(condition.references, site)}`;
}

function whyNot({ condition }: FallbackPlan, site: StepLocation): string {
  const refused = site.state.failures?.some(({ error }) => isRefusal(error)) === true;
  if (condition === undefined && refused) return "it has no condition, and the call was not approved";
  if (condition === undefined) return "the step ended before this fallback was considered";
  return `its condition ${condition.text} did not hold${valuesOf(condition.references, site)}`;
}

function valuesOf(references: Parameters<typeof showReferences>[0], site: StepLocation): string {
  return references.length === 0 ? "" : `: ${showReferences(references, site)}`;
}

function items({ state, redactor }: StepLocation): string[] {
  const { forEach } = state.step;
  if (forEach === undefined || state.items === undefined) return [];
  const { concurrency, tolerate } = forEach;
  const failed = [...state.items.entries()].filter(([, { status }]) => status === "failed");
  const many = state.items.length;
  const first = `It processed ${countOf(many, "item")}, at most ${Math.max(1, Math.min(concurrency, many))} at once`;
  if (failed.length === 0) return [`${first}; none failed.`];
  const limit = "count" in tolerate ? `${tolerate.count}` : `${Number((tolerate.share * 100).toFixed(2))} %`;
  const which = failed.map(([index, { error }]) =>
    error === undefined
      ? `item ${index}`
      : `item ${index} (${error.code}: ${quoteSentence(redactor.text(error.message), 80)})`,
  );
  return [`${first}; ${failed.length} failed (tolerate allows ${limit}): ${joinWithAnd(which, 6)}.`];
}

function rounds(state: StepState): string[] {
  const { repeat } = state.step;
  if (repeat === undefined || state.iterations === 0) return [];
  const went = `It ran ${state.iterations === 1 ? "one round" : `${state.iterations} rounds`}, of at most ${repeat.max}`;
  if (state.error?.code === "loop_exhausted") return [`${went}, and ${repeat.until.text} never held.`];
  return state.status === "success" ? [`${went}, until ${repeat.until.text} held.`] : [`${went}.`];
}

function afterwards({ status, step }: StepState): string[] {
  if (status !== "failed") return [];
  const { fallback, otherwise } = step.onFailure;
  const unaided = fallback.length > 0 ? "No fallback succeeded. " : "";
  if (otherwise === "continue") {
    return [`${unaided}The chain continued without it (error_handling: continue); steps that need it are skipped.`];
  }
  return [`${unaided}Its failure ended the chain${fallback.length > 0 ? "" : " (error_handling: abort)"}.`];
}

function compensation({ state, redactor }: StepLocation): string[] {
  const { compensation: undone, step } = state;
  if (undone === undefined) return [];
  const tool = step.compensate?.target.name ?? "its compensation";
  if (undone.status === "success") return [`Later the chain stopped, and ${tool} undid the step.`];
  if (undone.error?.code === "interrupted") {
    return [
      `Later the chain stopped, and work that may have been done was not undone: ${quoteSentence(undone.error.message)}.`,
    ];
  }
  const why =
    undone.error === undefined ? "" : `: ${undone.error.code}: ${quoteSentence(redactor.text(undone.error.message))}`;
  return [`Later the chain stopped, and ${tool} could not undo the step${why}.`];
}

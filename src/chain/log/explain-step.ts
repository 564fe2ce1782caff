import { createRedactor, formatDuration, stripUnsafe } from "../../text/index.ts";
import type { RunFacts } from "../run/run-facts.ts";
import type { StepState, StepStatus } from "../run/step-state.ts";
import { explainAttempts } from "./explain-attempts.ts";
import { explainInput } from "./explain-input.ts";
import { explainItem } from "./explain-item.ts";
import { explainSkip } from "./explain-skip.ts";
import { explainSources } from "./explain-sources.ts";
import { explainTiming } from "./explain-timing.ts";
import type { LogRedactor } from "./log-value.ts";
import { lastMoment, stepDuration } from "./run-metrics.ts";
import { counted, listed, quoted } from "./sentence.ts";
import { showShort } from "./show-reference.ts";
import { type StepSite, findSite } from "./step-site.ts";
import { untrustedInput } from "./untrusted-input.ts";

/** What an explanation takes besides the run. */
export interface ExplainOptions {
  /** Takes secrets out; one that knows telling names and shapes of tokens where absent. */
  readonly redactor?: LogRedactor;
  /** The process that executed the run is gone: what was under way is so no longer. */
  readonly interrupted?: boolean;
}

/**
 * Why a step went as it did, in sentences with the values: when and why it ran or was skipped, what its tool got and
 * from where, what failed and what was done about it. `each[2]` is one item of a step with `for_each`.
 *
 * @example
 * ```ts
 * explainStep(run, "revise");
 * // ["revise was skipped because its condition ${steps.review.output.score < 8} was false: steps.review.output.score = 9."]
 * ```
 */
export function explainStep(run: RunFacts, path: string, options: ExplainOptions = {}): string[] {
  const { item, ...site } = findSite(run, path, options.redactor ?? createRedactor([]));
  if (item !== undefined) return explainItem(site, item).map((sentence) => stripUnsafe(sentence));
  const interrupted = options.interrupted ?? false;
  return [
    ...(site.state.status === "skipped" ? [] : [opening(site, site.state.status, interrupted)]),
    ...explainSkip(site),
    ...explainTiming(site),
    ...explainInput(site, untrustedInput(site)),
    ...explainAttempts(site),
    ...explainSources(site),
    ...ending(site),
  ].map((sentence) => stripUnsafe(sentence));
}

function opening(site: StepSite, status: Exclude<StepStatus, "skipped">, interrupted: boolean): string {
  const { state, run } = site;
  const { path } = state;
  const { name } = state.step.target;
  const took = formatDuration(stepDuration(state, lastMoment(run)));
  const tries = state.attempts > 1 ? ` and ${counted(state.attempts, "attempt")}` : "";
  switch (status) {
    case "success":
      return `${path} called ${name} and succeeded after ${took}${tries}.`;
    case "recovered":
      return `${path} called ${name}, which failed; ${state.fallbackTool ?? "a fallback"} stood in. It took ${took}${tries}.`;
    case "failed":
      return `${path} ${howFailed(state, took)}${tries}: ${whatFailed(state, site)}.`;
    case "cancelled":
      return state.startedAt === 0 ? `${path} was cancelled before it began.` : `${path} was cancelled after ${took}.`;
    case "waiting":
      return `${path} waits for a person's decision${approval(state)}.`;
    case "running":
      return interrupted
        ? `${path} was under way when its process ended; nobody goes on with it at present.`
        : `${path} has been running for ${took}.`;
    case "pending":
      return `${path} has not begun.`;
    default:
      return status satisfies never;
  }
}

function approval({ questions = [], approvalId }: StepState): string {
  const [id = approvalId, ...more] = questions.map((question) => question.approvalId);
  if (id === undefined) return "";
  if (more.length > 0) return `s: approvals ${listed([id, ...more])}; \`windlass approve ID\` lets one go on`;
  return `: approval ${id}; \`windlass approve ${id}\` lets it go on, \`windlass reject ${id}\` does not`;
}

/** Nobody has said yet whether it may be undone. */
function openUndo({ questions = [] }: StepState): string[] {
  return questions
    .filter(({ isUndo }) => isUndo)
    .map(({ tool, approvalId: id }) => `Undoing it with ${tool} waits for a person's decision: approval ${id}.`);
}

function howFailed({ attempts, step }: StepState, took: string): string {
  const { name } = step.target;
  return attempts === 0 ? `failed after ${took}, before it called ${name}` : `called ${name} and failed after ${took}`;
}

function whatFailed({ error }: StepState, { redactor }: StepSite): string {
  return error === undefined ? "nobody said why" : `${error.code}: ${quoted(redactor.text(error.message))}`;
}

function ending(site: StepSite): string[] {
  const { status, cached, output, step, approvalId, questions, saidDone } = site.state;
  const told = openUndo(site.state);
  if (saidDone) {
    const asked = approvalId === undefined ? "" : ` (approval ${approvalId})`;
    told.push(`A person${asked} said that its work had been done, and gave its output; it was not called again.`);
  } else if (approvalId !== undefined && status !== "waiting" && questions === undefined) {
    told.push(`A person was asked (approval ${approvalId}).`);
  }
  if (cached) told.push("Its output was reused from the cache; the tool did not run.");
  if (output !== undefined)
    told.push(`Its output${step.select === undefined ? "" : " after select"} was ${showShort(output, site)}.`);
  return told;
}

import { createRedactor } from "../../secrets/index.ts";
import { formatDuration, stripUnsafe } from "../../text/index.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import type { StepState, StepStatus } from "../interpreter/step-state.ts";
import { explainAttempts } from "./explain-attempts.ts";
import { explainItem } from "./explain-item.ts";
import { explainTiming, noticeableMs } from "./explain-timing.ts";
import type { LogRedactor } from "./log-value.ts";
import { stepTimes } from "../interpreter/step-times.ts";
import { lastMoment } from "./run-metrics.ts";
import { countOf, joinWithAnd, quoteSentence } from "./sentence-format.ts";
import { showShort, showReferences } from "./show-reference.ts";
import { type StepLocation, locateStep, chainCall } from "./step-location.ts";
import { formatPath, cliCommand } from "../../base/index.ts";
import { findUntrustedValues } from "../plan/find-untrusted-values.ts";
import { readSourceReport } from "../../tool/index.ts";
import { skipSentence } from "./skip-sentence.ts";
import type { CompiledValue, ValueReference } from "../../expr/index.ts";
import { isRecord } from "../../schema/index.ts";

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
export function explainStep(run: RunFacts, path: string, options: ExplainOptions = {}): string[] {
  const { item, ...site } = locateStep(run, path, options.redactor ?? createRedactor([]));
  if (item !== undefined) return explainItem(site, item).map((sentence) => stripUnsafe(sentence));
  const interrupted = options.interrupted ?? false;
  return [
    ...(site.state.status === "skipped" ? [] : [opening(site, site.state.status, interrupted)]),
    ...explainSkip(site),
    ...explainTiming(site),
    ...explainInput(site, untrustedInput(site)),
    ...explainConsent(site),
    ...explainAttempts(site),
    ...explainSources(site),
    ...ending(site),
  ].map((sentence) => stripUnsafe(sentence));
}

function opening(site: StepLocation, status: Exclude<StepStatus, "skipped">, interrupted: boolean): string {
  const { state } = site;
  const { path } = state;
  const { name } = state.step.target;
  const took = durationOf(site);
  const tries = state.attempts > 1 ? ` and ${countOf(state.attempts, "attempt")}` : "";
  switch (status) {
    case "success":
      return `${path} called ${name} and succeeded after ${took}${tries}.`;
    case "recovered":
      return `${path} called ${name}, which failed; ${state.fallbackTool ?? "a fallback"} replaced it. It took ${took}${tries}.`;
    case "failed":
      return `${path} ${howFailed(state, took)}${tries}: ${whatFailed(state, site)}.`;
    case "cancelled":
      return state.startedAt === 0 ? `${path} was cancelled before it began.` : `${path} was cancelled after ${took}.`;
    case "waiting":
      return `${path} waits for approval${approval(state)}.`;
    case "running":
      return interrupted
        ? `${path} was running when its process ended; no process holds the run at present.`
        : `${path} has been running for ${took}.`;
    case "pending":
      return `${path} has not begun.`;
    default:
      return status satisfies never;
  }
}

function durationOf({ state, run }: StepLocation): string {
  const { durationMs, queuedMs } = stepTimes(state, lastMoment(run));
  const took = formatDuration(durationMs);
  return queuedMs < noticeableMs ? took : `${took} (and ${formatDuration(queuedMs)} of waiting)`;
}

function approval({ pendingApprovals = [], approvalId }: StepState): string {
  const [id = approvalId, ...more] = pendingApprovals.map((pendingApproval) => pendingApproval.approvalId);
  if (id === undefined) return "";
  if (more.length > 0)
    return `s ${joinWithAnd([id, ...more])}; decide each with \`${cliCommand("approve ID")}\` or \`${cliCommand("reject ID")}\``;
  return ` ${id}; decide with \`${cliCommand(`approve ${id}`)}\` or \`${cliCommand(`reject ${id}`)}\``;
}

/** Pending approvals of its compensation. */
function openUndo({ pendingApprovals = [] }: StepState): string[] {
  return pendingApprovals
    .filter(({ isCompensation }) => isCompensation)
    .map(({ tool, approvalId: id }) => `Its compensation with ${tool} waits for approval ${id}.`);
}

function howFailed({ attempts, step }: StepState, took: string): string {
  const { name } = step.target;
  return attempts === 0 ? `failed after ${took}, before it called ${name}` : `called ${name} and failed after ${took}`;
}

function whatFailed({ error }: StepState, { redactor }: StepLocation): string {
  return error === undefined
    ? "no reason was recorded"
    : `${error.code}: ${quoteSentence(redactor.text(error.message))}`;
}

function ending(site: StepLocation): string[] {
  const { status, cached, output, step, approvalId, pendingApprovals, confirmedDone } = site.state;
  const sentences = openUndo(site.state);
  if (confirmedDone) {
    const request = approvalId === undefined ? "" : ` (approval ${approvalId})`;
    sentences.push(
      `A person${request} confirmed that its work had been done, and provided its output; it did not run a second time.`,
    );
  } else if (approvalId !== undefined && status !== "waiting" && pendingApprovals === undefined) {
    sentences.push(`It needed an approval (${approvalId}).`);
  }
  if (cached) sentences.push("Its output was reused from the cache; the tool did not run.");
  if (output !== undefined)
    sentences.push(`Its output${step.select === undefined ? "" : " after select"} was ${showShort(output, site)}.`);
  return sentences;
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
function explainSources({ state, redactor }: StepLocation): string[] {
  const sentences = state.facts === undefined || state.items !== undefined ? undefined : readSourceReport(state.facts);
  if (sentences === undefined || state.output === undefined) return [];
  const { sources, synthesized, failed, skipped } = sentences;
  const how = synthesized ? `; their results were merged` : "";
  return [
    ...(sources.length === 0 ? [] : [`It was served by ${joinWithAnd(sources)}${how}.`]),
    ...failed.map(({ tool, code, message }) => {
      const why = [code, quoteSentence(redactor.text(message))].filter((part) => part !== undefined).join(": ");
      return `${tool} was called for it too, and failed: ${why}.`;
    }),
    ...skipped.map(({ tool, message }) => `${tool} was skipped: ${quoteSentence(redactor.text(message))}.`),
  ];
}

/** Explains why a step was skipped, down to the root cause; or why its condition let it run. */
function explainSkip(site: StepLocation): string[] {
  const { state } = site;
  if (state.status === "skipped") return causes(site);
  const { condition } = state.step;
  // A step that failed before it had an input may have failed in the condition itself.
  if (condition === undefined || state.input === undefined) return [];
  return [`Its condition ${condition.text} held${withValues(state, site)}.`];
}

function causes(site: StepLocation): string[] {
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

function causeSentence(state: StepState, site: StepLocation): string {
  const { skip, error, path: subject } = state;
  if (skip?.kind === "condition")
    return `${subject} was skipped because its condition ${skip.condition} was false${withValues(state, site)}.`;
  if (skip !== undefined) return `${subject} was skipped: ${skipSentence(skip)}.`;
  if (error === undefined) return `${subject} is ${state.status}.`;
  return `${subject} failed: ${error.code}: ${quoteSentence(site.redactor.text(error.message))}.`;
}

function withValues({ step }: StepState, site: StepLocation): string {
  const references = step.condition?.references ?? [];
  return references.length === 0 ? "" : `: ${showReferences(references, site)}`;
}

/** Explains the input of the tool: the source of each parameter, and the untrusted ones. */
function explainInput(site: StepLocation, untrusted: readonly string[]): string[] {
  const { state } = site;
  if (state.input === undefined) return [];
  return [...parameters(site), ...doubtful(untrusted), ...swallowed(site)];
}

function parameters(site: StepLocation): string[] {
  const { references, secrets } = paramsOf(site);
  const byName = Map.groupBy(references, ({ valuePath }) => String(valuePath[0] ?? ""));
  const hidden = new Set(secrets.map(({ valuePath }) => String(valuePath[0] ?? "")));
  return [...byName].map(([name, used]) => {
    const from = joinWithAnd([...new Set(used.map(({ text }) => text))]);
    const subject = name === "" ? "Its input" : `Parameter ${name}`;
    const got = received(name, used, site);
    if (got === undefined) return `${subject} was omitted, because ${from} was missing.`;
    return hidden.has(name) ? `${subject} was ${got}.` : `${subject} was ${got}, from ${from}.`;
  });
}

/** The input is that of the fallback if one was tried. */
function paramsOf({ state: { step, fallbackTool } }: StepLocation): CompiledValue {
  const entry = step.onFailure.fallback.find(({ target }) => target.name === fallbackTool);
  return entry?.params ?? step.params;
}

/** The value as the tool got it; for a `for_each`, as the first item got it. Undefined if it was omitted. */
function received(name: string, references: readonly ValueReference[], site: StepLocation): string | undefined {
  const { input, step } = site.state;
  const each = step.forEach !== undefined && Array.isArray(input);
  const args: unknown = each ? input[0] : input;
  if (name !== "" && !(isRecord(args) && Object.hasOwn(args, name))) return undefined;
  const value = showShort(name === "" || !isRecord(args) ? args : args[name], site);
  const differs = each && references.some(({ root }) => root === "item" || root === "index");
  return differs ? `${value} for the first item` : value;
}

function doubtful(untrusted: readonly string[]): string[] {
  if (untrusted.length === 0) return [];
  const [verb, pronoun] = untrusted.length === 1 ? ["is", "it comes"] : ["are", "they come"];
  return [`${joinWithAnd(untrusted)} ${verb} untrusted: ${pronoun} from tools that read external content.`];
}

/** The targets that untrusted content may decide, as the step allows. */
function explainConsent({ state }: StepLocation): string[] {
  const kinds = Object.keys(state.step.spec.untrusted ?? {});
  if (kinds.length === 0) return [];
  const allowed = kinds.map((kind) => `${kind}: allow`).join(", ");
  return [`Untrusted content may decide its ${joinWithAnd(kinds)} without approval, by untrusted: { ${allowed} }.`];
}

function swallowed({ state }: StepLocation): string[] {
  const paths = [...new Set(state.missing ?? [])];
  if (paths.length === 0) return [];
  return [`${joinWithAnd(paths)} ${paths.length === 1 ? "was" : "were"} missing, which the expression allows there.`];
}

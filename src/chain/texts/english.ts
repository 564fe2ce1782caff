import { cliCommand, formatPath } from "../../base/index.ts";
import { formatDuration, renderCoded } from "../../text/index.ts";
import type { SkipReason, StepStatus } from "../interpreter/step-state.ts";
import { type ChainTextTable, quoteSentence } from "./chain-text-table.ts";
import type { ExplainFactParams, FactError, ReferenceValue } from "./explain-fact.ts";

/** The English texts of chains. */
export const english: ChainTextTable = {
  notices: {
    chain_gone: ({ run, chain, file }) =>
      `${file === undefined ? `there is no longer a chain named "${chain}"` : `${file} no longer exists`}; the chain runs as stored with run ${run}`,
    chain_changed: ({ run, chain }) =>
      `the chain ${chain} has changed since run ${run} began; to run the current version: ${cliCommand(`rerun ${run}`)}`,
    tool_unavailable: ({ step, tool, reason }) => `${step}: ${tool} cannot work here: ${reason}`,
  },
  facts: {
    run_status: ({ chain, status, error, ...duration }) =>
      `The run of ${chain} is ${runStatus[status]} after ${durationText(duration)}${error === undefined ? "" : `: ${reason(error, Infinity)}`}.`,
    succeeded: ({ tool, attempts, ...more }) =>
      `${subject(more)} called ${tool} and succeeded after ${durationText(more)}${tries(attempts)}.`,
    recovered: ({ tool, fallback = "a fallback", attempts, ...more }) =>
      `${subject(more)} called ${tool}, which failed; ${fallback} replaced it. It took ${durationText(more)}${tries(attempts)}.`,
    failed: ({ tool, attempts, error, ...more }) => {
      const took = `failed after ${durationText(more)}`;
      const called = attempts === 0 ? `${took}, before it called ${tool ?? ""}` : `called ${tool ?? ""} and ${took}`;
      return `${subject(more)} ${tool === undefined ? took : called}${tries(attempts)}: ${reason(error)}.`;
    },
    cancelled: ({ ms, queuedMs, ...more }) =>
      `${subject(more)} was cancelled ${ms === undefined ? "before it began" : `after ${durationText({ ms, queuedMs })}`}.`,
    awaits_approval: ({ approvals, ...more }) => `${subject(more)} waits for approval${approvalsText(approvals)}.`,
    awaits_external: ({ waits, ...more }) => `${subject(more)} waits ${joinWithAnd(waits.map(externalWait))}.`,
    wait_ended: ({ event, ms, queuedMs, ...more }) =>
      event === undefined
        ? `${subject(more)} waited ${formatDuration(ms + (queuedMs ?? 0))}.`
        : `${subject(more)} received the event ${event} after ${formatDuration(ms + (queuedMs ?? 0))}; its data is untrusted.`,
    running: (more) => `${subject(more)} has been running for ${durationText(more)}.`,
    interrupted: (more) => `${subject(more)} was running when its process ended; no process holds the run at present.`,
    not_begun: (more) => `${subject(more)} has not begun.`,
    not_ended: (more) => `${subject(more)} has not ended.`,
    skipped_by_condition: ({ condition, values, ...more }) =>
      `${subject(more)} was skipped because its condition ${condition} was false${valuesText(values)}.`,
    skipped_by_step: ({ needs, status, ...more }) =>
      `${subject(more)} was skipped: ${skipped({ kind: "needs", step: needs, status })}.`,
    failed_before: ({ error, ...more }) => `${subject(more)} failed: ${reason(error)}.`,
    has_status: ({ step, status }) => `${step} is ${status}.`,
    condition_held: ({ condition, values }) => `Its condition ${condition} held${valuesText(values)}.`,
    started_with_chain: () => "It needs no other step, so it started with the chain.",
    started_later: ({ ms, slots }) =>
      `It needs no other step, and started ${formatDuration(ms)} after the chain began${slotText(slots)}.`,
    waited_for: ({ steps, last, lastMs, laterMs, slots }) => {
      const names = steps.map(({ step, by }) => (by === undefined ? step : `${step} (${by})`));
      const which = steps.length === 1 ? "which settled" : `of which ${last} settled last,`;
      const then = laterMs === undefined ? "immediately" : `${formatDuration(laterMs)} later${slotText(slots)}`;
      return `It waited for ${joinWithAnd(names)}, ${which} ${formatDuration(lastMs)} after the chain began; it started ${then}.`;
    },
    last_needed_by: ({ steps }) => `It was the last step that ${joinWithAnd(steps)} waited for.`,
    waits_for_steps: ({ steps }) => `It waits for ${statuses(steps)}.`,
    waits_for_slot: ({ slots }) => `It waits for one of the ${slots} slots for steps (max_parallel).`,
    chain_ended_by: ({ step }) => `${step} failed before, and that ended the chain.`,
    run_cancelled: () => "The run was cancelled before.",
    chain_ended: () => "The chain ended before.",
    parameter_received: ({ parameter, value, ofFirstItem, from }) => {
      const source = from.length === 0 ? "" : `, from ${joinWithAnd(from)}`;
      return `${parameterText(parameter)} was ${value}${ofFirstItem ? " for the first item" : ""}${source}.`;
    },
    parameter_omitted: ({ parameter, from }) =>
      `${parameterText(parameter)} was omitted, because ${joinWithAnd(from)} was missing.`,
    item_input: ({ value }) => `Its arguments were ${value}.`,
    parameters_untrusted: ({ parameters }) => {
      const rest = parameters.length === 1 ? "is untrusted: it comes" : "are untrusted: they come";
      return `${joinWithAnd(parameters)} ${rest} from tools that read external content.`;
    },
    targets_allowed: ({ targets }) => {
      const setting = targets.map((kind) => `${kind}: allow`).join(", ");
      return `Untrusted content may decide its ${joinWithAnd(targets)} without approval, by untrusted: { ${setting} }.`;
    },
    values_missing: ({ references }) =>
      `${joinWithAnd(references)} ${references.length === 1 ? "was" : "were"} missing, which the expression allows there.`,
    expression_failed: ({ path, expression, values }) =>
      `The expression ${expression} of ${formatPath(path)} could not be evaluated${valuesText(values)}.`,
    not_called: ({ tool, fallback, item, error }) =>
      `${fallback ? `The fallback ${tool}` : tool} was not called${forItem(item)}: ${reason(error)}.`,
    attempt_failed: ({ attempt, tool, fallback, item, error, retriedAfterMs, notRetried }) => {
      const which = fallback ? `fallback ${tool}` : `${ordinal(attempt)} attempt`;
      const sentence = `The ${which}${forItem(item)} failed: ${reason(error)}`;
      if (retriedAfterMs !== undefined) return `${sentence}; it was retried after ${formatDuration(retriedAfterMs)}.`;
      if (notRetried === undefined) return `${sentence}.`;
      return `${sentence}; it was not retried: ${quoteSentence(renderCoded(english.notRetried, notRetried))}.`;
    },
    more_attempts_failed: ({ count }) => `${count} further attempts failed.`,
    fallback_used: ({ tool, condition, values = [] }) =>
      `The fallback ${tool} was used: ${condition === undefined ? "it is the fallback for every failure" : `its condition ${condition} held${valuesText(values)}`}.`,
    fallback_not_used: ({ tool, reason: why, condition = "", values = [] }) => {
      const clause = {
        condition: `its condition ${condition} did not hold${valuesText(values)}`,
        not_approved: "it has no condition, and the call was not approved",
        step_ended: "the step ended before this fallback was considered",
      }[why];
      return `The fallback ${tool} was not used: ${clause}.`;
    },
    items_processed: ({ count, concurrency, failed, tolerate }) => {
      const first = `It processed ${countOf(count, "item")}, at most ${concurrency} at once`;
      if (failed.length === 0) return `${first}; none failed.`;
      const limit = "count" in tolerate ? `${tolerate.count}` : `${Number((tolerate.share * 100).toFixed(2))} %`;
      const which = failed.map(
        ({ item, error }) => `item ${item}${error === undefined ? "" : ` (${reason(error, 80)})`}`,
      );
      return `${first}; ${failed.length} failed (tolerate allows ${limit}): ${joinWithAnd(which, 6)}.`;
    },
    rounds_run: ({ rounds, max, until, end }) => {
      const went = `It ran ${rounds === 1 ? "one round" : `${rounds} rounds`}, of at most ${max}`;
      return `${went}${{ held: `, until ${until} held`, never_held: `, and ${until} never held`, stopped: "" }[end]}.`;
    },
    chain_continued: ({ fallbacks }) =>
      `${fallbacks ? noFallback : ""}The chain continued without it (error_handling: continue); steps that need it are skipped.`,
    chain_stopped: ({ fallbacks }) =>
      fallbacks ? `${noFallback}Its failure ended the chain.` : "Its failure ended the chain (error_handling: abort).",
    item_tolerated: () => "The failure was tolerated: its entry in the output is null.",
    undone: ({ tool = undoTool }) => `Later the chain stopped, and ${tool} undid the step.`,
    not_undone: ({ tool = undoTool, error }) =>
      `Later the chain stopped, and ${tool} could not undo the step${error === undefined ? "" : `: ${reason(error)}`}.`,
    undo_unknown: ({ message }) =>
      `Later the chain stopped, and work that may have been done was not undone: ${quoteSentence(message)}.`,
    undo_awaits_approval: ({ tool, approval }) => `Its compensation with ${tool} waits for approval ${approval}.`,
    steps_inside: ({ steps }) => `Its steps are ${statuses(steps)}.`,
    served_by: ({ tools, merged }) =>
      `It was served by ${joinWithAnd(tools)}${merged ? "; their results were merged" : ""}.`,
    source_failed: ({ tool, error: { code, message } }) => {
      const why = code === undefined ? quoteSentence(message) : reason({ code, message });
      return `${tool} was called for it too, and failed: ${why}.`;
    },
    source_skipped: ({ tool, message }) => `${tool} was skipped: ${quoteSentence(message)}.`,
    confirmed_done: ({ approval }) =>
      `A person${approval === undefined ? "" : ` (approval ${approval})`} confirmed that its work had been done, and provided its output; it did not run a second time.`,
    approval_needed: ({ approval }) => `It needed an approval (${approval}).`,
    approval_pending: ({ approval, undo, tool, args, step }) =>
      `Approval ${approval} is pending, for ${undo ? "undo of step" : "step"} ${step}: ${tool} ${args}.`,
    output_cached: () => "Its output was reused from the cache; the tool did not run.",
    output: ({ value, selected }) => `Its output${selected ? " after select" : ""} was ${value}.`,
  },
  notRetried: {
    no_retries: () => "no retries are configured",
    retries_failed: ({ max }) => `all ${max} retries failed`,
    effect_once: () => "the tool must not run twice (effect: once)",
    would_fail_again: ({ code }) => `it would fail again in the same way (${code})`,
    verdict_unsafe: () => "it may have happened already (retry verdict: unsafe)",
    condition_false: () => "retry.when does not hold",
    condition_failed: ({ message }) => message,
    is_fallback: () => "a fallback is not retried",
    fallback_failed: () => "the expressions of the fallback failed",
  },
  skipped,
};

const noFallback = "No fallback succeeded. ";
const undoTool = "its compensation";

const runStatus: Readonly<Record<ExplainFactParams["run_status"]["status"], string>> = {
  running: "still running",
  interrupted: "interrupted: its process ended",
  waiting: "waiting",
  success: "over: it succeeded",
  failed: "over: it failed",
  cancelled: "over: it was cancelled",
};

function skipped(reason: SkipReason): string {
  if (reason.kind === "condition") return `its condition ${reason.condition} did not hold`;
  return `it needs ${reason.step}, which ${became[reason.status]}`;
}

const became: Readonly<Record<StepStatus, string>> = {
  failed: "failed",
  skipped: "was skipped",
  cancelled: "was cancelled",
  pending: "has no output",
  running: "has no output",
  waiting: "has no output",
  success: "has no output",
  recovered: "has no output",
};

function subject({ step, item }: { readonly step: string; readonly item?: number }): string {
  return item === undefined ? step : `Item ${item} of ${step}`;
}

function durationText({ ms, queuedMs }: { readonly ms: number; readonly queuedMs?: number | undefined }): string {
  const took = formatDuration(ms);
  return queuedMs === undefined ? took : `${took} (and ${formatDuration(queuedMs)} of waiting)`;
}

function tries(attempts: number): string {
  return attempts > 1 ? ` and ${countOf(attempts, "attempt")}` : "";
}

function reason(error: FactError | undefined, maxLength?: number): string {
  if (error === undefined) return "no reason was recorded";
  return `${error.code}: ${quoteSentence(error.message, maxLength)}`;
}

function externalWait({ event, until }: ExplainFactParams["awaits_external"]["waits"][number]): string {
  if (event === undefined) return `until ${until ?? "?"}`;
  return `for the event ${event}${until === undefined ? "" : ` (until ${until})`}`;
}

function approvalsText(approvals: readonly string[]): string {
  const [id, ...more] = approvals;
  if (id === undefined) return "";
  if (more.length === 0)
    return ` ${id}; decide with \`${cliCommand(`approve ${id}`)}\` or \`${cliCommand(`reject ${id}`)}\``;
  return `s ${joinWithAnd(approvals)}; decide each with \`${cliCommand("approve ID")}\` or \`${cliCommand("reject ID")}\``;
}

/** `: a = 1, b is missing`. */
function valuesText(values: readonly ReferenceValue[]): string {
  const without = {
    missing: " is missing",
    unrecorded: " (its value is not recorded)",
    unknown: " (its value is unknown)",
  };
  const shown = values.map((one) => one.reference + ("value" in one ? ` = ${one.value}` : without[one.without]));
  return shown.length === 0 ? "" : `: ${shown.join(", ")}`;
}

function slotText(slots: number | undefined): string {
  return slots === undefined ? "" : `, when one of the ${slots} slots for steps was free (max_parallel)`;
}

function parameterText(name: string | undefined): string {
  return name === undefined ? "Its input" : `Parameter ${name}`;
}

function forItem(item: number | undefined): string {
  return item === undefined ? "" : ` for item ${item}`;
}

function statuses(steps: readonly { readonly step: string; readonly status: StepStatus }[]): string {
  return joinWithAnd(steps.map(({ step, status }) => `${step} (${status})`));
}

/** `a`, `a and b`, `a, b and c`; of many the first ones. */
function joinWithAnd(words: readonly string[], max: number = 8): string {
  const shown = words.length > max ? [...words.slice(0, max - 1), `${words.length - max + 1} more`] : [...words];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

/** `1 item`, `3 items`. */
function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `first`, `2nd`, `11th`. */
function ordinal(number: number): string {
  if (number === 1) return "first";
  const teen = number % 100 > 10 && number % 100 < 14;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

import {
  type AgentEvent,
  type AgentResult,
  type ReasoningBlock,
  type ReasoningStep,
  deserializeAgentRun,
  toReasoningBlock,
} from "../../agent/index.ts";
import type { RunStatus } from "../../store/index.ts";
import { renderCoded, stripUnsafe } from "../../text/index.ts";
import { followAgent } from "../open/agent-session.ts";
import { isCutOff, reportAgentResult, usageLine } from "../open/report-agent-result.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { reportFormattedError } from "../program/report-error.ts";
import { UsageError } from "../program/usage-error.ts";
import { blockLines } from "../terminal/agent-view/block-lines.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import { safeJson } from "../terminal/safe-json.ts";
import type { AgentFact } from "../terminal/texts/cli-text-table.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import { toWireAgent, toWireCoded } from "../wire/to-wire.ts";
import {
  type Explanation,
  type InspectedRun,
  type RunKindCommands,
  reportCancelledCalls,
  reportWhatItWaitsFor,
} from "./run-kind.ts";

/** Commands for runs of agents. */
export const agentRuns: RunKindCommands<AgentResult> = {
  resume: async (session, { id }) => {
    const runs = await session.workspace.agents();
    return followAgent(session, (how) => runs.resume(id, how));
  },
  report: (result, session, { extra }) => reportAgentResult(result, session, extra),
  inspect: async (workspace, id) => (await workspace.agents()).inspect(id),
  cancel: async (workspace, id, by) => (await workspace.agents()).cancel(id, by),
  reportCancelled: (result, session, cancelled) =>
    reportCancelledCalls(toWireAgent(result, session.workspace.engine.redactor), session, cancelled),
  show: showAgentRun,
  explain: explainAgentRun,
  repeat: (run, { engine }) => [
    "ask",
    "--runner",
    run.name,
    engine.redactor.knownText(deserializeAgentRun(run).prompt.text),
  ],
};

/** `windlass show` for a run of an agent: the prompt, the steps and the answer. */
async function showAgentRun(invocation: Invocation, inspected: InspectedRun): Promise<void> {
  const { terminal } = invocation;
  const { run, workspace } = inspected;
  const { redactor } = workspace.engine;
  const { prompt, result, block } = await replayAgentRun(inspected);
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ...toWireAgent(result, redactor), prompt }));
    return;
  }
  terminal.print(`${terminal.paint("bold", "prompt")}  ${terminal.paint("dim", run.id)}`);
  terminal.print(indented(prompt));
  const lines = blockLines(block, {
    columns: terminal.columns ?? 1000,
    height: 1000,
    elapsedMs: result.durationMs,
    frame: 0,
    tint: (style, text) => terminal.paint(style, text),
    live: false,
  });
  for (const line of lines) terminal.print(line);
  if (block.answer !== "") {
    const cut = isCutOff(result) ? ` ${cliTexts[block.language].agent.cutOff}` : "";
    terminal.print(terminal.paint("bold", `answer${cut}`));
    terminal.print(indented(block.answer));
  }
  if (result.partial !== undefined) {
    terminal.print(terminal.paint("bold", `answer ${cliTexts[block.language].agent.cut}`));
    terminal.print(indented(result.partial));
  }
  logWrapped(usageLine(result, block.language), terminal, { style: "dim" });
  if (result.error !== undefined)
    reportFormattedError(terminal, { message: redactor.text(result.error.message), code: result.error.code });
  await reportWhatItWaitsFor(invocation, inspected);
}

function indented(text: string): string {
  return stripUnsafe(text).replaceAll(/^/gm, "  ");
}

/** Explains a step of an agent's run. The step is identified by its number in `show`, or by its tool. */
async function explainAgentRun(invocation: Invocation, inspected: InspectedRun, step: string): Promise<Explanation[]> {
  const { block } = await replayAgentRun(inspected);
  if (step === "" && block.steps.length > 0) return block.steps.flatMap((each) => explain(each, invocation));
  const found = findStep(block.steps, step);
  if (found === undefined) {
    const known = block.steps.map(({ text }, at) => `${at + 1}. ${toOneLine(text)}`);
    const problem = step === "" ? "the run has" : `there is no step ${JSON.stringify(step)}; the run has`;
    throw new UsageError(`run ${inspected.run.id}: ${problem} ${known.length === 0 ? "none" : "these"}`, ...known);
  }
  return explain(found, invocation);
}

/** Finds a step by its number, starting at 1, by its id, or as the last one of a tool. */
function findStep(steps: readonly ReasoningStep[], name: string): ReasoningStep | undefined {
  const byNumber = /^\d{1,6}$/.test(name) ? steps[Number(name) - 1] : undefined;
  return byNumber ?? steps.find(({ id }) => id === name) ?? steps.findLast(({ tool }) => tool === name);
}

/** The facts about a step, and their sentences. */
function explain(step: ReasoningStep, invocation: Invocation): Explanation[] {
  return factsOf(step, invocation).map((fact) => ({
    sentence: renderCoded(cliTexts.en.facts, fact),
    fact: toWireCoded(fact),
  }));
}

function factsOf(step: ReasoningStep, invocation: Invocation): AgentFact[] {
  const { kind, text, notice, durationMs, approvalId, tool = "", initiator = "model", args } = step;
  if (kind === "notice")
    return [{ code: "notice", params: { text, ...(notice !== undefined && { notice: toWireCoded(notice) }) } }];
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  if (kind === "model")
    return [{ code: "model_request", params: { ...roundOf(step), text: toOneLine(text), ...took } }];
  const input = args === undefined ? undefined : { args: safeJson(args, 0) };
  const round = initiator === "model" ? roundOf(step) : undefined;
  const called: AgentFact = { code: "called", params: { initiator, tool: toOneLine(tool), ...input, ...round } };
  const outcome = outcomeOf(step, invocation);
  if (approvalId === undefined) return [called, outcome];
  return [called, { code: "approval_needed", params: { approval: approvalId } }, outcome];
}

/** The main part has no name. */
function roundOf({ round, part = "main" }: ReasoningStep): { readonly round?: number; readonly part?: string } {
  return { ...(round !== undefined && { round }), ...(part !== "main" && { part }) };
}

function outcomeOf(step: ReasoningStep, invocation: Invocation): AgentFact {
  const { state, detail, durationMs, error, approvalId = "" } = step;
  const took = durationMs === undefined ? undefined : { ms: durationMs };
  switch (state) {
    case "active":
      return { code: "outcome_unknown", params: {} };
    case "waiting":
      return { code: "awaits_approval", params: { command: commandLine(invocation, "approve", approvalId) } };
    case "failed":
      return {
        code: "call_failed",
        params: { ...(error && { code: error.code }), detail: toOneLine(detail ?? ""), ...took },
      };
    case "done":
      return {
        code: "call_succeeded",
        params: { ...(detail !== undefined && { detail: toOneLine(detail) }), ...took },
      };
    default:
      return state satisfies never;
  }
}

/** A run as it is shown. */
interface AgentRunDetails {
  readonly prompt: string;
  readonly result: AgentResult;
  /** With secrets redacted. */
  readonly block: ReasoningBlock;
}

/** Replays a run from its journal; nothing is executed. */
async function replayAgentRun({ workspace, run }: InspectedRun): Promise<AgentRunDetails> {
  const events: AgentEvent[] = [];
  const runs = await workspace.agents();
  const result = await runs.inspect(run.id, (event) => events.push(event));
  const message = toReasoningBlock(events);
  const block = {
    ...message,
    state: states[run.status] ?? message.state,
    answer: result.answer,
    thinking: "",
  };
  return { prompt: workspace.engine.redactor.knownText(deserializeAgentRun(run).prompt.text), result, block };
}

/** Maps run status to block state. A running run keeps the state of its last event. */
const states: Readonly<Record<RunStatus, ReasoningBlock["state"] | undefined>> = {
  running: undefined,
  waiting: "waiting",
  success: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

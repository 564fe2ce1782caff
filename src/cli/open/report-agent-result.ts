import type { AgentResult, ReasoningLanguage } from "../../agent/index.ts";
import type { AgentTexts } from "../terminal/texts/english.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import type { Failure } from "../../base/index.ts";
import { isModelMissing } from "../../model/index.ts";
import { CodeFences, displayWidth, stripUnsafe } from "../../text/index.ts";
import { type ExitCode, exitCodes } from "../program/exit-codes.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { commandLine } from "../program/invocation.ts";
import { codeOf, reportFormattedError, hintsWithoutModel } from "../program/report-error.ts";
import type { RunSession } from "./run-session.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { reportPendingApprovals } from "./report-run-result.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { toWireAgent } from "../../app/index.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** Additional fields of the `--json` output. */
type Extra = Readonly<Record<string, unknown>>;

/** Prints the answer of an agent, reports its usage and what to do next; returns the exit code. */
export async function reportAgentResult(
  result: AgentResult,
  session: RunSession,
  extra: Extra = {},
): Promise<ExitCode> {
  const { invocation, workspace, interrupts } = session;
  const { terminal } = invocation;
  const json = invocation.flag("json");
  if (json) terminal.print(safeJson({ ...toWireAgent(result, workspace.engine.redactor), ...extra }));
  else if (!invocation.flag("events")) reportAnswer(result, session);
  logWrapped(usageLine(result, session.language), terminal, { style: "dim" });
  if (result.status === "running") reportReleasedAgentRun(result, session);
  else if (result.status === "waiting") await reportPendingApprovals(result.runId, session, { durable: true });
  else if (result.error !== undefined) reportAgentFailure(result, result.error, session);
  return interrupts.code !== undefined && result.status !== "completed" ? interrupts.code : exitCodeOfAgent(result);
}

function reportAnswer(result: AgentResult, { invocation, language }: RunSession): void {
  const { terminal } = invocation;
  const { answer, partial = "" } = result;
  const words = cliTexts[language].agent;
  if (answer !== "") printAnswer(answer, terminal, isCutOff(result) ? words.cutOff : undefined);
  else if (partial !== "") reportPartialAnswer(partial, terminal, words);
  printSources(result, terminal);
}

/** True if the model could not complete its answer. */
export function isCutOff({ noticeData }: AgentResult): boolean {
  return noticeData.some(({ code }) => code === "answer_cut_off");
}

/** If both streams go to the same terminal, the answer is separated from the reports by blank lines. */
function printAnswer(answer: string, terminal: Terminal, below: string | undefined): void {
  const { screen, columns } = terminal;
  const isApart = screen !== undefined && columns !== undefined;
  if (isApart) terminal.log("");
  const text = stripUnsafe(answer);
  terminal.print(columns === undefined ? text : wrapAnswer(text, columns).join("\n"));
  if (below !== undefined) logWrapped(below, terminal, { style: "yellow" });
  if (isApart) terminal.log("");
}

/** Prints a partial answer to stderr: stdout is only for complete answers. */
function reportPartialAnswer(partial: string, terminal: Terminal, { cut }: AgentTexts): void {
  const { sideColumns } = terminal;
  const text = stripUnsafe(partial).trimEnd();
  terminal.log("");
  terminal.log(sideColumns === undefined ? text : wrapAnswer(text, sideColumns).join("\n"));
  logWrapped(cut, terminal, { style: "yellow" });
  terminal.log("");
}

/** Exit code for a run of an agent. */
export function exitCodeOfAgent({ status, error }: Pick<AgentResult, "status" | "error">): ExitCode {
  switch (status) {
    case "completed":
      return exitCodes.ok;
    case "waiting":
      return exitCodes.waiting;
    case "cancelled":
    case "running":
      return exitCodes.failed;
    case "failed":
      if (error?.code === "timeout") return exitCodes.timeout;
      return error !== undefined && isModelMissing(error) ? exitCodes.usage : exitCodes.failed;
    default:
      return status satisfies never;
  }
}

/** `2 tool calls, 3 model requests, 1,204 tokens`. */
export function usageLine({ toolUsageSummary, rounds, usage }: AgentResult, language: ReasoningLanguage): string {
  return cliTexts[language].agent.used({ calls: toolUsageSummary.totalCalls, rounds, usage });
}

function printSources({ sources = [] }: AgentResult, terminal: Terminal): void {
  for (const [at, { number = at + 1, title, location }] of sources.entries()) {
    const where = title === location ? "" : ` (${toOneLine(location)})`;
    logWrapped(`${toOneLine(title)}${where}`, terminal, { lead: terminal.tint("dim", `[${number}] `), style: "dim" });
  }
}

/** The process was terminated; another process can resume the run. */
function reportReleasedAgentRun({ runId }: AgentResult, { invocation, language }: RunSession): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  terminal.log(cliTexts[language].agent.released(runId, how));
}

function reportAgentFailure({ status, runId }: AgentResult, error: Failure, session: RunSession): void {
  const { invocation, interrupts, workspace } = session;
  // The user who cancelled it here already knows.
  if (status === "cancelled" && interrupts.code !== undefined) return;
  const message = workspace.engine.redactor.text(error.message);
  const hints = isModelMissing(error)
    ? hintsWithoutModel()
    : [`for details: ${commandLine(invocation, "show", runId)}`];
  reportFormattedError(invocation.terminal, { message, code: codeOf(error), hints });
}

/** Preformatted lines: table rows and indented code. */
const laidOut = /^(?:\s*\||(?: {4}|\t)(?!\s*(?:[-*+•]|\d{1,3}[.)])\s))/;

/** Marker before the text of a list item or a quotation. */
const lead = /^(?:\s|>|(?:[-*+•]|\d{1,3}[.)])(?=\s))*/;

/**
 * Wraps an answer to the width of the terminal. Code and tables are not wrapped, since line ends are significant in
 * them; continuation lines of list items are indented below their text.
 */
export function wrapAnswer(text: string, width: number): string[] {
  const fences = new CodeFences();
  return text
    .split("\n")
    .flatMap((line) => (fences.isCode(line.trimStart()) || laidOut.test(line) ? [line] : wrapLine(line, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const head = lead.exec(line)?.[0] ?? "";
  const quoted = head.includes(">");
  const indent = quoted ? head : " ".repeat(displayWidth(head));
  const [first = "", ...rest] = wrapText(line.slice(head.length), width - displayWidth(head));
  return [head + first, ...rest.map((more) => indent + more)];
}

import { type AgentResult, type ReasoningLanguage, cutOffNote } from "../agent/index.ts";
import type { Failure } from "../base/index.ts";
import { isUnasked } from "../model/index.ts";
import { stripUnsafe } from "../text/index.ts";
import { type AgentWords, agentWords } from "./agent-view/agent-words.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { oneLine } from "./format-table.ts";
import { commandLine } from "./invocation.ts";
import { codeOf, tellError, withoutModel } from "./report-error.ts";
import type { RunSession } from "./run-session.ts";
import { safeJson } from "./safe-json.ts";
import { tellWaiting } from "./tell-run.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Terminal } from "./terminal.ts";
import { toWireAgent } from "./wire-agent.ts";
import { wrapAnswer } from "./wrap-answer.ts";

/** Further fields that `--json` prints. */
type Extra = Readonly<Record<string, unknown>>;

/** Prints what an agent gave, tells how it went and what to do next; gives the exit code. */
export async function tellAgent(result: AgentResult, session: RunSession, extra: Extra = {}): Promise<ExitCode> {
  const { invocation, workspace, interrupts } = session;
  const { terminal } = invocation;
  const { redactor } = workspace.engine;
  const json = invocation.flag("json");
  if (json) terminal.print(safeJson({ ...toWireAgent(result, redactor), ...extra }));
  else if (!invocation.flag("events")) tellAnswer(result, session);
  tellWrapped(usageLine(result, session.language), terminal, { style: "dim" });
  if (result.status === "running") tellLeft(result, session);
  else if (result.status === "waiting") await tellWaiting(result.runId, session, { durable: true });
  else if (result.error !== undefined) tellAgentFailure(result, result.error, session);
  return interrupts.code !== undefined && result.status !== "completed" ? interrupts.code : agentExitCode(result);
}

function tellAnswer(result: AgentResult, { invocation, language }: RunSession): void {
  const { terminal } = invocation;
  const { answer, partial = "", notes } = result;
  const words = agentWords[language];
  if (answer !== "") printAnswer(answer, terminal, notes.includes(cutOffNote) ? words.cutOff : undefined);
  else if (partial !== "") tellPartial(partial, terminal, words);
  tellSources(result, terminal);
}

/** Where a person reads both streams, the answer stands apart from what is told about it. */
function printAnswer(answer: string, terminal: Terminal, below: string | undefined): void {
  const { screen, columns } = terminal;
  const isApart = screen !== undefined && columns !== undefined;
  if (isApart) terminal.tell("");
  const text = stripUnsafe(answer);
  terminal.print(columns === undefined ? text : wrapAnswer(text, columns).join("\n"));
  if (below !== undefined) tellWrapped(below, terminal, { style: "yellow" });
  if (isApart) terminal.tell("");
}

/** What there was of an answer is no answer, which is what stdout is for. */
function tellPartial(partial: string, terminal: Terminal, { cut }: AgentWords): void {
  const { sideColumns } = terminal;
  const text = stripUnsafe(partial).trimEnd();
  terminal.tell("");
  terminal.tell(sideColumns === undefined ? text : wrapAnswer(text, sideColumns).join("\n"));
  tellWrapped(cut, terminal, { style: "yellow" });
  terminal.tell("");
}

/** The exit code that a run of an agent ends with. */
export function agentExitCode({ status, error }: Pick<AgentResult, "status" | "error">): ExitCode {
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
      return error !== undefined && isUnasked(error) ? exitCodes.usage : exitCodes.failed;
    default:
      return status satisfies never;
  }
}

/** `2 tool calls, 3 questions to the model, 1,204 tokens`. */
export function usageLine({ toolUsageSummary, rounds, usage }: AgentResult, language: ReasoningLanguage): string {
  return agentWords[language].used({ calls: toolUsageSummary.totalCalls, rounds, usage });
}

function tellSources({ sources = [] }: AgentResult, terminal: Terminal): void {
  for (const [at, { number = at + 1, title, location }] of sources.entries()) {
    const where = title === location ? "" : ` (${oneLine(location)})`;
    tellWrapped(`${oneLine(title)}${where}`, terminal, { lead: terminal.tint("dim", `[${number}] `), style: "dim" });
  }
}

/** The process was asked to end, and somebody else can go on. */
function tellLeft({ runId }: AgentResult, { invocation, language }: RunSession): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  terminal.tell(agentWords[language].left(runId, how));
}

function tellAgentFailure({ status, runId }: AgentResult, error: Failure, session: RunSession): void {
  const { invocation, interrupts, workspace } = session;
  // Whoever stopped it here knows.
  if (status === "cancelled" && interrupts.code !== undefined) return;
  const message = workspace.engine.redactor.text(error.message);
  const hints = isUnasked(error) ? withoutModel : [`${commandLine(invocation, "show", runId)} shows what happened`];
  tellError(invocation.terminal, { message, code: codeOf(error), hints });
}

import type { Failure } from "../base/index.ts";
import type { ExecutionLog, RunResult } from "../chain/index.ts";
import type { ApprovalStore } from "../store/index.ts";
import { argumentsLine } from "./arguments-line.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine, shellWord } from "./invocation.ts";
import { askedAbout, openQuestions } from "./open-questions.ts";
import { questionWords } from "./question-words.ts";
import { codeOf, tellError } from "./report-error.ts";
import type { RunSession } from "./run-session.ts";
import { summaryLine } from "./run-view/summary-line.ts";
import { safeJson } from "./safe-json.ts";
import { fittingLines } from "./tell-question.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import type { Style } from "./terminal.ts";

/** What else there is to print of a run. */
export interface TellRunOptions {
  /** Whether the run is kept. */
  readonly durable: boolean;
  /** Where the questions of the run are kept; in the workspace where absent. */
  readonly approvals?: ApprovalStore;
  /** Somebody said no, and the run ended as it then does: that is no failure of the command. */
  readonly refused?: boolean;
  /** Further fields of the log that `--json` prints. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Prints what came of a run, tells how it went and what to do next; gives the exit code. */
export async function tellRun(result: RunResult, session: RunSession, options: TellRunOptions): Promise<ExitCode> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const log = result.log();
  const tint = (style: Style, text: string): string => terminal.tint(style, text);
  terminal.tell(summaryLine(log, tint, { left: true }));
  if (invocation.flag("json")) terminal.print(safeJson({ ...log, ...options.extra }));
  // What comes out is shown as the log shows it, secrets redacted.
  else if (result.success && !invocation.flag("events")) terminal.print(safeJson(log.output));
  tellUndone(log, session);
  if (result.status === "waiting") await tellWaiting(result.runId, session, options);
  else if (result.status === "running") tellLeft(result.runId, session);
  else if (result.error !== undefined) tellRunFailure(result.error, log, { session, options });
  return interrupts.code !== undefined && !result.success ? interrupts.code : runExitCode(result);
}

/** What compensation did. */
export function tellUndone(log: ExecutionLog, { invocation: { terminal } }: RunSession): void {
  for (const { id, compensation } of log.steps) {
    if (compensation === undefined) continue;
    const why = compensation.error === undefined ? "" : `: ${oneLine(compensation.error.message)}`;
    const told = compensation.status === "success" ? `undone: ${oneLine(id)}` : `not undone: ${oneLine(id)}${why}`;
    terminal.tell(terminal.tint(compensation.status === "success" ? "dim" : "red", `  ${told}`));
  }
}

/** The exit code that a run ends with. */
export function runExitCode({ status, error }: Pick<RunResult, "status" | "error">): ExitCode {
  switch (status) {
    case "success":
      return exitCodes.ok;
    case "waiting":
      return exitCodes.waiting;
    case "failed":
      return error?.code === "timeout" ? exitCodes.timeout : exitCodes.failed;
    case "cancelled":
    case "running":
      return exitCodes.failed;
    default:
      return status satisfies never;
  }
}

/** Tells what a run waits for: every open question with its id and the exact arguments, whatever it is about. */
export async function tellWaiting(
  runId: string,
  { invocation, workspace, language }: RunSession,
  { durable, approvals = workspace.approvals }: TellRunOptions,
): Promise<void> {
  const { terminal } = invocation;
  const words = questionWords[language];
  const questions = await openQuestions({ approvals, store: workspace.store }, runId);
  const lead = `${terminal.tint("yellow", words.waiting)} `;
  if (questions.length === 0) {
    tellWrapped(words.allDecided(runId, commandLine(invocation, "resume", runId)), terminal, { lead });
    return;
  }
  tellWrapped(words.needs(runId, questions.length), terminal, { lead });
  for (const question of questions) {
    const { id, tool, args } = question;
    tellWrapped(askedAbout(question, words), terminal, { lead: "  " });
    const seeAll = commandLine(invocation, "approvals", id);
    const shown =
      terminal.screen === undefined
        ? argumentsLine(args, seeAll)
        : fittingLines(safeJson(args, 0), terminal, { tool, words, seeAll, among: questions.length }).join("\n    ");
    terminal.tell(`    ${terminal.tint("bold", oneLine(tool))} ${shown}`);
    if (durable) terminal.tell(`    ${terminal.tint("cyan", commandLine(invocation, "approve", id))}`);
  }
  if (durable) tellWrapped(words.afterwards, terminal, { lead: "  ", style: "dim" });
  else tellError(terminal, { message: "the run is not kept, so nobody can decide later", hints: notKept });
}

/** The process is to end, and somebody else can go on. */
function tellLeft(runId: string, { invocation }: RunSession): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  terminal.tell(`Run ${runId} is left where it was, nothing is undone: ${how} goes on with it`);
}

/** What to do about a question in a run that is not kept. */
export const notKept: readonly string[] = [
  "run it at a terminal and answer there, or take `durable: false` out of the chain or windlass.yaml",
];

interface Telling {
  readonly session: RunSession;
  readonly options: TellRunOptions;
}

function tellRunFailure(error: Failure, log: ExecutionLog, { session, options }: Telling): void {
  const { invocation, interrupts } = session;
  // Whoever stopped it here knows.
  if (log.status === "cancelled" && interrupts.code !== undefined) return;
  const message = log.error?.message ?? error.message;
  const failed = log.steps.findLast(({ id, status }) => status === "failed" && message.startsWith(`${id}:`));
  const why =
    failed === undefined
      ? `${commandLine(invocation, "show", log.chain_id)} shows what happened`
      : `${commandLine(invocation, "explain", log.chain_id, shellWord(failed.id))} tells why`;
  if (options.refused === true) return tellRefused(message, why, invocation);
  tellError(invocation.terminal, { message, code: codeOf(error), hints: options.durable ? [why] : [] });
}

/** How a run ended that somebody refused something. */
function tellRefused(message: string, why: string, { terminal }: Invocation): void {
  terminal.tell(`So the run has ended: ${oneLine(message)}`);
  terminal.tell(terminal.tint("dim", `  ${why}`));
}

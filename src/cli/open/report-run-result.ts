import type { Failure } from "../../base/index.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";
import type { ExecutionLog, RunResult } from "../../chain/index.ts";
import type { ChainRunResult } from "../remote/run-workspace.ts";
import type { ApprovalService } from "../../engine/index.ts";
import { argumentsLine, fittingLines } from "../approvals/show-approval.ts";
import { type ExitCode, exitCodes } from "../program/exit-codes.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { type Invocation, commandLine, shellWord } from "../program/invocation.ts";
import { listOpenApprovals } from "../../app/index.ts";
import { describeApproval, isAgentCall } from "../approvals/describe-approval.ts";
import { codeOf, reportFormattedError } from "../program/report-error.ts";
import type { RunSession } from "./run-session.ts";
import { summaryLine } from "../terminal/run-view/summary-line.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Style } from "../terminal/terminal.ts";

/** Options for reporting a run. */
export interface ReportRunOptions {
  /** True if the run is durable. */
  readonly durable: boolean;
  /** The run's approvals. Default: those of the workspace. */
  readonly approvals?: Pick<ApprovalService, "list">;
  /** True if an approval was rejected and the run ended because of it: the command itself did not fail. */
  readonly refused?: boolean;
  readonly isDryRun?: boolean;
  /** Additional fields of the log that `--json` prints. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Prints the output of a run, reports its status and what to do next; returns the exit code. */
export async function reportRunResult(
  result: ChainRunResult,
  session: RunSession,
  options: ReportRunOptions,
): Promise<ExitCode> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const log = result.log();
  const tint = (style: Style, text: string): string => terminal.tint(style, text);
  terminal.log(summaryLine(log, tint, { isInterrupted: true, isDryRun: options.isDryRun === true }));
  if (invocation.flag("json")) terminal.print(safeJson({ ...log, ...options.extra }));
  // The output is printed as in the log, with secrets redacted.
  else if (result.success && !invocation.flag("events")) terminal.print(safeJson(log.output));
  reportCompensation(log, session);
  if (result.status === "waiting") await reportWaits(result.runId, log, { session, options });
  else if (result.status === "running") reportReleasedRun(result.runId, session);
  else if (result.error !== undefined) reportRunFailure(result.error, log, { session, options });
  return interrupts.code !== undefined && !result.success ? interrupts.code : runExitCode(result);
}

/** Reports the compensations of a run. */
export function reportCompensation(log: ExecutionLog, { invocation: { terminal } }: RunSession): void {
  for (const { id, compensation } of log.steps) {
    if (compensation === undefined) continue;
    const why = compensation.error === undefined ? "" : `: ${toOneLine(compensation.error.message)}`;
    const report =
      compensation.status === "success" ? `undone: ${toOneLine(id)}` : `not undone: ${toOneLine(id)}${why}`;
    terminal.log(terminal.tint(compensation.status === "success" ? "dim" : "red", `  ${report}`));
  }
}

/** Exit code for a run. */
export function runExitCode({ status, error }: Pick<RunResult, "status" | "error">): ExitCode {
  switch (status) {
    case "success":
      return exitCodes.ok;
    case "waiting":
      return exitCodes.waiting;
    case "failed":
      if (error?.reason === "not_trusted") return exitCodes.usage;
      return error?.code === "timeout" ? exitCodes.timeout : exitCodes.failed;
    case "cancelled":
    case "running":
      return exitCodes.failed;
    default:
      return status satisfies never;
  }
}

interface Reporting {
  readonly session: RunSession;
  readonly options: ReportRunOptions;
}

/** Lists the times, events and approvals that a run of a chain waits for. */
async function reportWaits(runId: string, log: ExecutionLog, { session, options }: Reporting): Promise<void> {
  const { invocation, workspace, language } = session;
  const { terminal } = invocation;
  const words = cliTexts[language].approvals;
  const waits = log.steps.flatMap(({ id, waits_for: open = [] }) => open.map((wait) => ({ step: id, ...wait })));
  if (waits.length === 0) return reportPendingApprovals(runId, session, options);
  for (const { step, event, until } of waits) {
    const lead = `${terminal.tint("yellow", words.waiting)} `;
    const named = event === undefined ? undefined : toOneLine(event);
    logWrapped(words.externalWait({ step: toOneLine(step), event: named, until }), terminal, { lead });
    if (named === undefined) continue;
    const send = commandLine(invocation, "event", runId, shellWord(named), "DATA");
    logWrapped(words.sendEvent(send), terminal, { lead: "  ", style: "dim" });
  }
  logWrapped(words.continuedBy(commandLine(invocation, "resume", runId)), terminal, { lead: "  ", style: "dim" });
  const pending = await listOpenApprovals({ approvals: workspace.approvals, store: workspace.store }, runId);
  if (pending.length > 0) await reportPendingApprovals(runId, session, options);
}

/** Lists the pending approvals of a run, with their ids and exact arguments. */
export async function reportPendingApprovals(
  runId: string,
  { invocation, workspace, language }: RunSession,
  { durable, approvals = workspace.approvals }: ReportRunOptions,
): Promise<void> {
  const { terminal } = invocation;
  const words = cliTexts[language].approvals;
  const pending = await listOpenApprovals({ approvals, store: workspace.store }, runId);
  if (pending.length === 0)
    return logWrapped(words.awaitsWorker(runId, commandLine(invocation, "resume", runId)), terminal);
  const lead = `${terminal.tint("yellow", words.waiting)} `;
  logWrapped(words.needs(runId, pending.length), terminal, { lead });
  for (const approval of pending) {
    const { id, tool, args } = approval;
    logWrapped(describeApproval(approval, words), terminal, { lead: "  " });
    const seeAll = commandLine(invocation, "approvals", id);
    const shown =
      terminal.screen === undefined
        ? argumentsLine(args, seeAll)
        : fittingLines(safeJson(args, 0), terminal, { tool, words, seeAll, among: pending.length }).join("\n    ");
    terminal.log(`    ${terminal.tint("bold", toOneLine(tool))} ${shown}`);
    if (durable) terminal.log(`    ${terminal.tint("cyan", commandLine(invocation, "approve", id))}`);
  }
  const kind = pending.every(isAgentCall) ? "agent" : ((await workspace.store?.runs.read(runId))?.run.kind ?? "chain");
  if (durable) logWrapped(words.afterwards(kind), terminal, { lead: "  ", style: "dim" });
  else
    reportFormattedError(terminal, {
      message: "the run is not durable, so it cannot wait for an approval",
      hints: notDurableHint,
    });
}

/** The process was terminated; another process can resume the run. */
export function reportReleasedRun(runId: string, { invocation }: RunSession): void {
  const { terminal } = invocation;
  const how = terminal.tint("cyan", commandLine(invocation, "resume", runId));
  const what =
    invocation.server === undefined
      ? "is suspended; nothing was rolled back. Continue with"
      : "continues on the server. Follow it with";
  terminal.log(`Run ${runId} ${what}: ${how}`);
}

/** Hint for an approval in a run that is not durable. */
export const notDurableHint: readonly string[] = [
  "run it at a terminal and approve there, or remove `durable: false` from the chain or windlass.yaml",
];

function reportRunFailure(
  error: Failure,
  log: ExecutionLog,
  { session, options }: { readonly session: RunSession; readonly options: ReportRunOptions },
): void {
  const { invocation, interrupts } = session;
  // The user who cancelled it here already knows.
  if (log.status === "cancelled" && interrupts.code !== undefined) return;
  const message = log.error?.message ?? error.message;
  const failed = log.steps.findLast(({ id, status }) => status === "failed" && message.startsWith(`${id}:`));
  const why =
    failed === undefined
      ? `for details: ${commandLine(invocation, "show", log.chain_id)}`
      : `for details: ${commandLine(invocation, "explain", log.chain_id, shellWord(failed.id))}`;
  if (options.refused === true) return reportRejectedRun(message, why, invocation);
  reportFormattedError(invocation.terminal, { message, code: codeOf(error), hints: options.durable ? [why] : [] });
}

/** Reports the end of a run after a rejected approval. */
export function reportRejectedRun(message: string, why: string, { terminal }: Invocation): void {
  terminal.log(`The run ended: ${toOneLine(message)}`);
  terminal.log(terminal.tint("dim", `  ${why}`));
}

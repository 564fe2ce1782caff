import { toWireCall } from "../../app/index.ts";
import type { Failure } from "../../base/index.ts";
import type { DurableCallResult } from "../../run/index.ts";
import { redactFailure } from "../../secrets/index.ts";
import type { StoredRun } from "../../store/index.ts";
import { showWaiting } from "../open/show-waiting.ts";
import {
  reportPendingApprovals,
  reportRejectedRun,
  reportReleasedRun,
  runExitCode,
} from "../open/report-run-result.ts";
import { type RunSession, executeOptions } from "../open/run-session.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { codeOf, reportFormattedError } from "../program/report-error.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { statusLine } from "../terminal/run-view/summary-line.ts";
import { safeJson } from "../terminal/safe-json.ts";
import {
  type ReportResumedOptions,
  type RunKindCommands,
  type ShownRun,
  reportCancelledCalls,
  reportWhatItWaitsFor,
  requireRun,
} from "./run-kind.ts";

/** Commands for durable calls. */
export const callRuns: RunKindCommands<DurableCallResult> = {
  resume: resumeCall,
  report: reportCall,
  inspect: ({ calls }, id) => calls.inspect(id),
  cancel: ({ calls }, id, by) => calls.cancel(id, by),
  reportCancelled: async (result, session, cancelled) =>
    reportCancelledCalls(toWireCall(result, cancelled.run, session.workspace), session, cancelled),
  show: showCall,
  repeat: (run, { engine }) => ["call", run.name, "--args", engine.redactor.text(run.input)],
};

async function resumeCall(session: RunSession, { id, name }: StoredRun): Promise<DurableCallResult> {
  const { invocation, workspace } = session;
  const waiting = showWaiting(workspace, invocation.terminal, name);
  const onProgress = (value: unknown): void => {
    const reported = workspace.engine.redactor.known(value);
    if (invocation.flag("events")) printEvent(session, "call_progress", { run_id: id, value: reported });
    else waiting.progress(reported);
  };
  session.runId = id;
  try {
    return await workspace.calls.resume(id, { ...executeOptions(session, waiting, { durable: true }), onProgress });
  } finally {
    session.runId = undefined;
    waiting.stop();
  }
}

function printEvent({ invocation }: RunSession, type: string, rest: Readonly<Record<string, unknown>>): void {
  invocation.terminal.print(safeJson({ type, at: new Date().toISOString(), ...rest }, 0));
}

async function reportCall(
  call: DurableCallResult,
  session: RunSession,
  { refused = false, extra = {} }: ReportResumedOptions,
): Promise<ExitCode> {
  const { invocation, workspace, interrupts } = session;
  const { terminal } = invocation;
  const { runId, status, result } = call;
  const run = await requireRun(workspace, { id: runId, invocation });
  terminal.log(statusLine(toStatus(run), (style, text) => terminal.tint(style, text), true));
  printCall(call, session, { ...toWireCall(call, run, workspace), ...extra });
  const error = result?.success === false ? redactFailure(result.error, workspace.engine.redactor.text) : undefined;
  // The user who cancelled it here already knows.
  if (status === "waiting") await reportPendingApprovals(runId, session, { durable: true });
  else if (status === "running") reportReleasedRun(runId, session);
  else if (error !== undefined && (status !== "cancelled" || interrupts.code === undefined))
    reportFailure(error, { runId, invocation, refused });
  return interrupts.code !== undefined && status !== "success" ? interrupts.code : runExitCode({ status, error });
}

function reportFailure(
  error: Failure,
  {
    runId,
    invocation,
    refused,
  }: { readonly runId: string; readonly invocation: Invocation; readonly refused: boolean },
): void {
  const { message } = error;
  const why = `for details: ${commandLine(invocation, "show", runId)}`;
  if (refused) reportRejectedRun(message, why, invocation);
  else reportFormattedError(invocation.terminal, { message, code: codeOf(error), hints: [why] });
}

/** Prints the output of a call that succeeded; all of the call as JSON if that is requested. */
function printCall({ result }: DurableCallResult, session: RunSession, wire: Readonly<Record<string, unknown>>): void {
  const { invocation, workspace } = session;
  const { terminal } = invocation;
  if (invocation.flag("json")) terminal.print(safeJson(wire));
  else if (invocation.flag("events")) printEvent(session, "run_finished", wire);
  else if (result?.success === true) terminal.print(safeJson(workspace.engine.redactor.value(result.output)));
}

function toStatus({ name, status, startedAt, finishedAt = Date.now() }: StoredRun): Parameters<typeof statusLine>[0] {
  return { name, status, duration_ms: finishedAt - startedAt };
}

/** Shows the tool, its arguments and its result. */
async function showCall(invocation: Invocation, shown: ShownRun): Promise<void> {
  const { terminal } = invocation;
  const { workspace, run, isInterrupted } = shown;
  const { redactor } = workspace.engine;
  const call = await workspace.calls.inspect(run.id);
  if (invocation.flag("json")) return terminal.print(safeJson(toWireCall(call, run, workspace)));
  terminal.print(`${terminal.paint("bold", toOneLine(run.name))}  ${terminal.paint("dim", run.id)}`);
  terminal.print(`  args ${safeJson(redactor.value(JSON.parse(run.input)), 0)}`);
  if (call.result?.success === true) terminal.print(`  output ${safeJson(redactor.value(call.result.output), 0)}`);
  terminal.print(statusLine(toStatus(run), (style, text) => terminal.paint(style, text), isInterrupted));
  if (call.result?.success === false) {
    terminal.print(`  ${call.result.error.code}: ${toOneLine(redactor.text(call.result.error.message))}`);
  }
  await reportWhatItWaitsFor(invocation, shown);
}

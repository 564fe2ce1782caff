import { isFailureError } from "../../../base/index.ts";
import type { RunResult } from "../../../chain/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { runKindOf, withRun } from "../../open/find-run.ts";
import { commandLine } from "../../program/invocation.ts";
import { requireTrust } from "../../open/open-here.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { type RunSession, followRun, withRuns } from "../../open/run-session.ts";
import { summaryLine } from "../../terminal/run-view/summary-line.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { reportCompensation, reportPendingApprovals } from "../../open/report-run-result.ts";
import { userName } from "../../terminal/user-name.ts";

/** Time to wait for a run that another process holds. */
const cancelWaitMs = 10_000;
const pollIntervalMs = 100;

/** `windlass cancel`. */
export const cancelRun: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    // Its compensations may need any tool.
    requireTrust(session.workspace);
    if ((await runKindOf(session.workspace, id)) === "agent") {
      const { cancelAgentRun } = await import("../../open/resume-agent-run.ts");
      return cancelAgentRun(session, id);
    }
    const { runs } = session.workspace;
    const request = await withRun(runs, { id, invocation }, () => runs.cancel(id, userName()));
    try {
      const result = request ? await stop(session, id) : await runs.inspect(id);
      return await reportCancelled(result, session, request);
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_changed" || error.reason !== "cancelled") throw error;
      // The run has already ended; nothing else is known about it.
      reportFormattedError(invocation.terminal, { message: error.message, code: error.code });
      return exitCodes.ok;
    }
  });

/**
 * Cancels the run here if no process holds it, and runs its compensations; otherwise waits for the process that holds
 * it.
 */
async function stop(session: RunSession, id: string): Promise<RunResult> {
  const { runs } = session.workspace;
  try {
    return await followRun(session, { durable: true }, (how) => runs.resume(id, how));
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_held") throw error;
  }
  const until = performance.now() + cancelWaitMs;
  for (;;) {
    const { run } = await runs.read(id);
    if (run.status !== "running" || performance.now() > until || session.interrupts.code !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return runs.inspect(id);
}

async function reportCancelled(result: RunResult, session: RunSession, request: boolean): Promise<ExitCode> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const { runId, status } = result;
  const log = result.log();
  if (invocation.flag("json")) terminal.print(safeJson(log));
  if (!request) terminal.log(`Run ${runId} had already ended.`);
  else if (status === "running") {
    const show = commandLine(invocation, "show", runId);
    terminal.log(`Run ${runId} is being cancelled; check progress with: ${show}`);
    return interrupts.code ?? exitCodes.ok;
  }
  terminal.log(summaryLine(log, (style, text) => terminal.tint(style, text)));
  if (request) reportCompensation(log, session);
  if (status === "waiting") {
    await reportPendingApprovals(runId, session, { durable: true });
    return exitCodes.waiting;
  }
  return status === "cancelled" ? exitCodes.ok : exitCodes.failed;
}

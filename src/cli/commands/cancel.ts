import { isFailureError } from "../../base/index.ts";
import type { RunResult } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withRun } from "../find-run.ts";
import { isOfAgent } from "../is-of-agent.ts";
import { commandLine } from "../invocation.ts";
import { tellError } from "../report-error.ts";
import { type RunSession, followRun, withRuns } from "../run-session.ts";
import { summaryLine } from "../run-view/summary-line.ts";
import { safeJson } from "../safe-json.ts";
import { tellUndone, tellWaiting } from "../tell-run.ts";
import { userName } from "../user-name.ts";

/** How long a run that another process executes is waited for. */
const patienceMs = 10_000;
const lookMs = 100;

/** `windlass cancel`. */
export const cancelRun: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    if (await isOfAgent(session.workspace, id)) {
      const { cancelAgent } = await import("../go-on-with-agent.ts");
      return cancelAgent(session, id);
    }
    const { runs } = session.workspace;
    const asked = await withRun(runs, { id, invocation }, () => runs.cancel(id, userName()));
    try {
      const result = asked ? await stop(session, id) : await runs.inspect(id);
      return await tellCancelled(result, session, asked);
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_changed" || error.reason !== "cancelled") throw error;
      // It is over, and that is all that can be said of it.
      tellError(invocation.terminal, { message: error.message, code: error.code });
      return exitCodes.ok;
    }
  });

/** Stops it here when nobody executes it, undoing what has to be undone; else waits for who does. */
async function stop(session: RunSession, id: string): Promise<RunResult> {
  const { runs } = session.workspace;
  try {
    return await followRun(session, { durable: true }, (how) => runs.resume(id, how));
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_held") throw error;
  }
  const until = performance.now() + patienceMs;
  for (;;) {
    const { run } = await runs.read(id);
    if (run.status !== "running" || performance.now() > until || session.interrupts.code !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return runs.inspect(id);
}

async function tellCancelled(result: RunResult, session: RunSession, asked: boolean): Promise<ExitCode> {
  const { invocation, interrupts } = session;
  const { terminal } = invocation;
  const { runId, status } = result;
  const log = result.log();
  if (invocation.flag("json")) terminal.print(safeJson(log));
  if (!asked) terminal.tell(`Run ${runId} was over already.`);
  else if (status === "running") {
    const show = commandLine(invocation, "show", runId);
    terminal.tell(`Run ${runId} is told to stop, and still does; ${show} shows how far it is`);
    return interrupts.code ?? exitCodes.ok;
  }
  terminal.tell(summaryLine(log, (style, text) => terminal.tint(style, text)));
  if (asked) tellUndone(log, session);
  if (status === "waiting") {
    await tellWaiting(runId, session, { durable: true });
    return exitCodes.waiting;
  }
  return status === "cancelled" ? exitCodes.ok : exitCodes.failed;
}

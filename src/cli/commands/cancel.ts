import { isFailureError } from "../../base/index.ts";
import type { RunResult } from "../../chain/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withRun } from "../find-run.ts";
import { type Invocation, commandLine } from "../invocation.ts";
import { type RunSession, followRun, withRuns } from "../run-session.ts";
import { summaryLine } from "../run-view/summary-line.ts";
import { safeJson } from "../safe-json.ts";
import { userName } from "../user-name.ts";

/** How long a run that another process executes is waited for. */
const patienceMs = 10_000;
const lookMs = 100;

/** `windlass cancel`. */
export const cancelRun: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    const { runs } = session.workspace;
    const asked = await withRun(runs, { id, invocation }, () => runs.cancel(id, userName()));
    const result = asked ? await stop(session, id) : await runs.inspect(id);
    return tellCancelled(result, { asked, invocation });
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
    if (run.status !== "running" || performance.now() > until || session.interrupts.signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return runs.inspect(id);
}

interface Setting {
  readonly asked: boolean;
  readonly invocation: Invocation;
}

function tellCancelled(result: RunResult, { asked, invocation }: Setting): ExitCode {
  const { terminal } = invocation;
  const log = result.log();
  if (invocation.flag("json")) terminal.print(safeJson(log));
  if (!asked) terminal.tell(`Run ${result.runId} was over already.`);
  else if (result.status === "running") {
    const show = commandLine(invocation, "show", result.runId);
    terminal.tell(`Run ${result.runId} is told to stop, and still does; ${show} shows how far it is`);
    return exitCodes.ok;
  }
  terminal.tell(summaryLine(log, (style, text) => terminal.tint(style, text)));
  return result.status === "cancelled" ? exitCodes.ok : exitCodes.failed;
}

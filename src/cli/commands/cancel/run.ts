import { isFailureError } from "../../../base/index.ts";
import type { StoredRun } from "../../../store/index.ts";
import { requireTrust } from "../../open/open-here.ts";
import { type RunSession, withRuns } from "../../open/run-session.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { type RunKindCommands, commandsFor, requireRun } from "../../run-kinds/run-kind.ts";
import { userName } from "../../terminal/user-name.ts";

/** `windlass cancel`. */
export const cancel: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    // Its compensations may need any tool.
    requireTrust(session.workspace);
    try {
      return await cancelRun(session, id);
    } catch (error) {
      if (!isFailureError(error) || error.code !== "run_changed" || error.reason !== "cancelled") throw error;
      // The run has already ended; nothing else is known about it.
      reportFormattedError(invocation.terminal, { message: error.message, code: error.code });
      return exitCodes.ok;
    }
  });

/** Time to wait for a run that another process holds. */
const cancelWaitMs = 10_000;
const pollIntervalMs = 100;

/**
 * Cancels a run of any kind here if no process holds it, with its compensations; otherwise waits for the process that
 * holds it.
 */
async function cancelRun(session: RunSession, id: string): Promise<ExitCode> {
  const { workspace, invocation } = session;
  const before = await requireRun(workspace, { id, invocation });
  const commands = await commandsFor(before);
  const isRequested = await commands.cancel(workspace, id, userName());
  const result = await (isRequested ? resumeOrWait(session, before, commands) : commands.inspect(workspace, id));
  const run = await requireRun(workspace, { id, invocation });
  return commands.reportCancelled(result, session, { isRequested, run });
}

async function resumeOrWait(session: RunSession, run: StoredRun, commands: RunKindCommands<unknown>): Promise<unknown> {
  const { workspace, interrupts } = session;
  try {
    return await commands.resume(session, run);
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_held") throw error;
  }
  const until = performance.now() + cancelWaitMs;
  while (performance.now() < until && interrupts.code === undefined) {
    if ((await workspace.store?.runs.read(run.id))?.run.status !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return commands.inspect(workspace, run.id);
}

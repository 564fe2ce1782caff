import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { commandLine } from "../../program/invocation.ts";
import { requireTrust } from "../../open/open-here.ts";
import { type RunSession, withRuns } from "../../open/run-session.ts";
import { requireRun, resumeRun } from "../../run-kinds/run-kind.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { readJsonOption } from "../call/read-arguments.ts";

/** `windlass event`. */
export const sendEvent: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [word = "", name = "", text] = invocation.words;
    const { terminal } = invocation;
    const run = await requireRun(session.workspace, { id: word, invocation });
    const data = text === undefined ? null : await readJsonOption(text, "DATA");
    const event = await session.workspace.runs.deliver(run.id, { name, data, id: invocation.text("id") });
    const wire = { run_id: run.id, name, event_id: event.id, repeated: event.isRepeated };
    if (invocation.flag("json")) terminal.print(safeJson(wire));
    const again = event.isRepeated ? "had been delivered before; nothing has changed" : "delivered";
    terminal.log(`Event ${toOneLine(name)} (${toOneLine(event.id)}) ${again}.`);
    return continueRun(session, run.id);
  });

/** Continues the run in this process if the event has woken it, unless a server does. */
async function continueRun(session: RunSession, runId: string): Promise<ExitCode> {
  const { invocation, local } = session;
  const [state] = (await local?.store?.runs.updates([{ runId }])) ?? [];
  if (local === undefined || state?.status !== "waiting" || state.isSuspended) return exitCodes.ok;
  if (invocation.flag("resume") && !invocation.flag("json")) {
    requireTrust(local);
    return resumeRun(session, runId);
  }
  invocation.terminal.log(
    invocation.terminal.tint("dim", `resume the run with: ${commandLine(invocation, "resume", runId)}`),
  );
  return exitCodes.ok;
}

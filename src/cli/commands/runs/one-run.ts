import { type Explanation, explainRun } from "../../../app/index.ts";
import { isFailureError } from "../../../base/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { requireTrust } from "../../open/open-here.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { type RunSession, withRuns } from "../../open/run-session.ts";
import {
  resumeRun,
  withInspectedRun,
  commandsFor,
  type RunKindCommands,
  requireRun,
} from "../../run-kinds/run-kind.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { readJsonOption } from "../call/read-arguments.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { StoredRun } from "../../../store/index.ts";
import { userName } from "../../terminal/user-name.ts";

/** `windlass resume`. */
export const resumeRuns: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id] = invocation.words;
    requireTrust(session.workspace);
    warnUnmatchedRules(session.workspace, invocation);
    if (id !== undefined) return resumeRun(session, id);
    if (invocation.flag("json") || invocation.flag("events")) {
      throw new UsageError("--json and --events require a RUN");
    }
    return resumeAll(session);
  });

/** Resumes every run whose process has died, one after another; a failure does not stop the rest. */
async function resumeAll(session: RunSession): Promise<ExitCode> {
  const { terminal } = session.invocation;
  const left = await session.workspace.runs.list({ abandoned: true, limit: 1000 });
  if (left.length === 0) {
    terminal.log("No interrupted runs.");
    return exitCodes.ok;
  }
  terminal.log(`Resuming ${formatCount(left.length, "run")}.`);
  let worst: ExitCode = exitCodes.ok;
  // Oldest first.
  for (const { id } of left.toReversed()) {
    const code = await resumeOne(session, id);
    if (session.interrupts.code !== undefined) return session.interrupts.code;
    if (severity(code) > severity(worst)) worst = code;
  }
  return worst;
}

async function resumeOne(session: RunSession, id: string): Promise<ExitCode> {
  try {
    return await resumeRun(session, id);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    // Another process claimed it first.
    if (error.code === "run_held") return exitCodes.ok;
    reportFormattedError(session.invocation.terminal, { message: `run ${id}: ${error.message}`, code: error.code });
    return exitCodes.failed;
  }
}

/** A failure is worse than a pending approval. */
function severity(code: ExitCode): number {
  return code === exitCodes.ok ? 0 : code === exitCodes.waiting ? 1 : 2;
}

/** `windlass show`. */
export const showRun: RunCommand = (invocation) =>
  withInspectedRun(invocation, async (inspected) => (await commandsFor(inspected.run)).show(invocation, inspected));

/** `windlass explain`. */
export const explain: RunCommand = (invocation) =>
  withInspectedRun(invocation, async (inspected) => {
    const [, step = ""] = invocation.words;
    const approveCommand = (id: string): string => commandLine(invocation, "approve", shellWord(id));
    const explanations = await explainRun(inspected, step, { approveCommand });
    if (!invocation.flag("json")) return printSentences(invocation, explanations);
    const facts = explanations.map((each) => ({ ...(each.step !== undefined && { step: each.step }), ...each.fact }));
    const sentences = explanations.map(({ sentence }) => sentence);
    const about = { run_id: inspected.run.id, ...(step !== "" && { step }) };
    invocation.terminal.print(safeJson({ ...about, sentences, facts }));
  });

function printSentences({ terminal }: Invocation, explanations: readonly Explanation[]): void {
  for (const { sentence } of explanations) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}

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
  const { invocation, workspace } = session;
  const [state] = (await workspace.store?.runs.updates([{ runId }])) ?? [];
  if (state?.status !== "waiting" || state.isSuspended) return exitCodes.ok;
  if (invocation.flag("resume") && !invocation.flag("json")) {
    requireTrust(workspace);
    return resumeRun(session, runId);
  }
  invocation.terminal.log(
    invocation.terminal.tint("dim", `resume the run with: ${commandLine(invocation, "resume", runId)}`),
  );
  return exitCodes.ok;
}

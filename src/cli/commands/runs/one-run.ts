import { explainRun } from "../../../app/index.ts";
import { isFailureError } from "../../../base/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { requireTrust } from "../../open/open-here.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { type RunSession, checkLocal, withRuns } from "../../open/run-session.ts";
import {
  resumeRun,
  withInspectedRun,
  withShownRun,
  commandsFor,
  type RunKindCommands,
  requireRun,
} from "../../run-kinds/run-kind.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { StoredRun } from "../../../store/index.ts";
import { userName } from "../../terminal/user-name.ts";

/** `windlass resume`. */
export const resumeRuns: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id] = invocation.words;
    checkLocal(session);
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
  withShownRun(invocation, async (shown) => (await commandsFor(shown.run)).show(invocation, shown));

/** `windlass explain`. */
export const explain: RunCommand = async (invocation) => {
  const [id = "", step = ""] = invocation.words;
  const { sentences, facts } = await (invocation.server === undefined
    ? explainHere(invocation, step)
    : explainRemote(invocation, { id, step }));
  if (!invocation.flag("json")) return printSentences(invocation, sentences);
  invocation.terminal.print(safeJson({ run_id: id, ...(step !== "" && { step }), sentences, facts }));
};

/** Sentences about a run, with the facts that they state. */
interface WireExplanation {
  readonly sentences: readonly string[];
  readonly facts: readonly object[];
}

function explainHere(invocation: Invocation, step: string): Promise<WireExplanation> {
  return withInspectedRun(invocation, async (inspected) => {
    const approveCommand = (id: string): string => commandLine(invocation, "approve", shellWord(id));
    const explanations = await explainRun(inspected, step, { approveCommand });
    const facts = explanations.map((each) => ({ ...(each.step !== undefined && { step: each.step }), ...each.fact }));
    return { sentences: explanations.map(({ sentence }) => sentence), facts };
  });
}

function explainRemote(
  invocation: Invocation,
  { id, step }: { readonly id: string; readonly step: string },
): Promise<WireExplanation> {
  return withShownRun(invocation, async () => {
    const { api } = (await import("../../remote/open-remote.ts")).openRemote(invocation);
    return api.send("explain_run", { params: { id }, query: { language: "en", ...(step !== "" && { step }) } });
  });
}

function printSentences({ terminal }: Invocation, sentences: readonly string[]): void {
  for (const sentence of sentences) {
    const lines = terminal.columns === undefined ? [sentence] : wrapText(sentence, terminal.columns);
    for (const line of lines) terminal.print(line);
  }
}

/** `windlass cancel`. */
export const cancel: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    // Its compensations may need any tool.
    if (session.local !== undefined) requireTrust(session.local);
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

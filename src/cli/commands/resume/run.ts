import { isFailureError } from "../../../base/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { requireTrust } from "../../open/open-here.ts";
import { reportFormattedError } from "../../program/report-error.ts";
import { type RunSession, withRuns } from "../../open/run-session.ts";
import { resumeRun } from "../../run-kinds/run-kind.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";

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

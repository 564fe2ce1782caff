import type { RunResult } from "../../chain/index.ts";
import { isFailureError } from "../../base/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withRun } from "../find-run.ts";
import { formatCount } from "../format-figures.ts";
import { isOfAgent } from "../is-of-agent.ts";
import { tellError } from "../report-error.ts";
import { type RunSession, followRun, withRuns } from "../run-session.ts";
import { tellRun } from "../tell-run.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass resume`. */
export const resumeRuns: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id] = invocation.words;
    tellUnguarded(session.workspace, invocation);
    if (id !== undefined) return resumeAny(session, id);
    if (invocation.flag("json") || invocation.flag("events")) {
      throw new UsageError("--json and --events are for one run: name it");
    }
    return resumeAll(session);
  });

/** Goes on with a run in this process, and shows it. */
export function resume(session: RunSession, id: string): Promise<RunResult> {
  const { runs } = session.workspace;
  return withRun(runs, { id, invocation: session.invocation }, () =>
    followRun(session, { durable: true }, (how) => runs.resume(id, how)),
  );
}

/** Goes on with a run, of a chain or of an agent, and tells what came of it. */
async function resumeAny(session: RunSession, id: string): Promise<ExitCode> {
  if (await isOfAgent(session.workspace, id)) {
    const { goOnWithAgent } = await import("../go-on-with-agent.ts");
    return goOnWithAgent(session, id);
  }
  return tellRun(await resume(session, id), session, { durable: true });
}

/** Goes on with every run whose process is gone, one after the other; one that cannot does not stop the rest. */
async function resumeAll(session: RunSession): Promise<ExitCode> {
  const { terminal } = session.invocation;
  const left = await session.workspace.runs.list({ abandoned: true, limit: 1000 });
  if (left.length === 0) {
    terminal.tell("No run was interrupted; there is nothing to go on with.");
    return exitCodes.ok;
  }
  terminal.tell(`Going on with ${formatCount(left.length, "run")}.`);
  let worst: ExitCode = exitCodes.ok;
  // The oldest first, as they began.
  for (const { id } of left.toReversed()) {
    const code = await resumeOne(session, id);
    if (session.interrupts.code !== undefined) return session.interrupts.code;
    if (severity(code) > severity(worst)) worst = code;
  }
  return worst;
}

async function resumeOne(session: RunSession, id: string): Promise<ExitCode> {
  try {
    return await resumeAny(session, id);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    // Somebody else was faster.
    if (error.code === "run_held") return exitCodes.ok;
    tellError(session.invocation.terminal, { message: `run ${id}: ${error.message}`, code: error.code });
    return exitCodes.failed;
  }
}

/** A failure is worse than a question that is open. */
function severity(code: ExitCode): number {
  return code === exitCodes.ok ? 0 : code === exitCodes.waiting ? 1 : 2;
}

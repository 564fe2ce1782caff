import type { AgentResult } from "../../agent/index.ts";
import { isFailureError } from "../../base/index.ts";
import { followAgent } from "./agent-session.ts";
import { type ExitCode, exitCodes } from "../program/exit-codes.ts";
import { commandLine } from "../program/invocation.ts";
import type { RunSession } from "./run-session.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { reportAgentResult } from "./report-agent-result.ts";
import { userName } from "../terminal/user-name.ts";
import { toWireAgent } from "../wire/wire-agent-result.ts";

/** Resumes a run of an agent in this process, shows its progress, and prints its result. */
export async function resumeAgentRun(
  session: RunSession,
  id: string,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<ExitCode> {
  return reportAgentResult(await resumeAgent(session, id), session, extra);
}

async function resumeAgent(session: RunSession, id: string): Promise<AgentResult> {
  const runs = await session.workspace.agents();
  return followAgent(session, (how) => runs.resume(id, how));
}

/** Time to wait for a run that another process holds. */
const cancelWaitMs = 10_000;
const pollIntervalMs = 100;

/** `windlass cancel` for a run of an agent. */
export async function cancelAgentRun(session: RunSession, id: string): Promise<ExitCode> {
  const { invocation, workspace, interrupts } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const request = await runs.cancel(id, userName());
  const result = request ? await stop(session, id) : await runs.inspect(id);
  if (invocation.flag("json")) terminal.print(safeJson(toWireAgent(result, workspace.engine.redactor)));
  if (!request) {
    terminal.log(`Run ${id} had already ended.`);
    return result.status === "cancelled" ? exitCodes.ok : exitCodes.failed;
  }
  const status = (await workspace.store?.runs.read(id))?.run.status;
  if (status === "cancelled") {
    terminal.log(`Run ${id} is cancelled; the effects of its completed calls remain.`);
    return exitCodes.ok;
  }
  const show = commandLine(invocation, "show", id);
  const where = status === "running" ? "is being cancelled" : `has ended: ${status ?? "unknown"}`;
  terminal.log(`Run ${id} ${where}; for details: ${show}`);
  return status === "running" ? (interrupts.code ?? exitCodes.ok) : exitCodes.failed;
}

/** Cancels the run here if no process holds it; otherwise waits for the process that holds it. */
async function stop(session: RunSession, id: string): Promise<AgentResult> {
  const { workspace, interrupts } = session;
  try {
    return await resumeAgent(session, id);
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_held") throw error;
  }
  const until = performance.now() + cancelWaitMs;
  while (performance.now() < until && interrupts.code === undefined) {
    if ((await workspace.store?.runs.read(id))?.run.status !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return (await workspace.agents()).inspect(id);
}

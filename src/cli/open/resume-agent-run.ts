import type { AgentResult } from "../agent/index.ts";
import { isFailureError } from "../base/index.ts";
import { followAgent } from "./agent-session.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { commandLine } from "./invocation.ts";
import type { RunSession } from "./run-session.ts";
import { safeJson } from "./safe-json.ts";
import { tellAgent } from "./tell-agent.ts";
import { userName } from "./user-name.ts";
import { toWireAgent } from "./wire-agent.ts";

/** Goes on with a run of an agent in this process, shows it, and prints what came of it. */
export async function goOnWithAgent(
  session: RunSession,
  id: string,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<ExitCode> {
  return tellAgent(await resumeAgent(session, id), session, extra);
}

async function resumeAgent(session: RunSession, id: string): Promise<AgentResult> {
  const runs = await session.workspace.agents();
  return followAgent(session, (how) => runs.resume(id, how));
}

/** How long a run that another process executes is waited for. */
const patienceMs = 10_000;
const lookMs = 100;

/** `windlass cancel` for a run of an agent. */
export async function cancelAgent(session: RunSession, id: string): Promise<ExitCode> {
  const { invocation, workspace, interrupts } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const asked = await runs.cancel(id, userName());
  const result = asked ? await stop(session, id) : await runs.inspect(id);
  if (invocation.flag("json")) terminal.print(safeJson(toWireAgent(result, workspace.engine.redactor)));
  if (!asked) {
    terminal.tell(`Run ${id} was over already.`);
    return result.status === "cancelled" ? exitCodes.ok : exitCodes.failed;
  }
  const status = (await workspace.store?.runs.read(id))?.run.status;
  if (status === "cancelled") {
    terminal.tell(`Run ${id} is cancelled; what its calls have done stays done.`);
    return exitCodes.ok;
  }
  const show = commandLine(invocation, "show", id);
  const where = status === "running" ? "is told to stop, and still does" : `is over: ${status ?? "unknown"}`;
  terminal.tell(`Run ${id} ${where}; ${show} shows how far it came`);
  return status === "running" ? (interrupts.code ?? exitCodes.ok) : exitCodes.failed;
}

/** Stops it here when nobody executes it; else waits for who does. */
async function stop(session: RunSession, id: string): Promise<AgentResult> {
  const { workspace, interrupts } = session;
  try {
    return await resumeAgent(session, id);
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_held") throw error;
  }
  const until = performance.now() + patienceMs;
  while (performance.now() < until && interrupts.code === undefined) {
    if ((await workspace.store?.runs.read(id))?.run.status !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return (await workspace.agents()).inspect(id);
}

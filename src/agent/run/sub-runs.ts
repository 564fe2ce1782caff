import type { ApprovalStore } from "../../store/index.ts";
import type { AgentRuns } from "./agent-runs.ts";

/** Runs of agents that are tools, and wait for a person: whoever called them shares their questions, not their journal. */
const waiting = new WeakMap<ApprovalStore, Map<string, AgentRuns>>();

/** Notes whether the run of a called agent waits, so that its caller can end it. */
export function noteSubRun(runs: AgentRuns, runId: string, waits: boolean): void {
  const known = waiting.get(runs.approvals);
  if (!waits) known?.delete(runId);
  else if (known === undefined) waiting.set(runs.approvals, new Map([[runId, runs]]));
  else known.set(runId, runs);
}

/** Ends the run of an agent that was called by one of these: nobody will ask it again. */
export async function endSubRun(callers: AgentRuns, runId: string, by: string | undefined): Promise<void> {
  const runs = waiting.get(callers.approvals)?.get(runId) ?? callers;
  await runs.cancel(runId, by);
  noteSubRun(runs, runId, false);
}

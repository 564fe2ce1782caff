import type { ApprovalStore, RunReader } from "../store/index.ts";

/** A service that can cancel runs that it started. */
interface RunCanceller {
  readonly approvals: ApprovalStore;
  cancel(runId: string, by: string | undefined): Promise<unknown>;
}

/** Suspended runs of agents that were called as tools. Their callers share the approval store, but not the journal. */
const waiting = new WeakMap<ApprovalStore, Map<string, RunCanceller>>();

/** Tracks whether the run of a called agent is suspended, so that its caller can cancel it. */
export function trackSubRun(runs: RunCanceller, runId: string, waits: boolean): void {
  const known = waiting.get(runs.approvals);
  if (!waits) known?.delete(runId);
  else if (known === undefined) waiting.set(runs.approvals, new Map([[runId, runs]]));
  else known.set(runId, runs);
}

/** Cancels the run of an agent that one of these callers started and will not call again. */
export async function cancelSubRun(callers: RunCanceller, runId: string, by: string | undefined): Promise<void> {
  const runs = waiting.get(callers.approvals)?.get(runId) ?? callers;
  await runs.cancel(runId, by);
  trackSubRun(runs, runId, false);
}

/** A run, followed by the runs that called it, as far as the journal has them; the outermost last. */
export async function ancestorRunIds(journal: Pick<RunReader, "read">, runId: string): Promise<readonly string[]> {
  const found = await journal.read(runId);
  const by = found?.run.calledBy;
  if (by === undefined || (await journal.read(by)) === undefined) return [runId];
  return [runId, ...(await ancestorRunIds(journal, by))];
}

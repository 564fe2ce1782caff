import type { ApprovalStore, RunReader } from "../store/index.ts";

/** A service that can cancel runs that it started. */
interface RunCanceller {
  readonly approvals: ApprovalStore;
  has(runId: string): Promise<boolean>;
  cancel(runId: string, by: string | undefined): Promise<unknown>;
}

/**
 * Services with suspended runs of agents that were called as tools. Their callers share the approval store, but not the
 * journal. Weak, since a suspended run may never be resumed in this process.
 */
const services = new WeakMap<ApprovalStore, readonly WeakRef<RunCanceller>[]>();

/** Call when the run of a called agent is suspended, so that its caller can cancel it. */
export function noteSuspendedSubRun(runs: RunCanceller): void {
  const known = services.get(runs.approvals) ?? [];
  if (known.some((reference) => reference.deref() === runs)) return;
  const alive = known.filter((reference) => reference.deref() !== undefined);
  services.set(runs.approvals, [...alive, new WeakRef(runs)]);
}

/** Cancels the run of an agent that one of these callers started and will not call again. */
export async function cancelSubRun(callers: RunCanceller, runId: string, by: string | undefined): Promise<void> {
  const called = (services.get(callers.approvals) ?? []).map((reference) => reference.deref());
  for (const runs of new Set([callers, ...called])) {
    if (runs !== undefined && (await runs.has(runId))) return void (await runs.cancel(runId, by));
  }
}

/** A run, followed by the runs that called it, as far as the journal has them; the outermost last. */
export async function ancestorRunIds(journal: Pick<RunReader, "read">, runId: string): Promise<readonly string[]> {
  const found = await journal.read(runId);
  const by = found?.run.calledBy;
  if (by === undefined || (await journal.read(by)) === undefined) return [runId];
  return [runId, ...(await ancestorRunIds(journal, by))];
}

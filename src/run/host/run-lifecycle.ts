import type { JournaledCall } from "../../engine/index.ts";
import type { RunHost } from "../host.ts";
import type { LeasedRun, RunLeases } from "../leases/run-leases.ts";

/** Sources that can stop a run while it is executed. */
export interface RunLifecycleOptions {
  readonly leases?: Pick<RunLeases, "add" | "remove"> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The call of another run that this run is nested in: if that call is released, so is this run. */
  readonly step?: JournaledCall | undefined;
  /**
   * The person who requested the cancellation before the run was claimed: null if unnamed, undefined if it was not
   * cancelled.
   */
  readonly cancelledBy?: string | null | undefined;
}

/** Executes a run on its host, and closes the host afterwards so that no call, timer or listener remains. */
export async function withRunLifecycle<T>(
  host: Pick<RunHost, keyof LeasedRun | "close">,
  by: RunLifecycleOptions,
  execute: () => Promise<T>,
): Promise<T> {
  const { leases, signal, step, cancelledBy } = by;
  const cancel = (): void => (step?.isReleased === true ? host.releaseNow() : host.cancelRun(undefined));
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (cancelledBy !== undefined) host.cancelRun(cancelledBy ?? undefined);
  leases?.add(host);
  try {
    return await execute();
  } finally {
    signal?.removeEventListener("abort", cancel);
    leases?.remove(host);
    host.close();
  }
}

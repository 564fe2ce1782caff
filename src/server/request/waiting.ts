import type { Workspace } from "../../app/index.ts";
import { isFailureError } from "../../base/index.ts";
import type { RunWorker } from "./run-worker.ts";

/** Longer waits are cut: proxies close idle connections after a minute. */
const maxWaitSeconds = 55;

/** The time that a client wants to wait, from `Prefer: wait=30` (RFC 7240); 0 if it does not. */
export function preferredWaitMs(headers: Headers): number {
  const wait = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(headers.get("prefer") ?? "")?.[1];
  return Math.min(Number(wait ?? 0), maxWaitSeconds) * 1000;
}

/** True if a client wants the response before the work has ended: `Prefer: respond-async` (RFC 7240). */
export function prefersAsync(headers: Headers): boolean {
  return /(?:^|[,;])\s*respond-async\s*(?:$|[,;])/i.test(headers.get("prefer") ?? "");
}

/** The header with the preferences that a response follows. */
export function appliedPreferences(headers: Headers): Readonly<Record<string, string>> {
  const waitMs = preferredWaitMs(headers);
  const applied = [
    ...(prefersAsync(headers) ? ["respond-async"] : []),
    ...(waitMs > 0 ? [`wait=${waitMs / 1000}`] : []),
  ];
  return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") };
}

/** The run that a request waits for, and what ends its waiting. */
export interface Waiting {
  readonly workspace: Workspace;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly worker: RunWorker;
  /** Infinity: until the run has ended. */
  readonly waitMs: number;
}

/** Waits until a run has ended or waits for a person, the client has disconnected, the server stops, or the time is over. */
export async function waitForRun({ workspace, runId, signal, worker, waitMs }: Waiting): Promise<void> {
  if (waitMs === 0) return;
  const timeout = waitMs === Infinity ? [] : [AbortSignal.timeout(waitMs)];
  const stop = AbortSignal.any([signal, worker.stopping, ...timeout]);
  try {
    await workspace.runs.settled(runId, stop);
  } catch (error) {
    if (!isFailureError(error) || error.code !== "cancelled") throw error;
  }
}

import { type FailureError, fail } from "../base/index.ts";
import type { JournalEvent, RunStatus } from "./runs.ts";

/** An owner that was not heard of for longer has lost its runs, alive or not. */
export const ownerSilenceMs = 15_000;

/** Is a run in this state over for good? */
export function isOver(status: RunStatus): boolean {
  return status === "success" || status === "failed" || status === "cancelled";
}

const largeBytes = 256 * 1024;

/** Is this JSON so large that it is kept apart, and left out of lists? */
export function isLarge(json: string): boolean {
  // No character takes more than three bytes.
  return json.length * 3 > largeBytes && Buffer.byteLength(json) > largeBytes;
}

/** How many runs a list may hold: 100 where nothing is asked for, from 1 to 1,000. */
export function runLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return 100;
  return Math.min(1000, Math.max(1, Math.trunc(limit)));
}

/** What a write is answered with whose lease is no longer the run's. */
export function lostFailure(runId: string): FailureError {
  const message = `run ${runId} is no longer executed here: it ended, or another process has taken it over`;
  return fail(message, { code: "run_lost", reason: "stale_lease" });
}

/** What an event is answered with that does not follow the one before: a mistake of who writes it. */
export function gapFailure(runId: string, seq: number, last: number): FailureError {
  const message = `event ${seq} of run ${runId} does not follow event ${last}; nothing of it was written`;
  return fail(message, { code: "store_failed", reason: "journal_gap", retry: "never" });
}

/** Refuses events of a new run that do not count from 1 without gaps. */
export function checkNumbered(runId: string, events: readonly JournalEvent[]): void {
  for (const [last, { seq }] of events.entries()) if (seq !== last + 1) throw gapFailure(runId, seq, last);
}

import { type FailureError, fail } from "../base/index.ts";
import type { NewDelivery } from "./deliveries.ts";
import type { JournalEvent, RunLease, RunStatus } from "./run-journal.ts";

/** An owner without a sign of life for longer than this is gone, alive or not. */
export const leaseTimeoutMs = 15_000;

/** Maximum number of events that an observer of a run reads at once. */
export const eventsPerUpdate = 200;

/** Maximum number of external events of one run, consumed ones included. */
export const maxInboxEvents = 1000;

/** The subject of deliveries about the end of a run. A run that is reopened ends once more, under another lease. */
export function endSubject({ runId, epoch }: RunLease): string {
  return `${runId}/${epoch}`;
}

/** The deliveries of the end of a run to these channels. */
export function deliveriesOfEnd(lease: RunLease, channels: readonly string[], createdAt: number): NewDelivery[] {
  return channels.map((channel) => ({ channel, subject: endSubject(lease), createdAt }));
}

/** True if a run with this status is over for good. */
export function isFinished(status: RunStatus): boolean {
  return status === "success" || status === "failed" || status === "cancelled";
}

const largeBytes = 256 * 1024;

/** True if this JSON is so large that it is stored separately, and omitted from lists. */
export function isLargePayload(json: string): boolean {
  // A UTF-16 unit takes at most three bytes.
  return json.length * 3 > largeBytes && Buffer.byteLength(json) > largeBytes;
}

/** The text as it is written within a string of JSON. */
export function textInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Failure of a write whose lease is no longer valid. */
export function leaseLostFailure(runId: string): FailureError {
  const message = `run ${runId} is no longer held by this process: it ended, or another process claimed it`;
  return fail(message, { code: "run_lost", reason: "stale_lease" });
}

/** Failure of an event whose sequence number does not follow the last one, which is a bug of the writer. */
export function sequenceGapFailure(runId: string, seq: number, last: number): FailureError {
  const message = `event ${seq} of run ${runId} does not follow event ${last}; it was not written`;
  return fail(message, { code: "store_failed", reason: "journal_gap", retry: "never" });
}

/** Throws if the events of a new run do not count from 1 without gaps. */
export function checkSequence(runId: string, events: readonly JournalEvent[]): void {
  for (const [last, { seq }] of events.entries()) if (seq !== last + 1) throw sequenceGapFailure(runId, seq, last);
}

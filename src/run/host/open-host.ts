import type { Clock } from "../../base/index.ts";
import { ApprovalService, type JournaledCall, type RequestApproval } from "../../engine/index.ts";
import type { ApprovalStore, JournalEvent, RunLease } from "../../store/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import type { RunHost } from "../host.ts";
import type { RunCalls } from "../call-runner.ts";
import type { JournalSink } from "./journal-writer.ts";
import { JournalHost } from "./journal-host.ts";
import { RunApprovals } from "../approvals/run-approvals.ts";

/** Options of the host of a run, for any kind of interpreter. */
export interface OpenHostOptions {
  readonly lease: RunLease;
  readonly startedAt: number;
  /** Undefined for a run that is not durable and cannot be resumed. */
  readonly journal?: JournalSink | undefined;
  readonly events: readonly JournalEvent[];
  /** Undefined for a read-only replay. */
  readonly calls: RunCalls | undefined;
  readonly clock: Clock;
  /** The approval store, or a factory that is called for the first approval. */
  readonly approvals?: ApprovalStore | (() => ApprovalStore) | undefined;
  readonly principal?: string | undefined;
  readonly requestApproval?: RequestApproval | undefined;
  readonly redactor?: Pick<Redactor, "value" | "known"> | undefined;
  readonly waitForDecisions?: boolean | undefined;
  /** Lifetime of approvals for calls that were running when their process ended. Default: they do not expire. */
  readonly interruptedApprovalMs?: number | undefined;
  /** The call of another run that this run is nested in. */
  readonly step?: JournaledCall | undefined;
}

/** Creates the host of a run. */
export type OpenHost = (task: OpenHostOptions) => RunHost;

/** Creates the default host, which replays a journal and makes calls in this process. */
export function openHost(task: OpenHostOptions): JournalHost {
  const { lease, startedAt, journal, events, calls, clock, approvals } = task;
  const { principal, requestApproval, redactor } = task;
  // Approvers see the complete arguments, except for known secrets.
  const redact = redactor?.known ?? ((value: unknown) => value);
  return new JournalHost({
    lease,
    startedAt,
    journal,
    events,
    calls,
    clock,
    waitForDecisions: task.waitForDecisions ?? false,
    step: task.step,
    approvals:
      approvals === undefined || calls === undefined
        ? undefined
        : (sinks) => {
            const store = typeof approvals === "function" ? approvals() : approvals;
            return new RunApprovals({
              runId: lease.runId,
              approvals: new ApprovalService(store, clock),
              clock,
              principal,
              requestApproval,
              redact,
              interruptedMs: task.interruptedApprovalMs,
              ...sinks,
            });
          },
  });
}

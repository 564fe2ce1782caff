import type { Clock } from "../../base/index.ts";
import type { CallStep } from "../../engine/index.ts";
import type { ApprovalStore, JournalEvent, RunLease } from "../../store/index.ts";
import type { Redactor } from "../../text/index.ts";
import type { EventSink } from "./event-writer.ts";
import type { StepExecutor } from "./executor.ts";
import { JournalHost } from "./journal-host.ts";
import { type AskPerson, RunApprovals } from "./run-approvals.ts";

/** What the host of a run is made of, whatever is executed over it. */
export interface HostTask {
  readonly lease: RunLease;
  readonly startedAt: number;
  /** Absent for a run that nobody will take up again. */
  readonly journal?: EventSink | undefined;
  readonly events: readonly JournalEvent[];
  /** Absent for a look at what happened. */
  readonly executor: StepExecutor | undefined;
  readonly clock: Clock;
  /** Where questions to people are kept, or how to make it once there is one. */
  readonly approvals?: ApprovalStore | (() => ApprovalStore) | undefined;
  readonly principal?: string | undefined;
  readonly ask?: AskPerson | undefined;
  readonly redactor?: Pick<Redactor, "value" | "known"> | undefined;
  readonly stay?: boolean | undefined;
  /** The call of another run that this one is executed for. */
  readonly step?: CallStep | undefined;
}

/** The host of a run, with its past and its questions. */
export function openHost(task: HostTask): JournalHost {
  const { lease, startedAt, journal, events, executor, clock, approvals } = task;
  const { principal, ask, redactor } = task;
  // Whoever decides sees all that there is to decide on, but for what is known to be a secret.
  const redact = redactor?.known ?? ((value: unknown) => value);
  return new JournalHost({
    lease,
    startedAt,
    journal,
    events,
    executor,
    clock,
    stay: task.stay ?? false,
    step: task.step,
    approvals:
      approvals === undefined || executor === undefined
        ? undefined
        : (sinks) => {
            const store = typeof approvals === "function" ? approvals() : approvals;
            return new RunApprovals({ runId: lease.runId, store, clock, principal, ask, redact, ...sinks });
          },
  });
}

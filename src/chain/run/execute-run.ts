import { type Clock, type Usage, systemUsage } from "../../base/index.ts";
import type { ApprovalStore, JournalEvent, RunLease } from "../../store/index.ts";
import type { StepExecutor } from "../host/executor.ts";
import { type EventSink, JournalHost } from "../host/journal-host.ts";
import { type AskPerson, RunApprovals } from "../host/run-approvals.ts";
import type { RunKeeper } from "../host/run-keeper.ts";
import type { Plan } from "../plan/plan.ts";
import { interpret } from "./interpret.ts";
import type { RunEvent, RunListener } from "./run-events.ts";
import type { RunFacts } from "./run-facts.ts";

/** A run to be executed, from its beginning or from where it was left. */
export interface RunTask {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly lease: RunLease;
  readonly startedAt: number;
  /** Absent for a run that nobody will take up again. */
  readonly journal?: EventSink | undefined;
  readonly events: readonly JournalEvent[];
  /** Absent for a look at what happened. */
  readonly executor: StepExecutor | undefined;
  readonly clock: Clock;
  readonly approvals?: ApprovalStore | undefined;
  readonly principal?: string | undefined;
  readonly ask?: AskPerson | undefined;
  readonly redact?: ((value: unknown) => unknown) | undefined;
  readonly stay?: boolean | undefined;
  readonly keeper?: RunKeeper | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: RunListener | undefined;
  /** Gets the host, for whoever closes the process. */
  readonly onHost?: ((host: JournalHost) => void) | undefined;
}

/** What came of executing a run. `left` when the process closes and somebody else has to go on. */
export interface Executed {
  readonly facts: RunFacts;
  readonly left: boolean;
}

/** Executes a run until its end, until it waits for a person, or until the process closes. */
export async function executeRun(task: RunTask): Promise<Executed> {
  const host = hostOf(task);
  const { plan, input, context, signal, keeper } = task;
  const cancel = (): void => host.cancelRun(undefined);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  keeper?.add(host);
  task.onHost?.(host);
  const before = process.cpuUsage();
  try {
    const facts = await interpret({ plan, host, input, context, env: task.env, listener: guarded(task) });
    return { facts: { ...facts, usage: task.events.length > 0 ? undefined : usageSince(before) }, left: host.left };
  } finally {
    signal?.removeEventListener("abort", cancel);
    keeper?.remove(host);
    host.close();
  }
}

/** What the process used meanwhile; the first of two looks is the cheaper one. */
function usageSince({ user, system }: NodeJS.CpuUsage): Usage {
  const { cpuMs, peakRssBytes } = systemUsage();
  return { cpuMs: cpuMs - (user + system) / 1000, peakRssBytes };
}

function hostOf(task: RunTask): JournalHost {
  const { lease, startedAt, journal, events, executor, clock, approvals: store } = task;
  const { principal, ask, redact = (value) => value } = task;
  return new JournalHost({
    lease,
    startedAt,
    journal,
    events,
    executor,
    clock,
    stay: task.stay ?? false,
    approvals:
      store === undefined || executor === undefined
        ? undefined
        : (sinks) => new RunApprovals({ runId: lease.runId, store, clock, principal, ask, redact, ...sinks }),
  });
}

/** A listener sees no secrets, and one that throws must not harm the run. */
function guarded({ onEvent, redact }: RunTask): RunListener | undefined {
  if (onEvent === undefined) return undefined;
  return (event) => {
    try {
      // What is redacted keeps its shape.
      onEvent(redact === undefined ? event : (redact(event) as RunEvent));
    } catch (error) {
      process.emitWarning(`onEvent of a run threw: ${String(error)}`);
    }
  };
}

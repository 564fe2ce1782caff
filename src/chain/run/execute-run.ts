import { type Clock, type FailureError, isFailureError, systemUsage } from "../../base/index.ts";
import type { ApprovalStore, JournalEvent, RunLease } from "../../store/index.ts";
import type { StepExecutor } from "../host/executor.ts";
import { type EventSink, JournalHost } from "../host/journal-host.ts";
import { type AskPerson, RunApprovals } from "../host/run-approvals.ts";
import type { RunKeeper } from "../host/run-keeper.ts";
import type { Plan } from "../plan/plan.ts";
import { interpret } from "./interpret.ts";
import type { RunListener } from "./run-events.ts";
import type { RunFacts } from "./run-facts.ts";

/** A run to be executed, from its beginning or from where it was left. */
export interface RunTask {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly lease: RunLease;
  readonly startedAt: number;
  readonly journal: EventSink;
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
  const before = systemUsage();
  try {
    const env = pick(task.env, plan.env);
    const facts = await interpret({ plan, host, input, context, env, listener: guarded(task.onEvent) });
    const { cpuMs, peakRssBytes } = systemUsage();
    const usage = task.events.length > 0 ? undefined : { cpuMs: cpuMs - before.cpuMs, peakRssBytes };
    return { facts: { ...facts, usage }, left: host.left };
  } finally {
    signal?.removeEventListener("abort", cancel);
    keeper?.remove(host);
  }
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

/** Names that the chain declares and the caller allows. */
function pick(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** A listener that throws must not harm the run. */
function guarded(listener: RunListener | undefined): RunListener | undefined {
  if (listener === undefined) return undefined;
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      process.emitWarning(`onEvent of a run threw: ${String(error)}`);
    }
  };
}

/** The journal was taken over by another process: what happened here since does not count. */
export function isLost(error: unknown): error is FailureError {
  return isFailureError(error) && error.code === "run_lost";
}

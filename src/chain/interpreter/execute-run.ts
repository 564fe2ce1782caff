import { cpuTime, processUsageSince } from "../../base/index.ts";
import { type RunLifecycleOptions, withRunLifecycle, type OpenHostOptions, openHost } from "../../run/index.ts";
import type { Plan } from "../plan/plan.ts";
import { interpret } from "./interpret.ts";
import type { RunListener, RunEvent } from "./run-events.ts";
import type { RunFacts } from "./run-facts.ts";
import type { RunObserver } from "./run-observer.ts";

/** A run to execute, from its start or from its journal. */
export interface ExecuteRunTask extends OpenHostOptions, RunLifecycleOptions {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Reasons why its steps may not call some chains, by their names. */
  readonly denied?: Readonly<Record<string, string>> | undefined;
  readonly onEvent?: RunListener | undefined;
  readonly observer?: RunObserver | undefined;
}

/** Result of executing a run. `isReleased` if the process closes and another one has to resume the run. */
export interface ExecutedRun {
  readonly facts: RunFacts;
  readonly isReleased: boolean;
  /** Closes the approvals of a run once it has certainly ended: a run that resumes still needs the decisions. */
  readonly rejectOpenApprovals: () => Promise<void> | undefined;
}

/** Executes a run until its end, until it waits for a person, or until the process closes. */
export function executeRun(task: ExecuteRunTask): Promise<ExecutedRun> {
  const { observer, lease, plan, events } = task;
  if (observer === undefined) return execute(task);
  const run = { runId: lease.runId, chain: plan.name, resumed: events.length > 0 };
  return observer.run(run, () => execute(task));
}

function execute(task: ExecuteRunTask): Promise<ExecutedRun> {
  const host = openHost(task);
  const { plan, input, context, env, denied } = task;
  return withRunLifecycle(host, task, async () => {
    const before = cpuTime();
    const facts = await interpret({ plan, host, input, context, env, denied, listener: guarded(task) });
    const usage = task.events.length > 0 ? undefined : processUsageSince(before);
    return {
      facts: { ...facts, usage },
      isReleased: host.isReleased,
      rejectOpenApprovals: () => host.rejectOpenApprovals(),
    };
  });
}

/** A listener sees no secrets, and an exception in it does not affect the run. */
function guarded({ onEvent, redactor }: ExecuteRunTask): RunListener | undefined {
  if (onEvent === undefined) return undefined;
  const shown = redactor && eventRedactor(redactor.value);
  return (event) => {
    try {
      onEvent(shown === undefined ? event : shown(event));
    } catch (error) {
      process.emitWarning(`onEvent of a run threw: ${String(error)}`);
    }
  };
}

/** Fields of an event with data from tools, people and callers. All other fields hold names, numbers or fixed words. */
const carried = ["input", "value", "output", "error", "message", "skip", "by", "approvalId"] as const;

/**
 * Redacts secrets in the events of one run. Scanning a whole event takes longer than the step that it reports, so
 * names, which recur in every event, are scanned once.
 */
export function eventRedactor(redact: (value: unknown) => unknown): (event: RunEvent) => RunEvent {
  const clean = new Set<string>();
  const isClean = (name: string): boolean => {
    if (clean.has(name)) return true;
    if (redact(name) !== name) return false;
    clean.add(name);
    return true;
  };
  return (event) => {
    const known = "step" in event && isClean(event.step) && isClean(event.tool) && isClean(event.runId);
    // Redacted values keep their shape, here and below.
    if (!known || event.type === "step-fallback") return redact(event) as RunEvent;
    const fields = event as Partial<Readonly<Record<(typeof carried)[number], unknown>>>;
    let changed: Record<string, unknown> | undefined;
    for (const name of carried) {
      const value = fields[name];
      if (value === undefined) continue;
      const shown = redact(value);
      if (shown === value) continue;
      changed ??= { ...event };
      changed[name] = shown;
    }
    return changed === undefined ? event : (changed as RunEvent);
  };
}

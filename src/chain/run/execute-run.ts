import { cpuTime, usageSince } from "../../base/index.ts";
import { type Attendance, attended } from "../host/attended.ts";
import { type HostTask, openHost } from "../host/open-host.ts";
import type { Plan } from "../plan/plan.ts";
import { eventRedactor } from "./event-redactor.ts";
import { interpret } from "./interpret.ts";
import type { RunListener } from "./run-events.ts";
import type { RunFacts } from "./run-facts.ts";
import type { RunObserver } from "./run-observer.ts";

/** A run to be executed, from its beginning or from where it was left. */
export interface RunTask extends HostTask, Attendance {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Why its steps may not call some chains, by their names. */
  readonly denied?: Readonly<Record<string, string>> | undefined;
  readonly onEvent?: RunListener | undefined;
  readonly observer?: RunObserver | undefined;
}

/** What came of executing a run. `left` when the process closes and somebody else has to go on. */
export interface Executed {
  readonly facts: RunFacts;
  readonly left: boolean;
  /** Closes the questions of a run that is over, once that is certain: a run that is taken up again needs answers. */
  readonly endQuestions: () => Promise<void> | undefined;
}

/** Executes a run until its end, until it waits for a person, or until the process closes. */
export function executeRun(task: RunTask): Promise<Executed> {
  const { observer, lease, plan, events } = task;
  if (observer === undefined) return execute(task);
  const run = { runId: lease.runId, chain: plan.name, resumed: events.length > 0 };
  return observer.run(run, () => execute(task));
}

function execute(task: RunTask): Promise<Executed> {
  const host = openHost(task);
  const { plan, input, context, env, denied } = task;
  return attended(host, task, async () => {
    const before = cpuTime();
    const facts = await interpret({ plan, host, input, context, env, denied, listener: guarded(task) });
    const usage = task.events.length > 0 ? undefined : usageSince(before);
    return { facts: { ...facts, usage }, left: host.left, endQuestions: () => host.endQuestions() };
  });
}

/** A listener sees no secrets, and one that throws must not harm the run. */
function guarded({ onEvent, redactor }: RunTask): RunListener | undefined {
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

import { cpuTime, processUsageSince } from "../../base/index.ts";
import {
  type Host,
  type OpenHostOptions,
  type RunHost,
  type RunLifecycleOptions,
  openHost,
  withRunLifecycle,
} from "../../run/index.ts";
import type { Plan } from "../plan/plan.ts";
import { interpret } from "./interpret.ts";
import type { RunListener, RunEvent } from "./run-events.ts";
import type { RunFacts, RunObserver } from "./run-facts.ts";

/** A run of a chain, from its start or from its journal. */
export interface ChainProgram extends Pick<OpenHostOptions, "lease" | "events" | "redactor"> {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Reasons why its steps may not call some chains, by their names. */
  readonly denied?: Readonly<Record<string, string>> | undefined;
  readonly onEvent?: RunListener | undefined;
  readonly observer?: RunObserver | undefined;
}

/** A run to execute, with the options of its host. */
export interface ExecuteRunTask extends ChainProgram, OpenHostOptions, RunLifecycleOptions {}

/**
 * Executes a run without a journal on a host of its own, until its end, until it waits for a person, or until the process
 * closes. `RunService` drives durable runs with the same parts, and adds what this run does not have: a lease, an end in
 * the journal, and a wait that wakes it. Going through it would cost a run in memory several promises for nothing.
 */
export async function executeRun(task: ExecuteRunTask): Promise<{ readonly facts: RunFacts; readonly host: RunHost }> {
  const host = openHost(task);
  return { facts: await withRunLifecycle(host, task, () => driveChain(host, task)), host };
}

/** Executes a run on its host until its end, until it waits for a person, or until the process closes. */
export async function driveChain(host: Host, program: ChainProgram): Promise<RunFacts> {
  const { observer, lease, plan, events } = program;
  const execute = async (): Promise<{ readonly facts: RunFacts }> => ({ facts: await runProgram(host, program) });
  if (observer === undefined) return (await execute()).facts;
  const run = { runId: lease.runId, chain: plan.name, resumed: events.length > 0 };
  return (await observer.run(run, execute)).facts;
}

async function runProgram(host: Host, program: ChainProgram): Promise<RunFacts> {
  const { plan, input, context, env, denied, events } = program;
  const before = cpuTime();
  const facts = await interpret({ plan, host, input, context, env, denied, listener: guarded(program) });
  return { ...facts, usage: events.length > 0 ? undefined : processUsageSince(before) };
}

/** A listener sees no secrets, and an exception in it does not affect the run. */
function guarded({ onEvent, redactor }: ChainProgram): RunListener | undefined {
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

import type { Failure } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import { Run, type RunParts } from "./run.ts";
import type { RunFacts } from "./run-facts.ts";

/** Answers that are there at once are taken in a row; after so many, timers and sockets get their turn. */
const inARow = 1000;

/**
 * Runs a chain to its end, or until it waits for a person. Everything that happens comes from the host, one thing at a
 * time; whatever follows from it is done before the next is asked for.
 */
export async function interpret(parts: RunParts): Promise<RunFacts> {
  const { host } = parts;
  const run = new Run(parts);
  host.attach?.({
    progress: (key, value) => run.pending.get(key)?.progress?.(value),
    asked: (key, approvalId, note) => run.pending.get(key)?.asked?.(approvalId, note),
  });
  tellStart(run, parts);
  run.begin();
  let taken = 0;
  while (!run.over) {
    if (run.hasBacklog && !host.hasNews) {
      await Promise.resolve();
      if (!host.hasNews) run.openMore();
      continue;
    }
    const next = host.next(run.pending);
    const settled = next instanceof Promise ? await next : next;
    if (settled.outcome.kind === "parked") break;
    run.take(settled);
    if (++taken % inARow === 0) await new Promise(setImmediate);
  }
  return facts(run, parts);
}

function facts(run: Run, { plan, input, context }: RunParts): RunFacts {
  const { root, over, host } = run;
  const status: RunStatus = over
    ? root.stop === undefined
      ? "success"
      : root.stop.cancelled
        ? "cancelled"
        : "failed"
    : "waiting";
  const error: Failure | undefined = root.stop?.error;
  const endedAt = over ? run.now : 0;
  if (run.listens) {
    const { startedAt, runId } = host;
    const durationMs = run.now - startedAt;
    run.emit({
      type: "run-finished",
      at: run.now,
      runId,
      chain: plan.name,
      status,
      durationMs,
      output: root.output,
      error,
    });
  }
  return {
    runId: host.runId,
    plan,
    status,
    startedAt: host.startedAt,
    endedAt,
    input,
    context,
    output: root.output,
    error,
    steps: root.states,
    usage: undefined,
  };
}

function tellStart(run: Run, { plan, host }: RunParts): void {
  if (!run.listens) return;
  const steps = plan.steps.map(({ id }) => id);
  const { startedAt: at, runId, replaying: replayed } = host;
  run.emit({ type: "run-started", at, runId, chain: plan.name, steps, replayed });
}

import type { Failure } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { Host, HostListener } from "../host/host.ts";
import { Run, type RunParts } from "./run.ts";
import type { RunFacts } from "./run-facts.ts";

/** Answers that are there at once are taken in a row; after so many, timers and sockets get their turn. */
const inARow = 1000;

/**
 * Runs a chain to its end, or until it waits for a person. Everything that happens comes from the host, one thing at a
 * time; whatever follows from it is done before the next is asked for.
 */
export function interpret(parts: RunParts): Promise<RunFacts> {
  return new Promise((resolve, reject) => {
    beginInterpretation(parts, resolve, reject);
  });
}

/** A run under way. */
export interface Interpretation {
  /** Steps could begin and have not yet: it goes on by itself, before anything else happens to it. */
  readonly hasBacklog: boolean;
}

/** The same for whoever feeds the host: it is told at once, and not a little later, that the run is over. */
export function beginInterpretation(
  parts: RunParts,
  onDone: (facts: RunFacts) => void,
  onBroke: (error: unknown) => void,
): Interpretation {
  const run = new Run(parts);
  const loop = new Loop(run, () => onDone(facts(run, parts)), onBroke);
  tellStart(run, parts);
  loop.begin();
  return run;
}

/** Takes what the host has, and sleeps until it has more. */
class Loop implements HostListener {
  readonly #run: Run;
  readonly #host: Host;
  readonly #done: () => void;
  readonly #broke: (error: unknown) => void;
  /** Awake, or about to go on by itself. */
  #awake = true;
  #taken = 0;

  constructor(run: Run, done: () => void, broke: (error: unknown) => void) {
    this.#run = run;
    this.#host = run.host;
    this.#done = done;
    this.#broke = broke;
    run.host.attach(this);
  }

  begin(): void {
    this.#run.begin();
    this.#goOn();
  }

  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.#goOn();
  }

  progress(key: string, value: unknown): void {
    this.#run.pending.get(key)?.progress?.(value);
  }

  asked(key: string, approvalId: string, note?: string): void {
    this.#run.pending.get(key)?.asked?.(approvalId, note);
  }

  #goOn(): void {
    try {
      if (this.#isOver()) this.#done();
    } catch (error) {
      this.#broke(error);
    }
  }

  /** Takes one answer after the other. False when it sleeps, or goes on later. */
  #isOver(): boolean {
    const run = this.#run;
    while (!run.over) {
      if (run.hasBacklog && !this.#host.hasNews) return this.#openMoreSoon();
      const settled = this.#host.next(run.pending);
      if (settled === undefined) {
        if (run.hasBacklog) return this.#openMoreSoon();
        this.#awake = false;
        return false;
      }
      if (settled.outcome.kind === "parked") return true;
      run.take(settled);
      if (++this.#taken % inARow === 0) {
        setImmediate(() => this.#goOn());
        return false;
      }
    }
    return true;
  }

  /** What is over already is heard of first. */
  #openMoreSoon(): false {
    queueMicrotask(() => {
      if (!this.#host.hasNews) this.#run.openMore();
      this.#goOn();
    });
    return false;
  }
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

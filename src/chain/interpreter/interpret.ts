import type { Failure } from "../../base/index.ts";
import type { RunStatus } from "../../store/index.ts";
import type { Host, HostListener } from "../../run/index.ts";
import { ChainRun, type ChainRunDeps } from "./chain-run.ts";
import type { RunFacts } from "./run-facts.ts";

/** Number of outcomes that are handled in a row if available immediately; then timers and sockets get their turn. */
const inARow = 1000;

/**
 * Runs a chain to its end, or until it waits for a person. All outcomes come from the host, one at a time; all
 * consequences of one are handled before the next is requested.
 */
export function interpret(parts: ChainRunDeps): Promise<RunFacts> {
  return new Promise((resolve, reject) => {
    beginInterpretation(parts, resolve, reject);
  });
}

/** A running interpretation. */
export interface Interpretation {
  /** Steps could start and have not yet: the run continues by itself, before it receives another outcome. */
  readonly hasBacklog: boolean;
}

/** The same for a caller that feeds the host: it learns synchronously, not a tick later, that the run has ended. */
export function beginInterpretation(
  parts: ChainRunDeps,
  onDone: (facts: RunFacts) => void,
  onBroke: (error: unknown) => void,
): Interpretation {
  const run = new ChainRun(parts);
  const loop = new Loop(run, () => onDone(facts(run, parts)), onBroke);
  emitRunStarted(run, parts);
  loop.begin();
  return run;
}

/** Handles the outcomes of the host, and sleeps until there are more. */
class Loop implements HostListener {
  readonly #run: ChainRun;
  readonly #host: Host;
  readonly #done: () => void;
  readonly #broke: (error: unknown) => void;
  /** Awake, or about to continue by itself. */
  #awake = true;
  #taken = 0;

  constructor(run: ChainRun, done: () => void, broke: (error: unknown) => void) {
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

  goesLive(): void {
    this.#run.reportRunning();
  }

  progress(key: string, value: unknown): void {
    this.#run.pending.get(key)?.progress?.(value);
  }

  approvalRequested(key: string, approvalId: string, note?: string): void {
    this.#run.pending.get(key)?.approvalRequested?.(approvalId, note);
  }

  waitBegan(key: string, until: number | undefined): void {
    this.#run.pending.get(key)?.waitBegan?.(until);
  }

  #goOn(): void {
    try {
      if (this.#isOver()) this.#done();
    } catch (error) {
      this.#broke(error);
    }
  }

  /** Handles one outcome after the other. False if it sleeps, or continues later. */
  #isOver(): boolean {
    const run = this.#run;
    while (!run.over) {
      if (run.hasBacklog && !this.#host.hasReady) return this.#openMoreSoon();
      const settled = this.#host.next(run.pending);
      if (settled === undefined) {
        if (run.hasBacklog) return this.#openMoreSoon();
        this.#awake = false;
        return false;
      }
      if (settled.outcome.kind === "suspended") return true;
      run.take(settled);
      if (++this.#taken % inARow === 0) {
        setImmediate(() => this.#goOn());
        return false;
      }
    }
    return true;
  }

  /** Outcomes that are available already are handled first. */
  #openMoreSoon(): false {
    queueMicrotask(() => {
      if (!this.#host.hasReady) this.#run.startMore();
      this.#goOn();
    });
    return false;
  }
}

function facts(run: ChainRun, { plan, input, context }: ChainRunDeps): RunFacts {
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

function emitRunStarted(run: ChainRun, { plan, host }: ChainRunDeps): void {
  if (!run.listens) return;
  const steps = plan.steps.map(({ id }) => id);
  const { startedAt: at, runId, isReplaying } = host;
  run.emit({ type: "run-started", at, runId, chain: plan.name, steps, replayed: isReplaying });
}

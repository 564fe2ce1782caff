import { type Failure, failure } from "../../base/index.ts";
import type { Condition, Evaluation, Scope } from "../../expr/index.ts";
import {
  type Host,
  type HostOutcome,
  type SettledOutcome,
  type CallWork,
  type Wait,
  cancelKey,
  OrderedKeyMap,
} from "../../run/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { CompensationEntry } from "./compensation.ts";
import { ChainFrame, type ChainFrameOwner } from "./chain-frame.ts";
import type { RunEvent, RunListener } from "./run-events.ts";
import type { StepRun } from "./step-run.ts";
import type { StepState } from "./step-state.ts";

/** Receiver of an outcome. */
export interface Pending {
  settled(outcome: HostOutcome): void;
  progress?(value: unknown): void;
  /** The approval has this id; `note` says why it is requested once more, or still pending. */
  approvalRequested?(approvalId: string, note?: string): void;
  /** The wait ends at this time at the latest, in epoch milliseconds. */
  waitBegan?(until: number | undefined): void;
}

/** An expression to evaluate: parameters, a list, a message. */
export interface Evaluable {
  evaluate(scope: Scope, evaluation?: Evaluation): unknown;
}

/** Dependencies of a run. */
export interface ChainRunDeps {
  readonly plan: Plan;
  readonly host: Host;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Reasons why its steps may not call some chains, by their names. */
  readonly denied?: Readonly<Record<string, string>> | undefined;
  readonly listener: RunListener | undefined;
}

/** Starts steps or items, as many as may start. */
export interface WorkOpener {
  advance(): void;
}

/**
 * Number of steps or items that start in a row before finished ones are processed. If ten thousand started before one
 * of them ended, all of them would be held in memory at once. Calls that end immediately need not be: a small batch
 * stays in the processor cache from start to end.
 */
const burst = 16;

/** Why a chain stops before its end. */
export interface StopReason {
  readonly error: Failure;
  readonly cancelled: boolean;
}

/** One execution of a chain with everything it calls: pending work, current time, and the listener for events. */
export class ChainRun implements ChainFrameOwner {
  readonly host: Host;
  /** Values that the caller lets chains read; each chain sees the names that it declares. */
  readonly env: Readonly<Record<string, string>>;
  /** Value of `${run}`. */
  readonly about: Readonly<Record<string, string>>;
  /** Context values of the caller; sub-chains see them too. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Chains that the permission rules denied when the run started. */
  readonly denied: Readonly<Record<string, string>> | undefined;
  readonly pending: OrderedKeyMap<Pending> = new OrderedKeyMap();
  /** Compensations to run if the run stops, in the order in which the work was done. */
  readonly compensations: CompensationEntry[] = [];
  readonly root: ChainFrame;
  /** The time of the last outcome. */
  now: number;
  over = false;
  /** Number of chains that its steps have called. */
  chainCalls = 0;
  /** Steps whose start was reported as replayed. */
  #startedInReplay: StepRun[] = [];
  readonly #soon: string[] = [];
  readonly #listener: RunListener | undefined;
  /** Steps and items started since the run last received an outcome. */
  #opened = 0;
  #backlog: Set<WorkOpener> | undefined = undefined;
  /** Step whose expressions are being evaluated. */
  #evaluating: StepState | undefined;
  readonly #evaluation: Evaluation = {
    onMissing: (path) => (this.#evaluating ? noteMissing(this.#evaluating, path) : undefined),
  };

  constructor(parts: ChainRunDeps) {
    const { runId: id, startedAt } = parts.host;
    this.host = parts.host;
    this.about = {
      id,
      chain: parts.plan.name,
      // Computed on demand: it takes as long as a step.
      get started_at() {
        return new Date(startedAt).toISOString();
      },
    };
    this.env = parts.env;
    this.context = parts.context;
    this.denied = parts.denied;
    this.now = startedAt;
    this.#listener = parts.listener;
    this.root = new ChainFrame(this, { plan: parts.plan, input: parts.input, context: parts.context, owner: this });
  }

  begin(): void {
    this.root.begin();
    this.#drain();
  }

  /**
   * True if one more step may start. If not, `opener.advance()` is called later; or never, if the run is released: a
   * step that cannot run has not begun.
   */
  canStartMore(opener: WorkOpener): boolean {
    if (this.host.isReleased) return false;
    if (this.#opened++ < burst || this.host.startsEagerly) return true;
    this.#backlog ??= new Set();
    this.#backlog.add(opener);
    return false;
  }

  get hasBacklog(): boolean {
    return this.#backlog !== undefined;
  }

  /** Starts the work that had to wait. */
  startMore(): void {
    this.#opened = 0;
    const openers = this.#backlog;
    this.#backlog = undefined;
    openers?.forEach((opener) => opener.advance());
    this.#drain();
  }

  /** Only outcomes of the host advance a run, so the same outcomes in the same order give the same run. */
  take({ key, outcome, at }: SettledOutcome): void {
    // Events reused from an earlier run happened before this one started.
    if (at > this.now) this.now = at;
    if (this.#backlog === undefined) this.#opened = 0;
    if (key === cancelKey) {
      if (outcome.kind === "cancel") this.root.abort(cancelled(outcome.by));
      return this.#drain();
    }
    const waiting = this.pending.get(key);
    this.pending.delete(key);
    waiting?.settled(outcome);
    if (this.#soon.length > 0) this.#drain();
  }

  start(key: string, work: CallWork, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.start(key, work);
  }

  wait(key: string, wait: Wait, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.wait(key, wait);
  }

  /** A pause of length 0: it ends after the current outcome is handled, so that rounds do not nest. */
  soon(key: string, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.#soon.push(key);
  }

  #drain(): void {
    for (let key = this.#soon.shift(); key !== undefined; key = this.#soon.shift()) {
      const waiting = this.pending.get(key);
      this.pending.delete(key);
      waiting?.settled({ kind: "fired" });
    }
  }

  /** Discards a wait whose outcome is no longer needed. */
  drop(key: string): void {
    if (this.pending.delete(key)) this.host.cancel(key);
  }

  frameEnded(): void {
    this.over = true;
  }

  get listens(): boolean {
    return this.#listener !== undefined;
  }

  emit(event: RunEvent): void {
    this.#listener?.(event);
  }

  /** Notes a step whose start is reported as replayed. */
  startedInReplay(step: StepRun): void {
    this.#startedInReplay.push(step);
  }

  /** Reports the start of steps that the replay began and did not settle: they run in this process. */
  reportRunning(): void {
    const steps = this.#startedInReplay;
    this.#startedInReplay = [];
    for (const step of steps) if (step.state.status === "running") step.emitStarted(step.state.input, false);
  }

  /** Evaluates an expression of a step; missing values that the language allows are recorded with the step. */
  evaluate(state: StepState, value: Evaluable, scope: Scope): unknown {
    this.#evaluating = state;
    return value.evaluate(scope, this.#evaluation);
  }

  /** True if a condition of a step holds. */
  holds(state: StepState, condition: Condition, scope: Scope): boolean {
    this.#evaluating = state;
    return condition.holds(scope, this.#evaluation);
  }
}

function noteMissing(state: StepState, path: string): void {
  state.missing ??= [];
  if (state.missing.length < 20 && !state.missing.includes(path)) state.missing.push(path);
}

function cancelled(by: string | undefined): StopReason {
  return {
    error: failure("cancelled", `the run was cancelled${by === undefined ? "" : ` by ${by}`}`),
    cancelled: true,
  };
}

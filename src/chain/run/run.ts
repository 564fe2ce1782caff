import { type Failure, failure } from "../../base/index.ts";
import type { Evaluation } from "../../expr/index.ts";
import { type Host, type Outcome, type Settled, type StepWork, type Wait, cancelKey } from "../host/host.ts";
import type { Plan } from "../plan/plan.ts";
import type { CompensationEntry } from "./compensation.ts";
import { Frame, type FrameOwner } from "./frame.ts";
import type { RunEvent, RunListener } from "./run-events.ts";
import type { StepState } from "./step-state.ts";

/** Whoever waits for an outcome. */
export interface Pending {
  settled(outcome: Outcome): void;
  progress?(value: unknown): void;
  /** The question got this id. */
  asked?(approvalId: string): void;
}

/** What a run is made of. */
export interface RunParts {
  readonly plan: Plan;
  readonly host: Host;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly listener: RunListener | undefined;
}

/** Why a chain stops before its end. */
export interface Stop {
  readonly error: Failure;
  readonly cancelled: boolean;
}

/** One execution of a chain with everything it calls: what is pending, what time it is, and who is told. */
export class Run implements FrameOwner {
  readonly host: Host;
  readonly chain: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the caller gave; sub-chains see it too. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly pending: Map<string, Pending> = new Map();
  /** What has to be undone should the run stop, in the order in which it was done. */
  readonly compensations: CompensationEntry[] = [];
  readonly root: Frame;
  /** The time of what happened last. */
  now: number;
  over = false;
  readonly #listener: RunListener | undefined;
  /** Whose expressions are being evaluated. */
  #evaluating: StepState | undefined;
  readonly #evaluation: Evaluation = {
    onMissing: (path) => (this.#evaluating ? noteMissing(this.#evaluating, path) : undefined),
  };

  constructor(parts: RunParts) {
    this.host = parts.host;
    this.chain = parts.plan.name;
    this.env = parts.env;
    this.context = parts.context;
    this.now = parts.host.startedAt;
    this.#listener = parts.listener;
    this.root = new Frame(this, { plan: parts.plan, input: parts.input, context: parts.context, owner: this });
  }

  /** Nothing but the host's answers moves a run, so the same answers in the same order give the same run. */
  take({ key, outcome, at }: Settled): void {
    this.now = at;
    if (key === cancelKey) {
      if (outcome.kind === "cancel") this.root.abort(cancelled(outcome.by));
      return;
    }
    const waiting = this.pending.get(key);
    this.pending.delete(key);
    waiting?.settled(outcome);
  }

  start(key: string, work: StepWork, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.start(key, work);
  }

  wait(key: string, what: Wait, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.wait(key, what);
  }

  /** Nobody wants to know any more how a wait ends. */
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

  /** Evaluates something of a step; what the language lets pass as missing is noted with the step. */
  evaluate<T>(state: StepState, work: (evaluation: Evaluation) => T): T {
    this.#evaluating = state;
    try {
      return work(this.#evaluation);
    } finally {
      this.#evaluating = undefined;
    }
  }
}

function noteMissing(state: StepState, path: string): void {
  state.missing ??= [];
  if (state.missing.length < 20 && !state.missing.includes(path)) state.missing.push(path);
}

function cancelled(by: string | undefined): Stop {
  return {
    error: failure("cancelled", `the run was cancelled${by === undefined ? "" : ` by ${by}`}`),
    cancelled: true,
  };
}

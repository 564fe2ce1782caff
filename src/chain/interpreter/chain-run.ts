import { type Failure, failure } from "../../base/index.ts";
import type { Condition, Evaluation, Scope } from "../../expr/index.ts";
import { type Host, type Outcome, type Settled, type StepWork, type Wait, cancelKey } from "../host/host.ts";
import { KeyTable } from "../host/key-table.ts";
import type { Plan } from "../plan/plan.ts";
import type { CompensationEntry } from "./compensation.ts";
import { Frame, type FrameOwner } from "./frame.ts";
import type { RunEvent, RunListener } from "./run-events.ts";
import type { StepState } from "./step-state.ts";

/** Whoever waits for an outcome. */
export interface Pending {
  settled(outcome: Outcome): void;
  progress?(value: unknown): void;
  /** The question got this id; `note` says why it is asked once more, or still open. */
  asked?(approvalId: string, note?: string): void;
}

/** What is evaluated: parameters, a list, a message. */
export interface Evaluable {
  evaluate(scope: Scope, evaluation?: Evaluation): unknown;
}

/** What a run is made of. */
export interface RunParts {
  readonly plan: Plan;
  readonly host: Host;
  readonly input: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Why its steps may not call some chains, by their names. */
  readonly denied?: Readonly<Record<string, string>> | undefined;
  readonly listener: RunListener | undefined;
}

/** Begins steps or items, as many as may begin. */
export interface Opener {
  advance(): void;
}

/**
 * So many begin in a row; then those that are over already are heard of. Ten thousand that all began before one of them
 * ended would all be held in memory at once, and calls that end at once need not be: a few of them stay in the cache of
 * the processor from their beginning to their end.
 */
const burst = 16;

/** Why a chain stops before its end. */
export interface Stop {
  readonly error: Failure;
  readonly cancelled: boolean;
}

/** One execution of a chain with everything it calls: what is pending, what time it is, and who is told. */
export class Run implements FrameOwner {
  readonly host: Host;
  /** What the caller lets chains read; each sees the names that it declares. */
  readonly env: Readonly<Record<string, string>>;
  /** `${run}`. */
  readonly about: Readonly<Record<string, string>>;
  /** What the caller gave; sub-chains see it too. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Chains that the rules refused when it began. */
  readonly denied: Readonly<Record<string, string>> | undefined;
  readonly pending: KeyTable<Pending> = new KeyTable();
  /** What has to be undone should the run stop, in the order in which it was done. */
  readonly compensations: CompensationEntry[] = [];
  readonly root: Frame;
  /** The time of what happened last. */
  now: number;
  over = false;
  /** How many chains its steps have called. */
  chainCalls = 0;
  readonly #soon: string[] = [];
  readonly #listener: RunListener | undefined;
  /** Steps and items begun since the run was last told something. */
  #opened = 0;
  #backlog: Set<Opener> | undefined = undefined;
  /** Whose expressions are being evaluated. */
  #evaluating: StepState | undefined;
  readonly #evaluation: Evaluation = {
    onMissing: (path) => (this.#evaluating ? noteMissing(this.#evaluating, path) : undefined),
  };

  constructor(parts: RunParts) {
    const { runId: id, startedAt } = parts.host;
    this.host = parts.host;
    this.about = {
      id,
      chain: parts.plan.name,
      // Made for those that ask: it takes as long as a step.
      get started_at() {
        return new Date(startedAt).toISOString();
      },
    };
    this.env = parts.env;
    this.context = parts.context;
    this.denied = parts.denied;
    this.now = startedAt;
    this.#listener = parts.listener;
    this.root = new Frame(this, { plan: parts.plan, input: parts.input, context: parts.context, owner: this });
  }

  begin(): void {
    this.root.begin();
    this.#drain();
  }

  /** May one more step begin? If not now, `opener` is asked to go on later. */
  mayOpen(opener: Opener): boolean {
    if (this.#opened++ < burst || this.host.opensAll) return true;
    this.#backlog ??= new Set();
    this.#backlog.add(opener);
    return false;
  }

  get hasBacklog(): boolean {
    return this.#backlog !== undefined;
  }

  /** Goes on with what could not begin yet. */
  openMore(): void {
    this.#opened = 0;
    const openers = this.#backlog;
    this.#backlog = undefined;
    openers?.forEach((opener) => opener.advance());
    this.#drain();
  }

  /** Nothing but the host's answers moves a run, so the same answers in the same order give the same run. */
  take({ key, outcome, at }: Settled): void {
    // What is taken over from an earlier run was there before this one began.
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

  start(key: string, work: StepWork, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.start(key, work);
  }

  wait(key: string, what: Wait, waiting: Pending): void {
    this.pending.set(key, waiting);
    this.host.wait(key, what);
  }

  /** A pause of no length: it is over once what happens now is done, so that rounds do not nest. */
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
  evaluate(state: StepState, what: Evaluable, scope: Scope): unknown {
    this.#evaluating = state;
    return what.evaluate(scope, this.#evaluation);
  }

  /** Does a condition of a step hold? */
  holds(state: StepState, condition: Condition, scope: Scope): boolean {
    this.#evaluating = state;
    return condition.holds(scope, this.#evaluation);
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

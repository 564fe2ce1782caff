import { Bag, type Failure, failure } from "../../base/index.ts";
import { type Scope, missing } from "../../expr/index.ts";
import type { HostOutcome } from "../../run/index.ts";
import type { Plan, PlanStep } from "../plan/plan.ts";
import { Compensation } from "./compensation.ts";
import { FrameSteps } from "./frame-steps.ts";
import { NewStepState } from "./step-facts.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { PartlyDone } from "./partial-work.ts";
import type { Pending, ChainRun, StopReason } from "./chain-run.ts";
import { StepRun } from "./step-run.ts";
import { stepTimes } from "./step-times.ts";
import type { SkipReason, StepState } from "./step-state.ts";

/** Caller of a chain. */
export interface ChainFrameOwner {
  frameEnded(frame: ChainFrame): void;
}

/** Dependencies of a frame. */
export interface ChainFrameDeps {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly owner: ChainFrameOwner;
  /** Call that it belongs to; undefined at the root. */
  readonly call?: FrameCall;
}

/** The step that calls a sub-chain. */
export interface FrameCall {
  readonly frame: ChainFrame;
  /** `research/` in displayed names. */
  readonly path: string;
  /** `research#1/` in journal keys: another attempt has other keys. */
  readonly keys: string;
  /** `research/` in idempotency keys: the same in every attempt. */
  readonly work: string;
  readonly timeoutMs: number | undefined;
}

/** A run has one frame for its chain, and one for each sub-chain that is running. */
export class ChainFrame implements Pending {
  readonly run: ChainRun;
  readonly plan: Plan;
  readonly parent: ChainFrame | undefined;
  readonly depth: number;
  readonly path: string;
  readonly keys: string;
  readonly work: string;
  /** Prefix of the idempotency keys of its steps. */
  readonly workKey: string;
  readonly scope: Scope & { readonly steps: FrameSteps; readonly context: Record<string, unknown> };
  readonly states: readonly StepState[];
  stop: StopReason | undefined = undefined;
  output: unknown = undefined;
  /** Number of its steps that were compensated when it stopped. */
  undone = 0;
  /** Explains that it is unknown whether the work of a step was done; of the first such step without a compensation. */
  doubt: string | undefined = undefined;
  readonly #owner: ChainFrameOwner;
  readonly #timeoutMs: number | undefined;
  /** For each step, the number of steps that it still waits for. */
  readonly #needs: number[];
  readonly #ready: number[] = [];
  #opened = 0;
  readonly #running = new Bag<StepRun>();
  /** Steps that hold a slot; those that wait for an approval do not. */
  #freeSlots = 0;
  /** Steps whose approval was decided, and that wait for a slot. */
  readonly #returning: (() => void)[] = [];
  #unsettled: number;
  #advancing = false;
  #ended = false;

  constructor(run: ChainRun, parts: ChainFrameDeps) {
    const { plan, call } = parts;
    this.run = run;
    this.plan = plan;
    this.parent = call?.frame;
    this.depth = call === undefined ? 0 : call.frame.depth + 1;
    this.path = call?.path ?? "";
    this.keys = call?.keys ?? "";
    this.work = call?.work ?? "";
    this.workKey = `${run.host.runId}/${this.work}`;
    this.states = plan.steps.map((step) => new NewStepState(step, this.path + step.id));
    this.scope = {
      input: parts.input,
      steps: new FrameSteps(plan, this.states),
      context: contextOf(plan, parts.context),
      env: pick(run.env, plan.env),
      run: run.about,
    };
    this.#owner = parts.owner;
    this.#timeoutMs = min(plan.timeoutMs, call?.timeoutMs);
    this.#needs = plan.steps.map(({ needs }) => needs.length);
    this.#unsettled = plan.steps.length;
  }

  /** A frame for a chain that one of these steps calls. */
  call(parts: ChainFrameDeps): ChainFrame {
    return new ChainFrame(this.run, parts);
  }

  begin(): void {
    if (this.#timeoutMs !== undefined) {
      this.run.wait(this.#deadlineKey, { kind: "deadline", ms: this.#timeoutMs, since: this.run.now }, this);
    }
    for (const index of this.plan.first) this.#ready.push(index);
    this.advance();
  }

  /** The timeout of this chain has passed. */
  settled(_outcome: HostOutcome): void {
    const error = failure("timeout", `${this.plan.name} took longer than ${this.#timeoutMs} ms`);
    this.abort({ error, cancelled: false });
  }

  /**
   * Starts everything that can start. Steps that settle immediately, such as skipped ones, are handled in this loop,
   * not by recursion.
   */
  advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    while (this.stop === undefined && this.#freeSlots < this.plan.maxParallel) {
      const waiting = this.#returning.length > 0 || this.#opened < this.#ready.length;
      if (!waiting || !this.run.canStartMore(this)) break;
      const back = this.#returning.shift();
      if (back === undefined) this.#open(this.#ready[this.#opened++] as number);
      else {
        this.#freeSlots++;
        back();
      }
    }
    this.#advancing = false;
    if (this.#unsettled === 0 || (this.stop !== undefined && this.#running.size === 0)) this.#end();
  }

  /** A step waits for an approval and releases its slot. */
  releaseSlot(): void {
    this.#freeSlots--;
  }

  /** Takes its slot back without queueing: it is being closed. */
  keepSlot(): void {
    this.#freeSlots++;
  }

  /** Calls back when a slot is free. */
  acquireSlot(back: () => void): void {
    this.#returning.push(back);
    this.advance();
  }

  /** A step has ended, and holds its slot until now. */
  closed(step: StepRun): void {
    this.#running.remove(step);
    this.#freeSlots--;
    const { state } = step;
    this.#settle(state, step.partlyDone);
    if (state.status === "failed" && this.stop === undefined && state.step.onFailure.otherwise === "abort") {
      this.abort({ error: stepFailure(state), cancelled: false });
    } else {
      this.advance();
    }
  }

  /** Starts nothing new, cancels running work, and runs compensations; then the frame ends. */
  abort(stop: StopReason): void {
    if (this.stop !== undefined || this.#ended) return;
    this.stop = stop;
    this.#returning.length = 0;
    const before = this.#advancing;
    this.#advancing = true;
    for (const step of this.#running.toArray()) if (step.position >= 0) step.cancel();
    this.#advancing = before;
    this.advance();
  }

  /** The caller of this chain is being cancelled. */
  cancel(): void {
    this.abort({ error: failure("cancelled", "its caller was cancelled"), cancelled: true });
  }

  /** True if this frame is the other one, or was called from it. */
  isWithin(other: ChainFrame): boolean {
    return this === other || this.parent?.isWithin(other) === true;
  }

  get #deadlineKey(): string {
    return `${this.keys}!timeout`;
  }

  #open(index: number): void {
    const state = this.states[index] as StepState;
    const skip = this.#whySkip(state.step);
    if (skip !== undefined) return this.#skip(state, skip);
    this.#freeSlots++;
    const step = new StepRun(this, state);
    this.#running.add(step);
    const { condition } = state.step;
    if (condition === undefined) return step.begin();
    let holds: boolean;
    try {
      holds = this.run.holds(state, condition, this.scope);
    } catch (error) {
      return step.refuse(expressionFailure(error, `the condition of ${state.path}`));
    }
    if (holds) return step.begin();
    this.#running.remove(step);
    this.#freeSlots--;
    this.#skip(state, { kind: "condition", condition: condition.text });
  }

  #whySkip({ reads, relies }: PlanStep): SkipReason | undefined {
    for (const index of reads) {
      const { status, step } = this.states[index] as StepState;
      if (status === "skipped" || status === "failed") return { kind: "needs", step: step.id, status };
    }
    // It relies on everything it reads: usually there is nothing else.
    if (relies.length === reads.length) return undefined;
    for (const index of relies) {
      const { status, step } = this.states[index] as StepState;
      if (status === "failed") return { kind: "needs", step: step.id, status };
    }
    return undefined;
  }

  #skip(state: StepState, why: SkipReason): void {
    state.status = "skipped";
    state.skip = why;
    state.startedAt = this.run.now;
    this.#settle(state);
  }

  #settle(state: StepState, partlyDone?: PartlyDone): void {
    const { step, output, status } = state;
    state.endedAt = this.run.now;
    if (step.as !== undefined && output !== undefined) this.scope.context[step.as] = output;
    if (step.compensate === undefined) {
      if (partlyDone !== undefined) this.doubt ??= partlyDone.doubt;
    } else if (status === "success" || status === "recovered" || partlyDone !== undefined) {
      this.run.compensations.push({ frame: this, state, partlyDone });
    }
    this.#unsettled--;
    for (const dependent of step.dependents) {
      const left = (this.#needs[dependent] as number) - 1;
      this.#needs[dependent] = left;
      if (left === 0) this.#ready.push(dependent);
    }
    if (this.run.listens) this.#emit(state);
  }

  #emit(state: StepState): void {
    const { status, attempts, cached, output, error, skip } = state;
    const { durationMs, queuedMs } = stepTimes(state, state.endedAt);
    const about = { step: state.path, tool: state.step.target.name, runId: this.run.host.runId, at: state.endedAt };
    const replayed = this.run.host.isReplaying;
    this.run.emit({
      type: "step-finished",
      ...about,
      replayed,
      status,
      durationMs,
      ...(queuedMs > 0 && { queuedMs }),
      attempts,
      cached,
      output,
      error,
      skip,
      ...(state.facts?.["dryRun"] === true && { dryRun: true as const }),
    });
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#timeoutMs !== undefined) this.run.drop(this.#deadlineKey);
    for (const state of this.states) if (state.status === "pending") state.status = "cancelled";
    if (this.stop === undefined) {
      try {
        this.output = this.#makeOutput();
      } catch (error) {
        this.stop = { error: expressionFailure(error, `the output of ${this.plan.name}`), cancelled: false };
      }
    }
    // The frame that stopped it from above also compensates it, in the order of the whole run.
    if (this.stop === undefined || this.parent?.stop !== undefined) this.#owner.frameEnded(this);
    else new Compensation(this, () => this.#owner.frameEnded(this)).begin();
  }

  #makeOutput(): unknown {
    const { output } = this.plan;
    if (output !== undefined) {
      const value = output.evaluate(this.scope);
      return value === missing ? null : value;
    }
    const outputs: Record<string, unknown> = {};
    for (const { step, status, output: value } of this.states) {
      if (status !== "success" && status !== "recovered") continue;
      // Ids are letters, digits, _ and -; `__proto__` would be one of them.
      Object.defineProperty(outputs, step.id, {
        value: value ?? null,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return outputs;
  }
}

/**
 * The caller's values without the names that steps set: an `as` hides the caller's value, even if the step never sets
 * it.
 */
function contextOf({ steps }: Plan, rawInput: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const context = Object.assign(Object.create(null) as Record<string, unknown>, rawInput);
  for (const { as } of steps) if (as !== undefined) delete context[as];
  return context;
}

/** Variables that the chain declares and the caller allows. */
function pick(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function min(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** The failure of a step as that of its chain: it names the step. */
function stepFailure({ path, error }: StepState): Failure {
  const known = error ?? failure("execution_error", "it failed");
  // The failure of a sub-chain already names its own step.
  return known.message.startsWith(`${path}/`) ? known : { ...known, message: `${path}: ${known.message}` };
}

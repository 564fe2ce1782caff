import { type Failure, LinkedList, failure } from "../../base/index.ts";
import type { Scope } from "../../expr/index.ts";
import { missing } from "../../expr/index.ts";
import type { Outcome } from "../host/host.ts";
import type { Plan, PlanStep } from "../plan/plan.ts";
import { Compensation } from "./compensation.ts";
import { FrameSteps } from "./frame-steps.ts";
import { newState } from "./new-state.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { PartlyDone } from "./partly-done.ts";
import type { Pending, Run, Stop } from "./run.ts";
import { StepRun } from "./step-run.ts";
import type { SkipReason, StepState } from "./step-state.ts";

/** Whoever called a chain. */
export interface FrameOwner {
  frameEnded(frame: Frame): void;
}

/** What a frame is made of. */
export interface FrameParts {
  readonly plan: Plan;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly owner: FrameOwner;
  /** Where it is called from; absent at the root. */
  readonly call?: FrameCall;
}

/** The step that calls a sub-chain. */
export interface FrameCall {
  readonly frame: Frame;
  /** `research/` in names that people see. */
  readonly path: string;
  /** `research#1/` in keys of the journal: another attempt, other keys. */
  readonly keys: string;
  /** `research/` in idempotency keys: the same in every attempt. */
  readonly work: string;
  readonly timeoutMs: number | undefined;
}

/** The run has one frame for its chain, and one for each sub-chain that is being run. */
export class Frame implements Pending {
  readonly run: Run;
  readonly plan: Plan;
  readonly parent: Frame | undefined;
  readonly depth: number;
  readonly path: string;
  readonly keys: string;
  readonly work: string;
  /** What the idempotency keys of its steps begin with. */
  readonly workKey: string;
  readonly scope: Scope & { readonly steps: FrameSteps; readonly context: Record<string, unknown> };
  readonly states: readonly StepState[];
  stop: Stop | undefined = undefined;
  output: unknown = undefined;
  /** How much of what it did was undone when it stopped. */
  undone = 0;
  readonly #owner: FrameOwner;
  readonly #timeoutMs: number | undefined;
  /** For each step, how many it still waits for. */
  readonly #needs: number[];
  readonly #ready: number[] = [];
  #opened = 0;
  readonly #running = new LinkedList<StepRun>();
  /** Steps that hold a place; those that wait for a person do not. */
  #places = 0;
  /** Steps that a person let go on, and that wait for a place again. */
  readonly #returning: (() => void)[] = [];
  #unsettled: number;
  #advancing = false;
  #ended = false;

  constructor(run: Run, parts: FrameParts) {
    const { plan, call } = parts;
    this.run = run;
    this.plan = plan;
    this.parent = call?.frame;
    this.depth = call === undefined ? 0 : call.frame.depth + 1;
    this.path = call?.path ?? "";
    this.keys = call?.keys ?? "";
    this.work = call?.work ?? "";
    this.workKey = `${run.host.runId}/${this.work}`;
    this.states = plan.steps.map((step) => newState(step, this.path + step.id));
    this.scope = {
      input: parts.input,
      steps: new FrameSteps(plan, this.states),
      context: contextOf(plan, parts.context),
      env: pick(run.env, plan.env),
      run: run.about,
    };
    this.#owner = parts.owner;
    this.#timeoutMs = least(plan.timeoutMs, call?.timeoutMs);
    this.#needs = plan.steps.map(({ needs }) => needs.length);
    this.#unsettled = plan.steps.length;
  }

  /** A frame for a chain that one of these steps calls. */
  call(parts: FrameParts): Frame {
    return new Frame(this.run, parts);
  }

  begin(): void {
    if (this.#timeoutMs !== undefined) {
      this.run.wait(this.#deadlineKey, { kind: "deadline", ms: this.#timeoutMs, since: this.run.now }, this);
    }
    for (const index of this.plan.first) this.#ready.push(index);
    this.advance();
  }

  /** The time of this chain is up. */
  settled(_outcome: Outcome): void {
    const error = failure("timeout", `${this.plan.name} took longer than ${this.#timeoutMs} ms`);
    this.abort({ error, cancelled: false });
  }

  /** Starts whatever can start. What settles at once, such as a skip, is gone through here, not by recursion. */
  advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    while (this.stop === undefined && this.#places < this.plan.maxParallel) {
      const waiting = this.#returning.length > 0 || this.#opened < this.#ready.length;
      if (!waiting || !this.run.mayOpen(this)) break;
      const back = this.#returning.shift();
      if (back === undefined) this.#open(this.#ready[this.#opened++] as number);
      else {
        this.#places++;
        back();
      }
    }
    this.#advancing = false;
    if (this.#unsettled === 0 || (this.stop !== undefined && this.#running.size === 0)) this.#end();
  }

  /** A step waits for a person and leaves its place to others. */
  leavePlace(): void {
    this.#places--;
  }

  /** Takes its place back without asking: it is being closed. */
  keepPlace(): void {
    this.#places++;
  }

  /** Calls back when there is a place again. */
  takePlace(back: () => void): void {
    this.#returning.push(back);
    this.advance();
  }

  /** A step is over, and has its place until now. */
  closed(step: StepRun): void {
    this.#running.remove(step);
    this.#places--;
    const { state } = step;
    this.#settle(state, step.partlyDone);
    if (state.status === "failed" && this.stop === undefined && state.step.onFailure.otherwise === "abort") {
      this.abort({ error: stepFailure(state), cancelled: false });
    } else {
      this.advance();
    }
  }

  /** Nothing new starts, what runs is cancelled, what was done is undone; then the frame ends. */
  abort(stop: Stop): void {
    if (this.stop !== undefined || this.#ended) return;
    this.stop = stop;
    this.#returning.length = 0;
    const before = this.#advancing;
    this.#advancing = true;
    for (const step of this.#running.toArray()) if (step.linked) step.cancel();
    this.#advancing = before;
    this.advance();
  }

  /** Whoever called this chain is being stopped. */
  cancel(): void {
    this.abort({ error: failure("cancelled", "its caller was stopped"), cancelled: true });
  }

  /** Is this frame the other one, or was it called from there? */
  isWithin(other: Frame): boolean {
    return this === other || this.parent?.isWithin(other) === true;
  }

  get #deadlineKey(): string {
    return `${this.keys}!timeout`;
  }

  #open(index: number): void {
    const state = this.states[index] as StepState;
    const skip = this.#whySkip(state.step);
    if (skip !== undefined) return this.#skip(state, skip);
    this.#places++;
    const step = new StepRun(this, state);
    this.#running.append(step);
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
    this.#places--;
    this.#skip(state, { kind: "condition", condition: condition.text });
  }

  #whySkip({ reads, relies }: PlanStep): SkipReason | undefined {
    for (const index of reads) {
      const { status, step } = this.states[index] as StepState;
      if (status === "skipped" || status === "failed") return { kind: "needs", step: step.id, status };
    }
    // Whatever it reads, it relies on: mostly there is nothing else.
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
    if (step.compensate !== undefined && (status === "success" || status === "recovered" || partlyDone !== undefined)) {
      this.run.compensations.push({ frame: this, state, partlyDone });
    }
    this.#unsettled--;
    for (const dependent of step.dependents) {
      const left = (this.#needs[dependent] as number) - 1;
      this.#needs[dependent] = left;
      if (left === 0) this.#ready.push(dependent);
    }
    if (this.run.listens) this.#tell(state);
  }

  #tell(state: StepState): void {
    const { status, attempts, cached, output, error, skip } = state;
    const durationMs = state.endedAt - state.startedAt;
    const about = { step: state.path, tool: state.step.target.name, runId: this.run.host.runId, at: state.endedAt };
    const replayed = this.run.host.replaying;
    this.run.emit({
      type: "step-finished",
      ...about,
      replayed,
      status,
      durationMs,
      attempts,
      cached,
      output,
      error,
      skip,
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
    // Whoever stopped it from above undoes it too, in the order of the whole.
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

/** What the caller gave, but for what steps will give: an `as` hides the caller's value, also when it stays missing. */
function contextOf({ steps }: Plan, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const context = Object.assign(Object.create(null) as Record<string, unknown>, given);
  for (const { as } of steps) if (as !== undefined) delete context[as];
  return context;
}

/** Names that the chain declares and the caller allows. */
function pick(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** The failure of a step as that of its chain: it says where. */
function stepFailure({ path, error }: StepState): Failure {
  const known = error ?? failure("execution_error", "it failed");
  // A sub-chain's failure names its own step already.
  return known.message.startsWith(`${path}/`) ? known : { ...known, message: `${path}: ${known.message}` };
}

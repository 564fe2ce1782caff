import { type Failure, failure } from "../../base/index.ts";
import { type Evaluation, type Scope, missing } from "../../expr/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { CallOutcome, Outcome } from "../host/host.ts";
import type { FallbackPlan, PlanStep, Target } from "../plan/plan.ts";
import { Approval, interruption } from "./approval.ts";
import { callChain } from "./call-chain.ts";
import { factsOf, joinFacts } from "./facts-of.ts";
import type { Frame, FrameOwner, StepEntry } from "./frame.ts";
import { type RetryDecision, decideRetry, fractionOf, noteFailure } from "./retry-decision.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { Pending } from "./run.ts";
import type { StepRun } from "./step-run.ts";
import type { StepState, StepStatus } from "./step-state.ts";

/** Whoever wants a unit of work done. */
export interface UnitOwner {
  unitEnded(unit: Unit): void;
}

/** One item of a `for_each`. */
export interface Item {
  readonly index: number;
  readonly item: unknown;
}

/** The work of a step, or of one of its items: attempts, rounds, and fallbacks, until it ends well or nothing is left. */
export class Unit implements Pending, FrameOwner {
  readonly step: StepRun;
  readonly item: Item | undefined;
  args: unknown = undefined;
  status: StepStatus = "running";
  output: unknown = undefined;
  error: Failure | undefined = undefined;
  /** Of all rounds and fallbacks. */
  attempts = 0;
  readonly #owner: UnitOwner;
  readonly #plan: PlanStep;
  readonly #frame: Frame;
  readonly #startedAt: number;
  /** Of this round of this tool. */
  #attempt = 0;
  #round = 0;
  /** The place of the fallback that stands in; -1 for the tool itself. */
  #fallback = -1;
  /** How the step looks to its own expressions: its last round, or its failure. */
  #entry: StepEntry | undefined;
  #key = "";
  /** What it is doing; undefined while a call runs. */
  #doing: { cancel(): void } | undefined;
  #afterPause: (() => void) | undefined;
  #cancelling = false;

  constructor(step: StepRun, owner: UnitOwner, item: Item | undefined) {
    this.step = step;
    this.item = item;
    this.#owner = owner;
    this.#frame = step.frame;
    this.#plan = step.state.step;
    this.#startedAt = step.frame.run.now;
  }

  get #state(): StepState {
    return this.step.state;
  }

  get durationMs(): number {
    return this.#frame.run.now - this.#startedAt;
  }

  /** Works out the arguments. When they cannot be, the unit goes its own way from here, and false is returned. */
  prepare(): boolean {
    try {
      const args = this.#evaluate((scope, evaluation) => this.#plan.params.evaluate(scope, evaluation));
      this.#setArgs(args);
      return true;
    } catch (error) {
      this.#failed(expressionFailure(error, `params of ${this.#state.path}`), undefined);
      return false;
    }
  }

  begin(): void {
    this.#try(undefined);
  }

  cancel(): void {
    this.#cancelling = true;
    if (this.#doing === undefined) this.#frame.run.host.cancel(this.#key);
    else this.#doing.cancel();
  }

  settled(outcome: Outcome): void {
    switch (outcome.kind) {
      case "call":
        return this.#called(outcome);
      case "fired":
        this.#doing = undefined;
        return this.#afterPause?.();
      case "interrupted":
        return this.#interrupted(outcome.startedAt);
      case "decided":
      case "cancel":
      case "parked":
        return undefined;
    }
  }

  progress(value: unknown): void {
    this.step.tell({ type: "step-progress", value });
  }

  /** The sub-chain is over. */
  frameEnded(child: Frame): void {
    this.#doing = undefined;
    if (child.stop === undefined) this.#succeeded(child.output);
    else this.#failed(child.stop.error, child.plan.effect);
  }

  // --- one attempt

  #try(approvalId: string | undefined): void {
    const { run, keys, work } = this.#frame;
    this.attempts++;
    this.#attempt++;
    this.#state.attempts++;
    const place = this.#plan.id + this.#place;
    this.#key = `${keys}${place}#${this.#attempt}`;
    const target = this.#target;
    if (target.chain !== undefined) return this.#callChain(target.chain, place);
    const request = {
      tool: target.name,
      args: this.args,
      idempotencyKey: `${run.host.runId}/${work}${place}`,
      timeoutMs: this.#plan.timeoutMs,
      cache: this.#fallback < 0 && this.#plan.cache !== undefined ? this.#cache() : undefined,
      approvalId,
    };
    run.start(this.#key, request, this);
  }

  /** Where inside the step: item, round, fallback. */
  get #place(): string {
    const item = this.item === undefined ? "" : `[${this.item.index}]`;
    const round = this.#round === 0 ? "" : `~${this.#round}`;
    return this.#fallback < 0 ? item + round : `${item}${round}!${this.#fallback + 1}`;
  }

  get #target(): Target {
    return this.#standIn?.target ?? this.#plan.target;
  }

  get #standIn(): FallbackPlan | undefined {
    return this.#fallback < 0 ? undefined : this.#plan.onFailure.fallback[this.#fallback];
  }

  #cache(): { readonly ttlMs: number; readonly key: unknown } | undefined {
    const { cache } = this.#plan;
    if (cache === undefined) return undefined;
    const key = cache.key === undefined ? undefined : this.#evaluate((scope) => cache.key?.evaluate(scope));
    return { ttlMs: cache.ttlMs, key: key === missing ? undefined : key };
  }

  #callChain(plan: NonNullable<Target["chain"]>, place: string): void {
    const called = callChain(this, { plan, args: this.args, key: this.#key, place });
    if ("code" in called) return this.#failed(called, undefined);
    this.#doing = {
      cancel: () => called.abort({ error: failure("cancelled", "its caller was stopped"), cancelled: true }),
    };
    called.begin();
  }

  #called({ result, effect }: CallOutcome): void {
    const state = this.#state;
    if (result.meta["cached"] === true) state.cached = true;
    const facts = factsOf(result.meta);
    if (facts !== undefined) state.facts = joinFacts(state.facts, facts);
    if (result.success) return this.#succeeded(result.output);
    const { error } = result;
    if (error.code !== "approval_required" || error.approvalId === undefined || this.#cancelling) {
      return this.#failed(error, effect);
    }
    this.#ask(error.message, error.approvalId, (approvalId) => this.#try(approvalId));
  }

  /** Nobody knows whether the work was done, and it must not be done twice: a person decides. */
  #interrupted(startedAt: number): void {
    const message = interruption(this.#target.name, startedAt);
    this.#ask(message, undefined, () => this.#try(undefined));
  }

  #ask(message: string, approvalId: string | undefined, approved: (approvalId: string) => void): void {
    const tool = this.#target.name;
    const question = { tool, args: this.args, message, approvers: [], expiresMs: undefined, approvalId };
    const asking = new Approval(this.step, { key: `${this.#key}?`, ...question });
    this.#doing = asking;
    asking.begin({
      approved: (id) => {
        this.#doing = undefined;
        approved(id);
      },
      refused: (error) => this.#failed(error, undefined),
      cancelled: () => this.#end("cancelled"),
    });
  }

  // --- how it went

  #succeeded(value: unknown): void {
    const select = this.#standIn === undefined ? this.#plan.select : this.#standIn.select;
    let output = value;
    try {
      if (select !== undefined) output = select.select(value);
      if (output === missing) output = undefined;
      if (this.#plan.repeat !== undefined && this.#fallback < 0 && !this.#cancelling) return this.#roundEnded(output);
    } catch (error) {
      return this.#failed(expressionFailure(error, `the output of ${this.#state.path}`), undefined);
    }
    this.output = output;
    this.#end(this.#fallback < 0 ? "success" : "recovered");
  }

  #roundEnded(output: unknown): void {
    const { repeat } = this.#plan;
    if (repeat === undefined) return;
    this.#state.iterations++;
    this.#entry = output === undefined ? { status: "running" } : { status: "running", output };
    if (this.#evaluate((scope, evaluation) => repeat.until.holds(scope, evaluation))) {
      this.output = output;
      return this.#end("success");
    }
    const late = repeat.maxDurationMs !== undefined && this.durationMs + repeat.delayMs > repeat.maxDurationMs;
    if (late || this.#round + 1 >= repeat.max) {
      const limit = late ? `${repeat.maxDurationMs} ms` : `${repeat.max} rounds`;
      return this.#failed(
        failure("loop_exhausted", `until did not hold within ${limit}: ${repeat.until.text}`),
        undefined,
      );
    }
    this.#round++;
    this.#attempt = 0;
    this.#pause(repeat.delayMs, () => {
      if (this.prepare()) this.#try(undefined);
    });
  }

  #failed(error: Failure, effect: Effect | undefined): void {
    this.#doing = undefined;
    this.#entry = { status: "failed", error: { code: error.code, message: error.message } };
    if (this.#cancelling) {
      this.error = error;
      return this.#end(error.code === "cancelled" ? "cancelled" : "failed");
    }
    const decision = this.#retryOf(error, effect);
    this.#note(error, decision);
    if (this.#fallback < 0 || this.error === undefined) this.error = error;
    if (!("delayMs" in decision)) return this.#standInFor(error);
    const { delayMs } = decision;
    this.step.tell({ type: "step-retrying", attempt: this.#attempt + 1, delayMs, error });
    this.#pause(delayMs, () => this.#try(undefined));
  }

  #retryOf(error: Failure, effect: Effect | undefined): RetryDecision {
    if (this.#fallback >= 0) return { not: "a fallback is tried once" };
    const { retry } = this.#plan;
    const wanted = (): boolean => retry.when === undefined || this.#holds(retry.when, error);
    try {
      const failed = { error, effect, attempt: this.#attempt, retry, wanted };
      return decideRetry(failed, () => fractionOf(`${this.#frame.run.host.runId}/${this.#key}`));
    } catch (thrown) {
      return { not: expressionFailure(thrown, "retry.when").message };
    }
  }

  #note(error: Failure, decision: RetryDecision): void {
    const attempt = { attempt: this.#attempt, tool: this.#target.name, error };
    noteFailure(this.#state, this.item === undefined ? attempt : { ...attempt, item: this.item.index }, decision);
  }

  /** The next fallback whose condition holds. */
  #standInFor(error: Failure): void {
    const { fallback } = this.#plan.onFailure;
    for (let next = this.#fallback + 1; next < fallback.length; next++) {
      const entry = fallback[next] as FallbackPlan;
      try {
        if (entry.condition !== undefined && !this.#holds(entry.condition, error)) continue;
        this.#setArgs(this.#evaluate((scope, evaluation) => entry.params.evaluate(scope, evaluation), error));
      } catch (thrown) {
        const failed = expressionFailure(thrown, `fallback ${next + 1} of ${this.#state.path}`);
        this.#note(failed, { not: "the fallback's own expressions failed" });
        continue;
      }
      this.#fallback = next;
      this.#attempt = 0;
      this.#state.fallbackTool = entry.target.name;
      this.step.tell({ type: "step-fallback", fallbackTool: entry.target.name, error });
      return this.#try(undefined);
    }
    this.#end("failed");
  }

  #end(status: StepStatus): void {
    this.status = status;
    if (status === "success" || status === "recovered") this.error = undefined;
    this.#owner.unitEnded(this);
  }

  #pause(ms: number, then: () => void): void {
    if (ms <= 0) return then();
    const key = `${this.#key}@${this.#round}`;
    this.#afterPause = then;
    this.#doing = {
      cancel: () => {
        this.#frame.run.drop(key);
        this.#end("cancelled");
      },
    };
    this.#frame.run.wait(key, { kind: "timer", ms }, this);
  }

  // --- expressions

  #holds(condition: { holds(scope: Scope, evaluation?: Evaluation): boolean }, error: Failure): boolean {
    return this.#evaluate((scope, evaluation) => condition.holds(scope, evaluation), error);
  }

  #evaluate<T>(work: (scope: Scope, evaluation: Evaluation) => T, error?: Failure): T {
    const scope = this.#scope(error);
    const frame = this.#frame;
    if (this.#entry === undefined) return frame.run.evaluate(this.#state, (evaluation) => work(scope, evaluation));
    return frame.seeing(this.#plan.id, this.#entry, () =>
      frame.run.evaluate(this.#state, (evaluation) => work(scope, evaluation)),
    );
  }

  #scope(error: Failure | undefined): Scope {
    const { scope } = this.#frame;
    if (this.item === undefined && error === undefined && this.#plan.repeat === undefined) return scope;
    return {
      ...scope,
      ...(this.item === undefined ? { index: this.#round } : this.item),
      ...(error !== undefined && { error: { code: error.code, message: error.message, retry: error.retry } }),
    };
  }

  #setArgs(value: unknown): void {
    this.args = value === missing ? {} : value;
    const state = this.#state;
    if (this.item === undefined) state.input = this.args;
    else if (Array.isArray(state.input)) state.input[this.item.index] = this.args;
  }
}

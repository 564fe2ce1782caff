import type { Failure, Linked } from "../../base/index.ts";
import { type Condition, missing } from "../../expr/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { CallOutcome, Outcome, StepWork } from "../host/host.ts";
import type { FallbackPlan, PlanStep, RepeatPlan, Target } from "../plan/plan.ts";
import { askBefore, mayStandIn } from "./ask-for-unit.ts";
import { cacheOf } from "./cache-of.ts";
import { callChain } from "./call-chain.ts";
import { noteFacts } from "./note-facts.ts";
import type { Frame, FrameOwner } from "./frame.ts";
import { isRefusal } from "./is-refusal.ts";
import { loopLimit } from "./loop-limit.ts";
import { Pause } from "./pause.ts";
import { callKey, placeOf } from "./place-of.ts";
import { doubtOf, unknownEnd } from "./question-texts.ts";
import { type RetryDecision, decideRetry, noteFailure } from "./retry-decision.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { Evaluable, Pending } from "./run.ts";
import type { StepRun } from "./step-run.ts";
import { type Granted, type StoppedUnit, askInner, askInterrupted, askRuled } from "./stopped-call.ts";
import type { StepState } from "./step-state.ts";
import { type Item, StepView, itemScope } from "./step-view.ts";
import type { UnitOwner } from "./unit-owner.ts";

/** The work of a step, or of one of its items: attempts, rounds, and fallbacks, until it ends well or nothing is left. */
export class Unit implements Pending, FrameOwner, StoppedUnit, Linked<Unit> {
  previous: Unit | undefined = undefined;
  next: Unit | undefined = undefined;
  linked = false;
  readonly step: StepRun;
  readonly item: Item | undefined;
  args: unknown = undefined;
  error: Failure | undefined = undefined;
  /** Of all rounds and fallbacks. */
  attempts = 0;
  readonly #owner: UnitOwner;
  /** Moved on by what people took to answer. */
  #startedAt: number;
  /** Of this round of this tool. */
  #attempt = 0;
  /** The same, with those that a person had to let through first: the last part of the key. */
  #calls = 0;
  #round = 0;
  /** The place of the fallback that stands in; -1 for the tool itself. */
  #fallback = -1;
  /** How often its sub-chain was undone: what is done after that is other work. */
  #undone = 0;
  #view: StepView | undefined = undefined;
  #key = "";
  /** By which a person let these arguments through. */
  #approvalId: string | undefined = undefined;
  /** What people let its tool call on its own. */
  #allowed: readonly string[] | undefined = undefined;
  answered: string | undefined = undefined;
  /** What it is doing; undefined while a call runs. */
  #doing: { cancel(): void } | undefined = undefined;
  #cancelling = false;
  /** A person said no: nothing stands in that is not meant for that. */
  #refused = false;

  constructor(step: StepRun, owner: UnitOwner, item: Item | undefined) {
    this.step = step;
    this.item = item;
    this.#owner = owner;
    this.#startedAt = step.frame.run.now;
  }

  // There are thousands of these at once: what the step knows, they do not keep.

  get #frame(): Frame {
    return this.step.frame;
  }

  get #state(): StepState {
    return this.step.state;
  }

  get #plan(): PlanStep {
    return this.step.state.step;
  }

  get durationMs(): number {
    return this.#frame.run.now - this.#startedAt;
  }

  /** Works out the arguments; gives the failure when they cannot be. */
  prepare(): Failure | undefined {
    try {
      this.take(this.#evaluate(this.#plan.params));
      return undefined;
    } catch (error) {
      return expressionFailure(error, `params of ${this.#state.path}`);
    }
  }

  /** Begins once a person has let these arguments through, where the step wants that. */
  beginAllowed(standIn?: Target): void {
    const { approval } = this.#plan;
    if (approval === undefined || (standIn !== undefined && mayStandIn(standIn, this.args))) return this.begin();
    const key = `${this.#plan.id}${placeOf(this.item, this.#round, this.#fallback)}?`;
    askBefore(this, { key, standIn }, () => this.begin());
  }

  /** One attempt. */
  begin(): void {
    this.#countAttempt(1);
    this.#call();
  }

  #countAttempt(change: 1 | -1): void {
    this.attempts += change;
    this.#attempt += change;
    this.#state.attempts += change;
  }

  cancel(): void {
    this.#cancelling = true;
    if (this.#doing === undefined) this.#frame.run.host.cancel(this.#key);
    else this.#doing.cancel();
  }

  settled(outcome: Outcome): void {
    if (outcome.kind === "call") return this.#called(outcome);
    // Nothing else comes under the key of a call.
    if (outcome.kind !== "interrupted") return;
    this.#owner.didPart(this, { doubt: doubtOf(this.target.name) });
    if (this.#cancelling) this.fail(unknownEnd(this.target.name), "once");
    else askInterrupted(this, `${this.#key}?`, outcome.startedAt);
  }

  progress(value: unknown): void {
    this.step.tell({ type: "step-progress", value });
  }

  /** The sub-chain is over. */
  frameEnded(child: Frame): void {
    this.#doing = undefined;
    if (child.undone > 0) this.#undone++;
    if (child.stop === undefined) this.#succeeded(child.output);
    else this.fail(child.stop.error, child.plan.effect);
  }

  // --- one attempt

  #call(): void {
    const { run, keys, workKey } = this.#frame;
    const place = this.#plan.id + placeOf(this.item, this.#round, this.#fallback);
    this.#key = keys + callKey(this.#plan, place, ++this.#calls);
    const target = this.target;
    if (target.chain !== undefined) return this.#callChain(target.chain, place);
    let cache: StepWork["cache"];
    try {
      if (this.#plan.cache !== undefined && this.#fallback < 0)
        cache = cacheOf(this.#plan.cache, (key) => this.#evaluate(key));
    } catch (error) {
      return this.fail(expressionFailure(error, `the cache key of ${this.#state.path}`));
    }
    const request = {
      tool: target.name,
      args: this.args,
      idempotencyKey: workKey + place,
      timeoutMs: this.#plan.timeoutMs,
      cache,
      approvalId: this.#approvalId,
    };
    run.start(this.#key, this.#allowed === undefined ? request : { ...request, allowed: this.#allowed }, this);
  }

  get target(): Target {
    return this.#standIn?.target ?? this.#plan.target;
  }

  get #standIn(): FallbackPlan | undefined {
    return this.#fallback < 0 ? undefined : this.#plan.onFailure.fallback[this.#fallback];
  }

  #callChain(plan: NonNullable<Target["chain"]>, place: string): void {
    const work = this.#undone === 0 ? place : `${place}+${this.#undone}`;
    const called = callChain(this, { name: this.target.name, plan, key: this.#key, work });
    if ("code" in called) this.fail(called);
    else this.waitsFor(called);
  }

  #called({ result, effect, asks }: CallOutcome): void {
    noteFacts(this.#state, result.meta, this.item?.index);
    this.#state.workMs += result.durationMs;
    if (result.success) return this.#succeeded(result.output);
    const { error } = result;
    if (this.#cancelling) return this.fail(error, effect);
    if (asks !== undefined) return askInner(this, { key: `${this.#key}?`, error }, asks);
    if (error.code !== "approval_required" || error.approvalId === undefined) return this.fail(error, effect);
    // It was not even tried: the attempt counts when a person lets it.
    this.#countAttempt(-1);
    askRuled(this, `${this.#key}?`, error.approvalId);
  }

  granted(what: Granted): void {
    this.#owner.didPart(this, { doubt: undefined });
    switch (what.kind) {
      case "call":
        this.#approvalId = what.approvalId;
        return this.begin();
      case "inner":
        if (what.key !== undefined) this.#allowed = [...(this.#allowed ?? []), what.key];
        return this.#call();
      case "done":
        this.#state.saidDone = true;
        return this.#gave(what.output);
    }
  }

  waitsFor(what: { begin(): void; cancel(): void }): void {
    this.#doing = what;
    what.begin();
  }

  goesOn(waitedMs: number): void {
    this.#doing = undefined;
    this.#startedAt += waitedMs;
  }

  cancelled(): void {
    this.#end("cancelled");
  }

  // --- how it went

  #succeeded(value: unknown): void {
    const select = this.#fallback < 0 ? this.#plan.select : this.#standIn?.select;
    let output = value;
    try {
      if (select !== undefined) output = select.select(value);
      if (output === missing) output = undefined;
    } catch (error) {
      this.#owner.didPart(this, { output: undefined });
      return this.fail(expressionFailure(error, `the output of ${this.#state.path}`));
    }
    this.#gave(output);
  }

  /** This is its output, or that of one round. */
  #gave(output: unknown): void {
    const { repeat } = this.#plan;
    if (repeat !== undefined && this.#fallback < 0 && !this.#cancelling) {
      this.#owner.didPart(this, { output });
      this.#state.iterations++;
      this.#viewed().entry = output === undefined ? { status: "running" } : { status: "running", output };
      let enough: boolean;
      try {
        enough = this.#holds(repeat.until);
      } catch (error) {
        return this.fail(expressionFailure(error, `the condition \`until\` of ${this.#state.path}`));
      }
      if (!enough) return this.#again(repeat);
    }
    this.error = undefined;
    this.#owner.unitEnded(this, this.#fallback < 0 ? "success" : "recovered", output);
  }

  /** One more round, unless there were enough of them. */
  #again(repeat: RepeatPlan): void {
    const enough = loopLimit(repeat, this.#round + 1, this.durationMs);
    if (enough !== undefined) return this.fail(enough);
    this.#round++;
    this.#attempt = 0;
    this.#calls = 0;
    this.#pause(repeat.delayMs, () => {
      const error = this.prepare();
      if (error === undefined) this.beginAllowed();
      else this.fail(error);
    });
  }

  /** An attempt failed, or cannot even be made: then there is no effect. */
  fail(error: Failure, effect?: Effect): void {
    this.#doing = undefined;
    this.#viewed().entry = { status: "failed", error: { code: error.code, message: error.message } };
    if (this.#cancelling) {
      this.error = error;
      return this.#end(error.code === "cancelled" ? "cancelled" : "failed");
    }
    if (isRefusal(error)) this.#refused = true;
    const decision = this.#retryOf(error, effect);
    this.#note(error, decision);
    if (this.#fallback < 0 || this.error === undefined) this.error = error;
    if (!("delayMs" in decision)) return this.#standInFor(error);
    this.step.tell({ type: "step-retrying", attempt: this.#attempt + 1, delayMs: decision.delayMs, error });
    this.#pause(decision.delayMs, () => this.begin());
  }

  #retryOf(error: Failure, effect: Effect | undefined): RetryDecision {
    if (this.#fallback >= 0) return { not: "a fallback is tried once" };
    const { retry } = this.#plan;
    const wanted = (): boolean => retry.when === undefined || this.#holds(retry.when, error);
    const seed = `${this.#frame.run.host.runId}/${this.#key}`;
    return decideRetry({ error, effect, attempt: this.#attempt, retry, wanted, seed });
  }

  #note(error: Failure, decision: RetryDecision, untried?: FallbackPlan): void {
    const tool = (untried?.target ?? this.target).name;
    const attempt = untried === undefined ? this.#attempt : 0;
    const standIn = untried !== undefined || this.#fallback >= 0;
    noteFailure(this.#state, { attempt, tool, error, item: this.item?.index, standIn }, decision);
  }

  /** The next fallback whose condition holds. */
  #standInFor(error: Failure): void {
    const { fallback } = this.#plan.onFailure;
    for (let next = this.#fallback + 1; next < fallback.length; next++) {
      const entry = fallback[next] as FallbackPlan;
      if (this.#refused && entry.condition === undefined) continue;
      try {
        if (entry.condition !== undefined && !this.#holds(entry.condition, error)) continue;
        this.take(this.#evaluate(entry.params, error));
      } catch (thrown) {
        const failed = expressionFailure(thrown, `fallback ${next + 1} of ${this.#state.path}`);
        this.#note(failed, { not: "the fallback's own expressions failed" }, entry);
        continue;
      }
      this.#fallback = next;
      this.#attempt = 0;
      this.#calls = 0;
      this.#state.fallbackTool = entry.target.name;
      this.step.tell({ type: "step-fallback", fallbackTool: entry.target.name, error });
      return this.beginAllowed(entry.target);
    }
    this.#end("failed");
  }

  #end(status: "failed" | "cancelled"): void {
    this.#owner.unitEnded(this, status, undefined);
  }

  #pause(ms: number, after: () => void): void {
    this.waitsFor(new Pause(this, { run: this.#frame.run, key: `${this.#key}@${this.#round}`, ms, after }));
  }

  // --- expressions

  #holds(condition: Condition, error?: Failure): boolean {
    return this.#viewed().holds(condition, { round: this.#round, error });
  }

  #evaluate(what: Evaluable, error?: Failure): unknown {
    const { item } = this;
    const { state, frame } = this.step;
    if (this.#view !== undefined || state.step.repeat !== undefined)
      return this.#viewed().evaluate(what, { round: this.#round, error });
    // Most often: it is tried for the first time, and has nothing of its own to see but its item.
    return frame.run.evaluate(state, what, item === undefined ? frame.scope : itemScope(frame.scope, item));
  }

  #viewed(): StepView {
    this.#view ??= new StepView(this.#frame, this.#state, this.item);
    return this.#view;
  }

  /** These are its arguments from now on. */
  take(value: unknown): void {
    this.args = value === missing ? {} : value;
    // An approval is bound to the arguments.
    this.#approvalId = undefined;
    const state = this.#state;
    if (this.item === undefined) state.input = this.args;
    else if (Array.isArray(state.input)) state.input[this.item.index] = this.args;
  }
}

import type { Failure, Bagged } from "../../base/index.ts";
import { type Condition, missing } from "../../expr/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { CallOutcome, HostOutcome, CallWork } from "../../run/index.ts";
import type { FallbackPlan, PlanStep, RepeatPlan, Target } from "../plan/plan.ts";
import { requestUnitApproval, mayReplaceUnapproved } from "./request-unit-approval.ts";
import { callChain } from "./call-chain.ts";
import { beginStepWait } from "./step-wait.ts";
import { recordCallFacts } from "./record-call-facts.ts";
import type { ChainFrame, ChainFrameOwner } from "./chain-frame.ts";
import { isRefusal } from "./is-refusal.ts";
import { Pause } from "./pause.ts";
import { itemField, loopLimit, resolveStepCache, stepCallKey, unitSuffix } from "./step-facts.ts";
import { type UnknownEnd, unknownEndOf, unknownOutcomeNote, unknownOutcomeFailure } from "./approval-messages.ts";
import { type RetryDecision, decideRetry, recordFailedAttempt } from "./retry-decision.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { Evaluable, Pending } from "./chain-run.ts";
import type { StepRun } from "./step-run.ts";
import * as blocked from "./blocked-call.ts";
import { addCallTimes, addQueued, beginWork } from "./step-times.ts";
import { type Item, StepView, itemScope } from "./step-view.ts";
import type { UnitOwner } from "./unit-owner.ts";

/**
 * The work of a step, or of one of its items: attempts, rounds, and fallbacks, until one succeeds or all have failed.
 */
export class Unit implements Pending, ChainFrameOwner, blocked.BlockedUnit, Bagged {
  position = -1;
  readonly step: StepRun;
  readonly item: Item | undefined;
  args: unknown = undefined;
  error: Failure | undefined = undefined;
  /** Attempts of all rounds and fallbacks. */
  attempts = 0;
  /** Time that its calls waited for slots. */
  queuedMs = 0;
  readonly #owner: UnitOwner;
  /** Moved forward by the time until decisions. */
  #startedAt: number;
  /** Start of the present attempt. */
  #attemptedAt = 0;
  /** Attempt in this round with this tool. */
  #attempt = 0;
  /** The same, including calls that first needed approval: the last part of the key. */
  #calls = 0;
  #round = 0;
  /** The index of the current fallback; -1 for the tool itself. */
  #fallback = -1;
  /** Number of times its sub-chain was compensated: work after that is separate. */
  #undone = 0;
  #view: StepView | undefined = undefined;
  #key = "";
  /** Approval for these arguments. */
  #approvalId: string | undefined = undefined;
  /** Nested calls of its tool that were approved. */
  #allowed: readonly string[] | undefined = undefined;
  answered: string | undefined = undefined;
  /** Current work; undefined while a call runs. */
  #doing: { cancel(): void } | undefined = undefined;
  #cancelling = false;
  /** The approval was rejected: only a fallback for rejections may replace the call. */
  #refused = false;

  constructor(step: StepRun, owner: UnitOwner, item: Item | undefined) {
    this.step = step;
    this.item = item;
    this.#owner = owner;
    this.#startedAt = step.frame.run.now;
  }

  // Thousands of units exist at once: they do not copy what the step holds.

  get #plan(): PlanStep {
    return this.step.state.step;
  }

  /** Time since its start, without the time until decisions. */
  get durationMs(): number {
    return this.step.frame.run.now - this.#startedAt;
  }

  /** Computes the arguments; returns the failure if that is impossible. */
  prepare(): Failure | undefined {
    try {
      this.take(this.#evaluate(this.#plan.params));
      return undefined;
    } catch (error) {
      return expressionFailure(error, `params of ${this.step.state.path}`);
    }
  }

  /** Starts once these arguments are approved, if the step needs an approval. */
  beginAllowed(standIn?: Target): void {
    const { approval } = this.#plan;
    if (approval === undefined || (standIn !== undefined && mayReplaceUnapproved(standIn, this.args)))
      return this.begin();
    const key = `${this.#plan.id}${unitSuffix(this.item, this.#round, this.#fallback)}?`;
    requestUnitApproval(this, { key, standIn }, () => this.begin());
  }

  /** Starts one attempt. */
  begin(): void {
    this.#attemptedAt = this.step.frame.run.now;
    this.#countAttempt(1);
    this.#call();
  }

  #countAttempt(change: 1 | -1): void {
    this.attempts += change;
    this.#attempt += change;
    this.step.state.attempts += change;
  }

  cancel(): void {
    this.#cancelling = true;
    if (this.#doing === undefined) this.step.frame.run.host.cancel(this.#key);
    else this.#doing.cancel();
  }

  settled(outcome: HostOutcome): void {
    if (outcome.kind === "call") return this.#called(outcome);
    // A call has no other outcomes.
    if (outcome.kind !== "interrupted") return;
    this.#doubt("its process ended");
    if (this.#cancelling) this.fail(unknownOutcomeFailure(this.target.name), "once");
    else blocked.requestInterruptionDecision(this, `${this.#key}?`, outcome.startedAt);
  }

  progress(value: unknown): void {
    this.step.emit({ type: "step-progress", ...itemField(this.item), value });
  }

  /** The sub-chain has ended. */
  frameEnded(child: ChainFrame): void {
    this.#doing = undefined;
    if (child.undone > 0) this.#undone++;
    if (child.doubt !== undefined) this.#owner.didPart(this, { doubt: child.doubt });
    if (child.stop === undefined) this.succeeded(child.output);
    else this.fail(child.stop.error, child.plan.effect);
  }

  // --- one attempt

  #call(): void {
    const { run, keys, workKey } = this.step.frame;
    const position = this.#plan.id + unitSuffix(this.item, this.#round, this.#fallback);
    this.#key = keys + stepCallKey(this.#plan, position, ++this.#calls);
    const target = this.target;
    if (target.chain !== undefined) return this.#callChain(target.chain, position);
    if (this.#plan.wait !== undefined && this.#fallback < 0) return beginStepWait(this, this.#key);
    let cache: CallWork["cache"];
    try {
      if (this.#plan.cache !== undefined && this.#fallback < 0)
        cache = resolveStepCache(this.#plan.cache, (key) => this.#evaluate(key));
    } catch (error) {
      return this.fail(expressionFailure(error, `the cache key of ${this.step.state.path}`));
    }
    const request = {
      tool: target.name,
      args: this.args,
      idempotencyKey: workKey + position,
      attempt: this.#attempt,
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

  #callChain(plan: NonNullable<Target["chain"]>, suffix: string): void {
    const work = this.#undone === 0 ? suffix : `${suffix}+${this.#undone}`;
    const called = callChain(this, { name: this.target.name, plan, key: this.#key, work });
    if ("code" in called) return this.fail(called);
    if (this.item !== undefined) beginWork(this.step.state, this.item.index, this.step.frame.run.now);
    this.waitsFor(called);
  }

  #called({ result, effect, pendingApproval }: CallOutcome): void {
    recordCallFacts(this.step.state, result.meta, this.item?.index);
    addCallTimes(this.step.state, this.item?.index, result);
    if (result.queuedMs !== undefined) this.queuedMs += result.queuedMs;
    if (result.success) return this.succeeded(result.output);
    const { error } = result;
    const end = unknownEndOf(error, effect);
    if (end !== undefined) this.#doubt(end);
    if (this.#cancelling) return this.fail(error, effect);
    if (pendingApproval !== undefined)
      return blocked.requestInnerApproval(this, { key: `${this.#key}?`, error }, pendingApproval);
    if (error.code !== "approval_required" || error.approvalId === undefined) return this.fail(error, effect);
    // The call was not made: the attempt counts once it is approved.
    this.#countAttempt(-1);
    blocked.requestRuleApproval(this, `${this.#key}?`, error.approvalId);
  }

  /** It is unknown whether the work of this call was done. */
  #doubt(end: UnknownEnd): void {
    this.#owner.didPart(this, { doubt: unknownOutcomeNote(this.target.name, end, this.item?.index) });
  }

  approvalGranted(grant: blocked.ApprovalGrant): void {
    this.#owner.didPart(this, { doubt: undefined });
    switch (grant.kind) {
      case "call":
        this.#approvalId = grant.approvalId;
        return this.begin();
      case "inner":
        if (grant.key !== undefined) this.#allowed = [...(this.#allowed ?? []), grant.key];
        return this.#call();
      case "done":
        this.step.state.confirmedDone = true;
        return this.#gave(grant.output);
    }
  }

  waitsFor(work: { begin(): void; cancel(): void }): void {
    this.#doing = work;
    work.begin();
  }

  resumed(waitedMs: number): void {
    this.#doing = undefined;
    this.#startedAt += waitedMs;
    addQueued(this.step.state, this.item?.index, waitedMs);
  }

  cancelled(): void {
    this.#owner.unitEnded(this, "cancelled", undefined);
  }

  // --- outcomes

  succeeded(value: unknown): void {
    const select = this.#fallback < 0 ? this.#plan.select : this.#standIn?.select;
    let output = value;
    try {
      if (select !== undefined) output = select.select(value);
      if (output === missing) output = undefined;
    } catch (error) {
      this.#owner.didPart(this, { output: undefined });
      return this.fail(expressionFailure(error, `the output of ${this.step.state.path}`));
    }
    this.#gave(output);
  }

  /** Handles its output, or that of one round. */
  #gave(output: unknown): void {
    const { repeat } = this.#plan;
    // A retry that succeeded: the attempts before it have the same idempotency key, so the work was done once.
    if (this.#attempt > 1 && this.#fallback < 0) this.#owner.didPart(this, { doubt: undefined });
    if (repeat !== undefined && this.#fallback < 0 && !this.#cancelling) {
      this.#owner.didPart(this, { output });
      this.step.state.iterations++;
      this.#viewed().entry = output === undefined ? { status: "running" } : { status: "running", output };
      let enough: boolean;
      try {
        enough = this.#holds(repeat.until);
      } catch (error) {
        return this.fail(expressionFailure(error, `the condition \`until\` of ${this.step.state.path}`));
      }
      if (!enough) return this.#retry(repeat);
    }
    this.error = undefined;
    this.#owner.unitEnded(this, this.#fallback < 0 ? "success" : "recovered", output);
  }

  /** Starts one more round, unless the limit is reached. */
  #retry(repeat: RepeatPlan): void {
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

  /** An attempt failed, or could not be made: then there is no effect. */
  fail(error: Failure, effect?: Effect): void {
    this.#doing = undefined;
    this.#viewed().entry = { status: "failed", error: { code: error.code, message: error.message } };
    if (this.#cancelling) {
      this.error = error;
      return this.#owner.unitEnded(this, error.code === "cancelled" ? "cancelled" : "failed", undefined);
    }
    this.#refused ||= isRefusal(error);
    const decision = this.#retryOf(error, effect);
    const about = { attempt: this.#attempt, startedAt: this.#attemptedAt, tool: this.target.name };
    recordFailedAttempt(this.step, { ...about, error, item: this.item, standIn: this.#fallback >= 0 }, decision);
    if (this.#fallback < 0 || this.error === undefined) this.error = error;
    if (!("delayMs" in decision)) return this.#standInFor(error);
    this.step.emit({ type: "step-retrying", ...itemField(this.item), attempt: this.#attempt + 1, ...decision, error });
    this.#pause(decision.delayMs, () => this.begin());
  }

  #retryOf(error: Failure, effect: Effect | undefined): RetryDecision {
    if (this.#fallback >= 0) return { not: { code: "is_fallback", params: {} } };
    const { retry } = this.#plan;
    const isRetryRequested = (): boolean => retry.when === undefined || this.#holds(retry.when, error);
    const seed = `${this.step.frame.run.host.runId}/${this.#key}`;
    return decideRetry({ error, effect, attempt: this.#attempt, retry, isRetryRequested, seed });
  }

  /** Uses the next fallback whose condition holds. */
  #standInFor(error: Failure): void {
    const { fallback } = this.#plan.onFailure;
    for (let next = this.#fallback + 1; next < fallback.length; next++) {
      const entry = fallback[next] as FallbackPlan;
      if (this.#refused && entry.condition === undefined) continue;
      try {
        if (entry.condition !== undefined && !this.#holds(entry.condition, error)) continue;
        this.take(this.#evaluate(entry.params, error));
      } catch (thrown) {
        const failed = expressionFailure(thrown, `fallback ${next + 1} of ${this.step.state.path}`);
        const untried = { attempt: 0, tool: entry.target.name, error: failed, item: this.item, standIn: true };
        recordFailedAttempt(this.step, untried, { not: { code: "fallback_failed", params: {} } });
        continue;
      }
      this.#fallback = next;
      this.#attempt = 0;
      this.#calls = 0;
      this.step.state.fallbackTool = entry.target.name;
      this.step.emit({ type: "step-fallback", ...itemField(this.item), fallbackTool: entry.target.name, error });
      return this.beginAllowed(entry.target);
    }
    this.#owner.unitEnded(this, "failed", undefined);
  }

  #pause(ms: number, after: () => void): void {
    this.waitsFor(new Pause(this, { run: this.step.frame.run, key: `${this.#key}@${this.#round}`, ms, after }));
  }

  // --- expressions

  #holds(condition: Condition, error?: Failure): boolean {
    return this.#viewed().holds(condition, { round: this.#round, error });
  }

  #evaluate(value: Evaluable, error?: Failure): unknown {
    const { item } = this;
    const { state, frame } = this.step;
    if (this.#view !== undefined || state.step.repeat !== undefined)
      return this.#viewed().evaluate(value, { round: this.#round, error });
    // The common case: the first attempt, whose scope adds nothing but its item.
    return frame.run.evaluate(state, value, item === undefined ? frame.scope : itemScope(frame.scope, item));
  }

  #viewed(): StepView {
    this.#view ??= new StepView(this.step.frame, this.step.state, this.item);
    return this.#view;
  }

  /** Sets its arguments. */
  take(value: unknown): void {
    this.args = value === missing ? {} : value;
    // An approval is bound to the arguments.
    this.#approvalId = undefined;
    const state = this.step.state;
    if (this.item === undefined) state.input = this.args;
    else if (Array.isArray(state.input)) state.input[this.item.index] = this.args;
  }
}

import { type Expiring, type Failure, type Issue, type Linked, failure } from "../base/index.ts";
import { type Validation, unknownKeys } from "../schema/index.ts";
import type { AnyTool, CallTool, Effect, Registration, ToolResult } from "../tool/index.ts";
import { askFor, giveBack } from "./ask-for.ts";
import { type CallContext, attemptLimit, timeLimit } from "./call-context.ts";
import { allIssues, denied, invalidArguments, nestedTooDeep, notApproved, notFound } from "./call-failures.ts";
import type { CallListener } from "./call-hooks.ts";
import type { CallRequest } from "./call-request.ts";
import type { Core } from "./core.ts";
import { effectOf } from "./effect-of.ts";
import { Execution, type Later, type Settles } from "./execution.ts";
import { type AbortCause, messageOf, stopped } from "./failed-attempt.ts";
import { findTool, nameOf } from "./find-tool.ts";
import { emitFinished, emitInvalid, emitStarted, recordCall, toResult } from "./finish.ts";
import { type Flight, asItIs, flightKey, isComparable, remember, reuseKey } from "./flights.ts";
import { type Job, isChoice } from "./job.ts";
import { type Outcome, copyOutcome } from "./outcome.ts";
import { preapproverOf, ruleOn } from "./rule-on.ts";

const none: readonly Issue[] = [];

/**
 * One call: resolve, validate, permit, reuse, execute, finish. A stage gives a value or a promise, and is awaited
 * only when it gave a promise: awaiting what is there already costs more than all the rest.
 */
export class Call implements Linked<Call>, Job, Expiring, Settles<ToolResult> {
  previous: Call | undefined = undefined;
  next: Call | undefined = undefined;
  linked = false;
  readonly core: Core;
  readonly context: CallContext;
  readonly parent: Call | undefined;
  readonly callId: string;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly startedAt: number;
  /** The arguments as the caller gave them. */
  given: unknown;
  /** The arguments as the handler gets them. */
  args: unknown = undefined;
  registration: Registration | undefined = undefined;
  effect: Effect = "once";
  timeoutMs = 0;
  /** The output came from the cache, or from an equal call under way. */
  cached = false;
  /** Who approved it beforehand, where it would have been asked about. */
  preapproved: string | undefined = undefined;
  listener: CallListener | undefined = undefined;
  readonly #target: string | AnyTool;
  #execution: Execution | undefined;
  #flight: Flight | undefined;
  #children: Set<Call> | undefined;
  #cause: AbortCause | undefined;
  #onAbort: (() => void) | undefined;
  /** Returns an approval that was used up for nothing. */
  #giveBack: (() => Promise<void>) | undefined;
  #childCount = 0;
  /** Who let it run although text from outside could have led to it: what it calls is part of that. */
  #cleared: "rule" | "person" | undefined;
  #settled = false;
  /** Where checking or asking took time: when that was over. */
  #readyAt: number | undefined;

  constructor(core: Core, request: CallRequest) {
    this.core = core;
    this.context = request.context;
    this.parent = request.parent;
    this.callId = core.ids.next();
    this.startedAt = core.clock.elapsed();
    this.executedAt = core.wallTime.at(this.startedAt);
    this.given = request.args ?? {};
    this.#target = request.target;
  }

  /** Runs the whole lifecycle. Never throws, and its promise never rejects. */
  run(): ToolResult | Promise<ToolResult> {
    // Only where there is a listener, there is nothing to be given.
    return this.#begin() as ToolResult | Promise<ToolResult>;
  }

  runFor(listener: CallListener): void {
    this.listener = listener;
    void this.#begin();
  }

  #begin(): Later<ToolResult> {
    this.core.live.append(this);
    this.context.signal?.addEventListener("abort", this);
    try {
      return this.#resolve();
    } catch (error) {
      return this.#broke(error);
    }
  }

  /** Stops the call wherever it is; it still gives its result. */
  abort(cause: AbortCause): void {
    // What has its result is not aborted any more: the signal of a handler that succeeded stays as it is.
    if (this.#cause !== undefined || this.#settled) return;
    this.#cause = cause;
    this.#execution?.abort(cause);
    this.#onAbort?.();
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.abort("cancelled");
  }

  /** Checking the arguments took too long. */
  expire(): void {
    this.abort("timeout");
  }

  get name(): string {
    return this.registration === undefined ? nameOf(this.#target) : this.registration.tool.name;
  }

  get source(): string {
    return this.registration?.source ?? "";
  }

  // --- the stages

  #resolve(): Later<ToolResult> {
    const { core } = this;
    // What was under way when the engine closed may finish, and needs its nested calls for it.
    if (core.isClosed() && !this.nested)
      return this.#fail(failure("engine_closed", "the engine is closed and takes no new calls"));
    if (this.context.signal?.aborted === true) this.#cause = "cancelled";
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    if (this.depth > core.limits.maxDepth) return this.#fail(nestedTooDeep(this.name, core.limits.maxDepth));
    const registration = findTool(this.#target, core.resolver);
    if (registration === undefined) return this.#fail(notFound(this.#target, core.resolver));
    this.registration = registration;
    if (registration.tool.broken !== undefined) return this.#fail(registration.tool.broken);
    const unavailable = core.unavailable(registration.tool);
    if (unavailable !== undefined) return this.#fail(failure("not_available", unavailable, { retry: "never" }));
    return this.#validate(registration.tool);
  }

  #validate(tool: AnyTool): Later<ToolResult> {
    const validation = tool.input.validate(this.given);
    const later = validation instanceof Promise;
    return later ? this.#guard(this.#validateLater(tool, validation)) : this.#validated(tool, validation);
  }

  async #validateLater(tool: AnyTool, validation: Promise<Validation<unknown>>): Promise<ToolResult | undefined> {
    this.timeoutMs = timeLimit(this.context.timeoutMs) ?? this.core.limits.timeoutMs;
    const settled = await this.#inTime(validation);
    return settled === undefined ? this.#fail(this.#stopped()) : this.#validated(tool, settled);
  }

  /** A schema that asks a service may hang, so it can be cancelled and has a deadline: then undefined. */
  async #inTime(validation: Promise<Validation<unknown>>): Promise<Validation<unknown> | undefined> {
    const { deadlines, clock } = this.core;
    const deadline = deadlines.set(this.timeoutMs, this);
    const settled = await this.#abortable(validation).finally(() => deadlines.cancel(deadline));
    this.#readyAt = clock.elapsed();
    return settled;
  }

  #validated(tool: AnyTool, validation: Validation<unknown>): Later<ToolResult> {
    const unknown = this.core.strict ? unknownKeys(tool.input.json, this.given) : none;
    if (validation.issues !== undefined || unknown.length > 0) {
      const issues = allIssues(validation.issues ?? none, unknown);
      emitInvalid(this, issues);
      return this.#fail(invalidArguments(tool.name, issues));
    }
    this.args = validation.value;
    this.effect = effectOf(tool, this.args);
    const own = typeof tool.timeoutMs === "function" ? tool.timeoutMs(this.args) : tool.timeoutMs;
    this.timeoutMs = attemptLimit(own, this.context) ?? this.core.limits.timeoutMs;
    return this.#permit(tool);
  }

  #permit(tool: AnyTool): Later<ToolResult> {
    // What it chooses is called in its turn, and ruled on then; results are reused there, too, behind the rules.
    if (isChoice(this)) return this.#cause === undefined ? this.#execute() : this.#fail(this.#stopped());
    const ruling = ruleOn(this, tool);
    switch (ruling.permission) {
      case "allow":
        if (ruling.trusted === true) this.#cleared = "rule";
        return this.#reuse(tool);
      case "ask":
        this.preapproved = preapproverOf(this, tool);
        return this.preapproved === undefined ? this.#guard(this.#ask(tool)) : this.#reuse(tool);
      case "deny":
        return this.#fail(denied(tool.name, ruling));
    }
  }

  async #ask(tool: AnyTool): Promise<ToolResult | undefined> {
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    const question = askFor(this, tool);
    const answer = await this.#abortable(question.answer);
    if (answer === undefined) {
      question.withdraw();
      return this.#fail(this.#stopped());
    }
    if (answer.kind !== "approved") return this.#fail(notApproved(tool.name, answer));
    this.#giveBack = answer.giveBack;
    this.#cleared = "person";
    this.given = question.args;
    const validation = await this.#inTime(Promise.resolve(tool.input.validate(question.args)));
    if (validation === undefined) return this.#fail(this.#stopped());
    if (validation.issues !== undefined) return this.#fail(invalidArguments(tool.name, validation.issues));
    this.args = validation.value;
    return this.#reuse(tool);
  }

  #reuse(tool: AnyTool): Later<ToolResult> {
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    const wanted = tool.cache !== undefined || this.context.reuse !== undefined;
    const reusable = wanted && (this.effect === "pure" || this.effect === "read");
    if (!reusable || !isComparable(this.given)) return this.#execute();
    const key = reuseKey(tool, this.given, this.context);
    const hit = this.core.cache.get(key, this.executedAt);
    if (hit === undefined) return this.#guard(this.#share(key));
    this.cached = true;
    return this.#finish({ output: JSON.parse(hit) as unknown });
  }

  /** Joins equal work under way, or starts it. */
  async #share(key: string): Promise<ToolResult | undefined> {
    const { flights } = this.core;
    const shared = flightKey(this, key);
    const under = flights.get(shared);
    this.cached = under !== undefined;
    const flight = under ?? flights.open(shared, new Execution(this.core, this, asItIs));
    this.#flight = flight;
    const work = flight.join();
    // Before anyone can change the output.
    if (under === undefined) remember(this, key, work);
    const outcome = await this.#abortable(work);
    if (outcome === undefined) {
      this.cached = false;
      flight.leave();
      return this.#fail(this.#stopped());
    }
    // Each waiter gets objects of its own.
    return this.#finish(this.cached ? copyOutcome(outcome) : outcome);
  }

  #execute(): Later<ToolResult> {
    const execution = new Execution<ToolResult>(this.core, this, this);
    this.#execution = execution;
    return execution.start();
  }

  /** The execution is over. */
  settle(outcome: Outcome): ToolResult {
    try {
      return this.#finish(outcome);
    } catch (error) {
      return this.#broke(error);
    }
  }

  #guard(result: Promise<ToolResult | undefined>): Promise<ToolResult | undefined> {
    return result.catch((error: unknown) => this.#broke(error));
  }

  #finish(outcome: Outcome): ToolResult {
    const execution = this.#execution ?? this.#flight?.execution;
    const result = toResult(this, outcome, execution);
    this.#settled = true;
    this.context.signal?.removeEventListener("abort", this);
    this.core.live.remove(this);
    this.parent?.forget(this);
    if (this.#giveBack !== undefined && (execution?.attempts ?? 0) === 0) giveBack(this.#giveBack);
    recordCall(this, result, execution);
    emitFinished(this, result);
    this.listener?.ended(result);
    return result;
  }

  #fail(error: Failure): ToolResult {
    return this.#finish({ failure: error });
  }

  /** A schema, an effect function, an approver or a store that threw: told as a failure, like any other. */
  #broke(error: unknown): ToolResult {
    const message = `${this.name}: ${messageOf(error)}`;
    return this.#fail(failure("execution_error", message, { reason: "internal", retry: "never" }));
  }

  #stopped(): Failure {
    return stopped(this.#cause ?? "cancelled", { tool: this.name, effect: "read", timeoutMs: this.timeoutMs });
  }

  /** Waits for a promise, or until the call is aborted: then undefined. */
  #abortable<T>(promise: Promise<T>): Promise<T | undefined> {
    if (this.#cause !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#onAbort = () => resolve(undefined);
      promise.then(resolve, reject);
    });
  }

  // --- what an execution asks of its job

  get tool(): AnyTool {
    // A job is executed only after its tool was found.
    return (this.registration as Registration).tool;
  }

  get idempotencyKey(): string {
    return this.context.idempotencyKey ?? this.callId;
  }

  get readyAt(): number {
    return this.#readyAt ?? this.startedAt;
  }

  get nested(): boolean {
    return this.parent !== undefined;
  }

  get depth(): number {
    return this.parent === undefined ? 0 : this.parent.depth + 1;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** The arguments for another attempt: the one before may have changed its own. */
  renewArgs(): void | Promise<void> {
    const validation = this.tool.input.validate(this.given);
    const renew = (settled: Validation<unknown>): void => {
      // They were valid before; what a check that changed its mind says comes too late.
      if (settled.issues === undefined) this.args = settled.value;
    };
    this.#childCount = 0;
    return validation instanceof Promise ? validation.then(renew) : renew(validation);
  }

  /** Retries have one owner: the chain for its steps, else the root call. */
  get maxRetries(): number {
    if (this.nested) return 0;
    return this.context.maxRetries ?? (this.context.callerType === "workflow_node" ? 0 : this.core.limits.maxRetries);
  }

  started(queuedMs: number): void {
    // It may have left the queue while equal calls still wait there for its work.
    if (!this.#settled) emitStarted(this, queuedMs);
  }

  /** A person sees what it is asked, not what a model makes of the text in that; a rule that trusts it trusts the model. */
  get taintsReading(): boolean {
    return (this.context.tainted ?? false) !== false && this.#cleared !== "rule";
  }

  get callTool(): CallTool | undefined {
    if (!this.tool.composite) return undefined;
    // Both signatures of CallTool lead into the one lifecycle.
    return (async (target: string | AnyTool, args: unknown) => this.beginChild(target, args, {}).run()) as CallTool;
  }

  /** A nested call. What the caller of this one arranged for itself is not handed on. */
  beginChild(target: string | AnyTool, args: unknown, more: CallContext): Call {
    const { signal: _s, onProgress: _p, hooks: _h, limitMs: _l, reuse: _r, ...inherited } = this.context;
    // The same in every attempt, as long as the handler makes its calls in the same order.
    const idempotencyKey = more.idempotencyKey ?? `${this.idempotencyKey}/${++this.#childCount}`;
    // Who let this call run did so for what it was asked, not for what it reads from then on.
    const isLed = more.tainted === true || (this.context.tainted === true && this.#cleared === undefined);
    const tainted = isLed || (more.tainted ?? (this.taintsReading && "arguments"));
    const context = { ...inherited, ...more, idempotencyKey, tainted };
    const child = new Call(this.core, { target, args, context, parent: this });
    (this.#children ??= new Set()).add(child);
    // Past its deadline, or between attempts, a composite starts nothing.
    if ((this.#execution ?? this.#flight?.execution)?.isRunning !== true) child.abort("cancelled");
    return child;
  }

  forget(child: Call): void {
    this.#children?.delete(child);
  }

  /** Nothing that a composite started outlives it. */
  stopChildren(): void {
    this.#children?.forEach((child) => child.abort("cancelled"));
  }
}

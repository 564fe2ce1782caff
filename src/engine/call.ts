import { type Expiring, type Failure, type Linked, failure } from "../base/index.ts";
import type { Validation } from "../schema/index.ts";
import type { AnyTool, Effect, Registration, ToolResult } from "../tool/index.ts";
import { requestApproval, restoreApproval } from "./request-approval.ts";
import { type CallContext, type CallRequest, attemptTimeoutMs, validTimeoutMs } from "./call-context.ts";
import * as failures from "./call-failures.ts";
import type { CallListener } from "./internals.ts";
import type { EngineCore } from "./engine-core.ts";
import { resolveEffect } from "./resolve-effect.ts";
import { Execution, type MaybePromise, type OutcomeConsumer } from "./execution.ts";
import { type AbortCause, stoppedFailure } from "./handler-failure.ts";
import { findTool, targetName } from "./find-tool.ts";
import { emitFinished, emitStarted, recordCall, reportEnd, toToolResult } from "./finish-call.ts";
import * as sharing from "./in-flight-calls.ts";
import { type Clearance, type Job, clearedByRule, isChoosingJob, nestedCall } from "./job.ts";
import { type AttemptOutcome, copyOutcome } from "./attempt-outcome.ts";
import { checkUndeclared, refuseArguments, removeUndeclared } from "./check-arguments.ts";
import { coveredTools, decidePermission, findPreapproval } from "./decide-permission.ts";

/** The state of a call. Work for the call stands for its own state, so that no transition allocates anything. */
type CallState = "deciding" | sharing.InFlightCall | Execution<ToolResult> | "settled";

/**
 * One call: resolve, validate, permit, reuse, execute, finish. A stage returns a value or a promise and is awaited only
 * if it returned a promise, because awaiting a plain value would cost more than everything else.
 *
 * ```
 *                      ┌─ its own Execution ──────────────────────┐
 *   deciding ──────────┼─ InFlightCall, shared by identical calls ┼─► settled
 *   (awaits approval,  └─ refused, or the result is in the cache ─┘
 *    or a validation)
 * ```
 *
 * An abort ends what the call awaits, or its execution; a stage that does not wait sees it at its next step.
 */
export class Call implements Linked<Call>, Job, Expiring, OutcomeConsumer<ToolResult> {
  previous: Call | undefined = undefined;
  next: Call | undefined = undefined;
  linked = false;
  readonly core: EngineCore;
  readonly context: CallContext;
  readonly parent: Call | undefined;
  /** True if a tool makes the call, not the caller itself. A tool that only chooses calls for its caller. */
  readonly isIndirect: boolean;
  readonly callId: string;
  /** Epoch milliseconds. */
  readonly executedAt: number;
  readonly startedAt: number;
  /** Time at which asynchronous validation or approval ended, if there was any; otherwise the start. */
  readyAt: number;
  /** The arguments as passed by the caller, without those that the tool does not declare. */
  rawArgs: unknown;
  /** Their length as JSON, if they are plain and not large. */
  argsChars: number | undefined = undefined;
  /** True if it is known that the tool declares all of them. */
  hasDeclaredArgs = false;
  /** The validated arguments, as passed to the handler. */
  args: unknown = undefined;
  registration: Registration | undefined = undefined;
  effect: Effect = "once";
  timeoutMs = 0;
  /** True if the output came from the cache, or from an identical in-flight call. */
  cached = false;
  clearance: Clearance | undefined = undefined;
  /** Paths of the arguments that were removed because the tool does not declare them. */
  ignored: readonly string[] | undefined = undefined;
  listener: CallListener | undefined = undefined;
  readonly #target: string | AnyTool;
  #state: CallState = "deciding";
  /** Reason of the abort, if it was aborted. */
  #cause: AbortCause | undefined;
  /** Ends the wait for the promise that the call awaits. */
  #interrupt: (() => void) | undefined;
  #children: Set<Call> | undefined;
  #childCount = 0;
  /** Time until the decision, if the call needed an approval. */
  approvalMs = 0;

  constructor(core: EngineCore, request: CallRequest) {
    this.core = core;
    this.context = request.context;
    this.parent = request.parent;
    this.isIndirect = request.isIndirect === true;
    this.callId = core.ids.next();
    this.startedAt = core.reportedAt ?? core.clock.elapsed();
    this.readyAt = this.startedAt;
    this.executedAt = core.wallTime.at(this.startedAt);
    this.rawArgs = request.args ?? {};
    this.#target = request.target;
  }

  /** Runs the whole lifecycle. Never throws, and its promise never rejects. */
  run(): ToolResult | Promise<ToolResult> {
    // Undefined is returned only to a listener, and there is failures.noIssues here.
    return this.#begin() as ToolResult | Promise<ToolResult>;
  }

  runFor(listener: CallListener): void {
    this.listener = listener;
    void this.#begin();
  }

  #begin(): MaybePromise<ToolResult> {
    this.core.live.append(this);
    this.context.signal?.addEventListener("abort", this);
    try {
      return this.#resolve();
    } catch (error) {
      return this.#broke(error);
    }
  }

  /** Aborts the call in any stage; it still returns a result. */
  abort(cause: AbortCause): void {
    // A call that has its result is not aborted any more: the signal of a handler that succeeded stays as it is.
    if (this.#cause !== undefined || this.isSettled) return;
    this.#cause = cause;
    const state = this.#state;
    // Shared work continues for the other calls.
    if (typeof state === "object" && !("execution" in state)) state.abort(cause);
    this.#interrupt?.();
  }

  /** Called when the caller's signal is aborted. */
  handleEvent(): void {
    this.abort("cancelled");
  }

  /** Called when validating the arguments took too long. */
  expire(): void {
    this.abort("timeout");
  }

  get name(): string {
    return this.registration?.tool.name ?? targetName(this.#target);
  }

  get source(): string {
    return this.registration?.source ?? "";
  }

  // --- the stages

  #resolve(): MaybePromise<ToolResult> {
    const { core } = this;
    // Calls that were running when the engine closed may finish, and need their nested calls for that.
    if (core.isClosed() && !this.nested)
      return this.#fail(failure("engine_closed", "the engine is closed and takes no new calls"));
    if (this.context.signal?.aborted === true) this.#cause = "cancelled";
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    if (this.depth > core.limits.maxDepth)
      return this.#fail(failures.nestingTooDeepFailure(this.name, core.limits.maxDepth));
    const registration = findTool(this.#target, core.resolver);
    if (registration === undefined) return this.#fail(failures.targetNotFoundFailure(this.#target, core.resolver));
    this.registration = registration;
    const refusal = failures.refuseCall(this, registration.tool);
    return refusal === undefined ? this.#validate(registration.tool) : this.#fail(refusal);
  }

  #validate(tool: AnyTool): MaybePromise<ToolResult> {
    const validation = tool.input.validate(this.rawArgs);
    if (!(validation instanceof Promise)) return this.#validated(tool, validation);
    return this.#guard(this.#validateLater(tool, validation));
  }

  async #validateLater(tool: AnyTool, validation: Promise<Validation<unknown>>): Promise<ToolResult | undefined> {
    const { context, core } = this;
    this.timeoutMs = validTimeoutMs(context.overrideTimeoutMs ?? context.timeoutMs) ?? core.limits.timeoutMs;
    const settled = await this.#inTime(validation);
    return settled === undefined ? this.#fail(this.#stopped()) : this.#validated(tool, settled);
  }

  /**
   * Awaits an asynchronous validation. A schema that queries a service may hang, so it can be cancelled and has a
   * deadline; undefined in both cases.
   */
  async #inTime(validation: Promise<Validation<unknown>>): Promise<Validation<unknown> | undefined> {
    const { deadlines, clock } = this.core;
    const deadline = deadlines.set(this.timeoutMs, this);
    const settled = await this.#abortable(validation).finally(() => deadlines.cancel(deadline));
    this.readyAt = clock.elapsed();
    return settled;
  }

  #validated(tool: AnyTool, validation: Validation<unknown>): MaybePromise<ToolResult> {
    const { rawArgs } = this;
    const issues = checkUndeclared(this, tool, validation.issues);
    if (validation.issues !== undefined || issues.length > 0) return this.#fail(refuseArguments(this, issues));
    if (this.rawArgs !== rawArgs) return this.#validate(tool);
    this.args = validation.value;
    this.effect = resolveEffect(tool, this.args);
    this.timeoutMs = attemptTimeoutMs(tool, this.args, this.context) ?? this.core.limits.timeoutMs;
    return this.#permit(tool);
  }

  #permit(tool: AnyTool): MaybePromise<ToolResult> {
    // A chosen call is checked when it is made; results are reused there too, after the permission check.
    if (isChoosingJob(this)) return this.#cause === undefined ? this.#execute() : this.#fail(this.#stopped());
    const ruling = decidePermission(this, tool);
    switch (ruling.permission) {
      case "allow":
        if (ruling.trusted === true) this.clearance = clearedByRule;
        return this.#reuse(tool);
      case "ask": {
        const name = findPreapproval(this, tool);
        if (name === undefined) return this.#guard(this.#requestApproval(tool));
        this.clearance = { by: "preapproval", name };
        return this.#reuse(tool);
      }
      case "deny":
        return this.#fail(failures.deniedFailure(tool.name, ruling));
    }
  }

  async #requestApproval(tool: AnyTool): Promise<ToolResult | undefined> {
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    const approvalHandle = requestApproval(this, tool);
    const since = this.core.clock.elapsed();
    const answer = await this.#abortable(approvalHandle.answer);
    this.approvalMs = this.core.clock.elapsed() - since;
    if (answer === undefined) {
      approvalHandle.withdraw();
      return this.#fail(this.#stopped());
    }
    if (answer.kind !== "approved") return this.#fail(failures.notApprovedFailure(tool.name, answer));
    this.clearance = { by: "person", covered: coveredTools(tool, this.context), restore: answer.restore };
    this.rawArgs = approvalHandle.args;
    removeUndeclared(this, tool);
    const validation = await this.#inTime(Promise.resolve(tool.input.validate(this.rawArgs)));
    if (validation === undefined) return this.#fail(this.#stopped());
    if (validation.issues !== undefined) return this.#fail(refuseArguments(this, validation.issues));
    this.args = validation.value;
    return this.#reuse(tool);
  }

  #reuse(tool: AnyTool): MaybePromise<ToolResult> {
    if (this.#cause !== undefined) return this.#fail(this.#stopped());
    if (!sharing.isReusable(this, tool)) return this.#execute();
    const key = sharing.reuseKey(tool, this.rawArgs, this.context);
    const hit = this.core.cache.get(key, this.executedAt);
    if (hit === undefined) return this.#guard(this.#share(key));
    this.cached = true;
    return this.#finish({ output: JSON.parse(hit) as unknown });
  }

  /** Joins an identical in-flight call, or starts the work. */
  async #share(key: string): Promise<ToolResult | undefined> {
    const { inFlightCalls } = this.core;
    const shared = sharing.inFlightKey(this, key);
    const under = inFlightCalls.get(shared);
    this.cached = under !== undefined;
    const inFlight = under ?? inFlightCalls.open(shared, new Execution(this.core, this, sharing.identityOutcome));
    this.#state = inFlight;
    const work = inFlight.join();
    // Before any caller can change the output.
    if (under === undefined) sharing.cacheResult(this, key, work);
    const outcome = await this.#abortable(work);
    if (outcome === undefined) {
      this.cached = false;
      inFlight.detach();
      return this.#fail(this.#stopped());
    }
    // Each caller gets its own copy.
    return this.#finish(this.cached ? copyOutcome(outcome) : outcome);
  }

  #execute(): MaybePromise<ToolResult> {
    const execution = new Execution<ToolResult>(this.core, this, this);
    return (this.#state = execution).start();
  }

  /** The execution is over. */
  settle(outcome: AttemptOutcome): ToolResult {
    try {
      return this.#finish(outcome);
    } catch (error) {
      return this.#broke(error);
    }
  }

  #guard(result: Promise<ToolResult | undefined>): Promise<ToolResult | undefined> {
    return result.catch((error: unknown) => this.#broke(error));
  }

  #finish(outcome: AttemptOutcome): ToolResult {
    const execution = this.#work;
    const result = toToolResult(this, outcome, execution);
    this.#state = "settled";
    this.context.signal?.removeEventListener("abort", this);
    this.core.live.remove(this);
    this.parent?.forget(this);
    if (this.clearance?.by === "person" && (execution?.attempts ?? 0) === 0) restoreApproval(this.clearance.restore);
    recordCall(this, result, execution);
    emitFinished(this, result);
    reportEnd(this, result, execution);
    return result;
  }

  #fail(error: Failure): ToolResult {
    return this.#finish({ failure: error });
  }

  /** Reports an error of a schema, an effect function, an approver or a store as a failure. */
  #broke(error: unknown): ToolResult {
    return this.#fail(failures.internalFailure(this.name, error));
  }

  #stopped(): Failure {
    return stoppedFailure(this.#cause ?? "cancelled", { tool: this.name, effect: "read", timeoutMs: this.timeoutMs });
  }

  /** Awaits a promise; undefined if the call is aborted first. */
  #abortable<T>(promise: Promise<T>): Promise<T | undefined> {
    if (this.#cause !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#interrupt = () => resolve(undefined);
      promise.then(resolve, reject);
    });
  }

  // --- the Job interface, for the execution

  get tool(): AnyTool {
    // A job is executed only after its tool was found.
    return (this.registration as Registration).tool;
  }

  get idempotencyKey(): string {
    return this.context.idempotencyKey ?? this.callId;
  }

  get nested(): boolean {
    return this.parent !== undefined;
  }

  get depth(): number {
    return this.parent === undefined ? 0 : this.parent.depth + 1;
  }

  get isSettled(): boolean {
    return this.#state === "settled";
  }

  /** The execution of the call, or the one that it shares with identical calls. */
  get #work(): Execution | undefined {
    const state = this.#state;
    if (typeof state !== "object") return undefined;
    return "execution" in state ? state.execution : state;
  }

  /** Validates the arguments again for another attempt: the previous attempt may have modified its objects. */
  renewArgs(): void | Promise<void> {
    const validation = this.tool.input.validate(this.rawArgs);
    const renew = (settled: Validation<unknown>): void => {
      // They were valid before; if a nondeterministic schema now disagrees, it is too late.
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
    // This call may have left the queue while identical calls still wait there for its work.
    if (!this.isSettled) emitStarted(this, queuedMs);
  }

  /** Creates a nested call. */
  beginChild(target: string | AnyTool, args: unknown, more: CallContext): Call {
    // The same in every attempt, as long as the handler makes its calls in the same order.
    const idempotencyKey = more.idempotencyKey ?? `${this.idempotencyKey}/${++this.#childCount}`;
    const own = nestedCall(args, { ...more, idempotencyKey }, this);
    const child = new Call(this.core, { target, args, parent: this, ...own });
    (this.#children ??= new Set()).add(child);
    // After its deadline, or between attempts, a composite starts nothing.
    if (this.#work?.isRunning !== true) child.abort("cancelled");
    return child;
  }

  forget(child: Call): void {
    this.#children?.delete(child);
  }

  /** Aborts the nested calls: nothing that a composite started outlives it. */
  stopChildren(): void {
    this.#children?.forEach((child) => child.abort("cancelled"));
  }
}

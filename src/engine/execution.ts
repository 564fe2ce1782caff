import { type Deadline, type Expiring, type Failure } from "../base/index.ts";
import type { Bucket } from "./bucket.ts";
import { admissionTimeoutMs } from "./call-context.ts";
import type { CallListener } from "./internals.ts";
import type { EngineCore } from "./engine-core.ts";
import {
  type AbortCause,
  abortReason,
  isFinalFailure,
  toHandlerFailure,
  abandonedFailure,
  refusedFailure,
  thrownMessage,
  stoppedFailure,
} from "./handler-failure.ts";
import { HandlerContext } from "./handler-context.ts";
import type { Job } from "./job.ts";
import { type AttemptOutcome, checkReturned, plainFacts } from "./attempt-outcome.ts";
import { PendingAttempt, type PendingWork, drainGenerator, isGenerator, isPromiseLike } from "./pending-attempt.ts";
import { retryDelay } from "./retry.ts";
import type { HandlerWrapper } from "./handler-wrapper.ts";
import type { AdmissionRequest, SlotHolder, AdmissionRefusal, Ticket } from "./admission-ticket.ts";

/** Converts an outcome to the caller's result. Never throws. */
export interface OutcomeConsumer<Result> {
  settle(outcome: AttemptOutcome): Result;
  /** Receives the result, if set; no promise is created then. */
  readonly listener: CallListener | undefined;
}

/** A value that is available now or later; undefined if it is delivered to a listener. */
export type MaybePromise<T> = T | undefined | Promise<T | undefined>;

/**
 * State that an abort ends: an attempt whose handler or output check returned a promise, or a pause, in the queue or
 * before another attempt. Undefined while the execution is running, and after it has ended.
 */
type Awaited = PendingAttempt | ((refusal?: AdmissionRefusal) => void) | undefined;

/**
 * Admission, attempts and retries: everything between "this call may run" and its outcome. The outcome is converted to
 * the result right where it occurs, which saves one promise.
 *
 * ```
 *            no slot is free              ┌─ a promise ─► pending ─┐
 *   start ─┬───────────────► queued ─┬─► attempt ──────────────────┴─► output check ──► ended
 *     ▲    └─────────────────────────┘    (holds the slot)              (may be pending)  │
 *     └──────────────── paused, then with new arguments ◄────── a retry is allowed ───────┘
 * ```
 *
 * An abort leads to `ended` from every state; a pending handler has the grace period to stop.
 */
export class Execution<Result = unknown> implements AdmissionRequest, SlotHolder, Expiring {
  readonly core: EngineCore;
  readonly job: Job;
  readonly #consumer: OutcomeConsumer<Result>;
  attempts = 0;
  queuedMs = 0;
  /** Reason of the abort, if it was aborted. */
  cause: AbortCause | undefined = undefined;
  /** Facts that the handler reported for `meta`. */
  facts: Record<string, unknown> | undefined = undefined;
  /** Length of the output as JSON, if it is plain. */
  outputChars: number | undefined = undefined;
  /** The bucket of its slot if one was free immediately, otherwise the ticket with which it waits for a slot or holds it. */
  #slot: Bucket | Ticket | undefined;
  /** Time at which it was queued, or got the slot, by the clock's elapsed time. */
  since = 0;
  /** Time at which it ended, by the clock's elapsed time; 0 until then. */
  endedAt = 0;
  #awaited: Awaited;
  #controller: AbortController | undefined;
  #variables: Record<string, unknown> | undefined;

  constructor(core: EngineCore, job: Job, consumer: OutcomeConsumer<Result>) {
    this.core = core;
    this.job = job;
    this.#consumer = consumer;
  }

  /** Runs to the end. Returns a value, not a promise, if nothing had to be awaited. */
  start(): MaybePromise<Result> {
    return this.#enter(this.job.readyAt);
  }

  /** Aborts it in any state: in the queue, in the handler, or between attempts. */
  abort(cause: AbortCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.#controller?.abort(abortReason(cause));
    this.job.stopChildren();
    this.pending?.aborted(cause);
    if (isTicket(this.#slot) && this.#slot.state === "queued") this.core.scheduler.endTicket(this.#slot);
    this.#wake();
  }

  /** The attempt whose handler or output check returned a promise. */
  get pending(): PendingAttempt | undefined {
    return typeof this.#awaited === "function" ? undefined : this.#awaited;
  }

  /** Ends a pause. */
  #wake(refusal?: AdmissionRefusal): void {
    if (typeof this.#awaited === "function") this.#awaited(refusal);
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.cause !== undefined) this.#controller.abort(abortReason(this.cause));
    }
    return this.#controller.signal;
  }

  variables(): Record<string, unknown> {
    this.#variables ??= this.job.context.variables ?? {};
    return this.#variables;
  }

  log(message: string, data?: Readonly<Record<string, unknown>>): void {
    const { job, core } = this;
    const entry = { at: core.clock.now(), callId: job.callId, tool: job.tool.name, message };
    core.log(data === undefined ? entry : { ...entry, data });
  }

  /** True while an attempt is running and was not aborted. */
  get isRunning(): boolean {
    const slot = this.#slot;
    return this.cause === undefined && (isTicket(slot) ? slot.state === "held" : slot !== undefined);
  }

  /** Drops progress after the end, because the caller already has its result. */
  progress(value: unknown): void {
    const { onProgress, hooks } = this.job.context;
    if (!this.isRunning || this.job.isSettled) return;
    try {
      const returned = onProgress === undefined ? hooks?.progress?.(value) : onProgress(value);
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#progressFailed(error));
    } catch (error) {
      this.#progressFailed(error);
    }
  }

  #progressFailed(error: unknown): void {
    this.log(`onProgress failed: ${thrownMessage(error)}`);
  }

  report(facts: Readonly<Record<string, unknown>>): void {
    this.facts = { ...this.facts, ...plainFacts(facts) };
  }

  // --- admission

  get category(): string {
    return this.job.tool.category;
  }

  get priority(): number {
    return this.job.context.priority ?? 0;
  }

  get global(): boolean {
    return !this.job.nested && !this.#bypasses;
  }

  get slot(): boolean {
    return !this.job.tool.composite;
  }

  get queueTimeoutMs(): number | undefined {
    return admissionTimeoutMs(this.job.context, this.job.timeoutMs);
  }

  /** True for a chain step: its run has its own limit. */
  get #bypasses(): boolean {
    return !this.job.nested && this.job.context.callerType === "workflow_node";
  }

  #enter(now: number): MaybePromise<Result> {
    if (this.cause !== undefined) return this.#fail(this.#stopped(this.cause));
    const { scheduler } = this.core;
    if (this.#bypasses) scheduler.countBypass();
    this.since = now;
    this.#slot = scheduler.acquireFree(this, now);
    if (this.#slot !== undefined) return this.#attempt(now);
    this.#slot = scheduler.enter(this, now);
    return this.#slot.state === "done" ? this.#fail(this.#refused("rejected")) : this.#guard(this.#queue());
  }

  async #queue(): Promise<Result | undefined> {
    this.since = this.core.clock.elapsed();
    const refusal = await new Promise<AdmissionRefusal | undefined>((resolve) => (this.#awaited = resolve));
    this.#awaited = undefined;
    this.queuedMs += this.core.clock.elapsed() - this.since;
    if (refusal !== undefined) return this.#fail(this.#refused(refusal));
    if (this.cause === undefined) return this.#attempt(this.core.clock.elapsed());
    // Aborted between the grant and now: the slot is released unused.
    this.#releaseSlot(this.core.clock.elapsed());
    return this.#fail(this.#stopped(this.cause));
  }

  #releaseSlot(now: number): void {
    const { scheduler } = this.core;
    const slot = this.#slot;
    this.#slot = undefined;
    if (isTicket(slot)) scheduler.endTicket(slot, now);
    else if (slot !== undefined) scheduler.release(this, slot, now);
  }

  /** Reports an error of a custom clock, schema or store as a failure. */
  #guard(result: Promise<Result | undefined>): Promise<Result | undefined> {
    return result.catch((error: unknown) => this.#fail(toHandlerFailure(error, this.job.effect)));
  }

  #fail(error: Failure): Result {
    return this.#consumer.settle({ failure: error });
  }

  admitted(): void {
    this.#wake();
  }

  refused(_ticket: Ticket, why: AdmissionRefusal): void {
    this.#wake(why);
  }

  #refused(why: AdmissionRefusal): Failure {
    const { settings } = this.core.scheduler;
    return refusedFailure(why, { tool: this.job.tool.name, timeoutMs: this.queueTimeoutMs, settings });
  }

  // --- attempts

  #attempt(now: number): MaybePromise<Result> {
    this.attempts++;
    if (this.attempts === 1) {
      this.job.started(this.queuedMs);
      const noted = this.job.context.hooks?.started?.(this.job.effect);
      if (noted !== undefined) return this.#guard(this.#attemptAfter(noted));
    }
    return this.#run(now);
  }

  /** Starts the attempt after the owner has journaled that the handler starts. */
  async #attemptAfter(noted: Promise<void>): Promise<Result | undefined> {
    try {
      await noted;
    } catch (error) {
      return this.#ended({ failure: toHandlerFailure(error, "read") });
    }
    if (this.cause === undefined) return this.#run(this.core.clock.elapsed());
    // The handler never ran.
    this.attempts = 0;
    return this.#ended({ failure: this.#stopped(this.cause) });
  }

  #run(now: number): MaybePromise<Result> {
    const { tool, args, effect } = this.job;
    let outcome: AttemptOutcome | Promise<AttemptOutcome>;
    try {
      const { wrapHandler } = this.core;
      const returned: unknown =
        wrapHandler === undefined ? tool.run(args, new HandlerContext(this)) : this.#runInside(wrapHandler);
      if (returned instanceof Promise || isPromiseLike(returned)) return this.#await(returned, now, "handler");
      if (isGenerator(returned)) return this.#await(drainGenerator(returned, this), now, "handler");
      outcome = checkReturned(returned, this);
    } catch (error) {
      outcome = { failure: toHandlerFailure(error, effect, this.core.locateThrow) };
    }
    return this.#checked(outcome);
  }

  /**
   * Runs the handler inside the wrapper. A generator is drained inside it too: its code between yields belongs to the
   * handler.
   */
  #runInside(wrap: HandlerWrapper): unknown {
    const { job } = this;
    return wrap(job, () => {
      const returned: unknown = job.tool.run(job.args, new HandlerContext(this));
      return isGenerator(returned) ? drainGenerator(returned, this) : returned;
    });
  }

  /** @param since Start of the attempt, by the clock's elapsed time. */
  #await(work: PromiseLike<unknown>, since: number, source: PendingWork["source"]): MaybePromise<Result> {
    if (this.#consumer.listener !== undefined) {
      this.#awaited = new PendingAttempt(this, { work, source, since, resolve: noWaiter });
      return undefined;
    }
    return new Promise((settle) => {
      // It is called with the result of `returned`, `threw` or `stopped`.
      const resolve = settle as (result: unknown) => void;
      this.#awaited = new PendingAttempt(this, { work, source, since, resolve });
    });
  }

  /** @internal Called with the value of the awaited handler, or with the outcome of the awaited output check. */
  returned(value: unknown, source: PendingWork["source"]): MaybePromise<Result> {
    this.#awaited = undefined;
    if (source === "check") return this.#ended(value as AttemptOutcome);
    let outcome: AttemptOutcome | Promise<AttemptOutcome>;
    try {
      outcome = checkReturned(value, this);
    } catch (error) {
      outcome = { failure: toHandlerFailure(error, this.job.effect) };
    }
    return this.#checked(outcome);
  }

  /** @internal It threw. */
  threw(error: unknown): MaybePromise<Result> {
    this.#awaited = undefined;
    return this.#ended({ failure: toHandlerFailure(error, this.job.effect, this.core.locateThrow) });
  }

  /** @internal Called after an abort; `abandoned` if the handler did not stop within the grace period. */
  stopped(cause: AbortCause, abandoned: boolean): MaybePromise<Result> {
    this.#awaited = undefined;
    const stop = this.#stopped(cause);
    if (!abandoned) return this.#ended({ failure: stop });
    return this.#ended({ failure: abandonedFailure(stop, this.job.tool.name, this.core.limits.graceMs), abandoned });
  }

  /** A schema that queries a service may hang or throw like a handler, so an asynchronous check has a deadline too. */
  #checked(outcome: AttemptOutcome | Promise<AttemptOutcome>): MaybePromise<Result> {
    return outcome instanceof Promise ? this.#await(outcome, this.core.clock.elapsed(), "check") : this.#ended(outcome);
  }

  #ended(outcome: AttemptOutcome): MaybePromise<Result> {
    this.job.stopChildren();
    this.endedAt = this.core.clock.elapsed();
    // Released before anything else: a slow store or a long retry delay must not hold a slot.
    this.#releaseSlot(this.endedAt);
    const { failure: failed } = outcome;
    if (failed === undefined || this.cause !== undefined || isFinalFailure(failed))
      return this.#consumer.settle(outcome);
    const { effect, maxRetries, readyAt, timeoutMs: budgetMs } = this.job;
    const elapsedMs = this.endedAt - readyAt;
    const state = { effect, failure: failed, attempts: this.attempts, maxRetries, elapsedMs, budgetMs };
    const delayMs = retryDelay(state, this.core.random);
    return delayMs === undefined ? this.#consumer.settle(outcome) : this.#guard(this.#retry(delayMs));
  }

  async #retry(delayMs: number): Promise<Result | undefined> {
    this.#controller = undefined;
    this.endedAt = 0;
    await this.#pause(this.core.deadlines.set(delayMs, this));
    const renewing = this.job.renewArgs();
    // A schema that queries a service may hang, so this can be cancelled and has a deadline.
    if (renewing instanceof Promise)
      await this.#pause(this.core.deadlines.set(this.job.timeoutMs, { expire: () => this.abort("timeout") }), renewing);
    return this.#enter(this.core.clock.elapsed());
  }

  /** Waits until the work is done, or until the deadline or an abort ends the pause. */
  async #pause(deadline: Deadline, work?: Promise<void>): Promise<void> {
    try {
      await new Promise<unknown>((resolve, reject) => {
        this.#awaited = resolve;
        work?.then(resolve, reject);
      });
    } finally {
      this.#awaited = undefined;
      this.core.deadlines.cancel(deadline);
    }
  }

  /** The delay before the next attempt is over. */
  expire(): void {
    this.#wake();
  }

  #stopped(cause: AbortCause): Failure {
    const { tool, effect, timeoutMs } = this.job;
    // A call that never started had no side effects, regardless of its effect.
    return stoppedFailure(cause, { tool: tool.name, effect: this.attempts === 0 ? "read" : effect, timeoutMs });
  }
}

function isTicket(slot: Bucket | Ticket | undefined): slot is Ticket {
  return slot !== undefined && "state" in slot;
}

/** Used if a listener receives the result. */
const noWaiter = (): void => {};

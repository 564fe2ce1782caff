import { type Deadline, type Expiring, type Failure, failure } from "../base/index.ts";
import type { CallTool } from "../tool/index.ts";
import type { Bucket } from "./bucket.ts";
import { patience } from "./call-context.ts";
import type { CallListener } from "./call-hooks.ts";
import type { Core } from "./core.ts";
import { type AbortCause, abortReason, failureOf, leftBehind, messageOf, stopped } from "./failed-attempt.ts";
import { HandlerContext } from "./handler-context.ts";
import type { Job } from "./job.ts";
import { type Outcome, checkReturned, plainFacts } from "./outcome.ts";
import { PendingAttempt, drain, isGenerator, isPromiseLike } from "./pending-attempt.ts";
import { retryDelay } from "./retry.ts";
import type { Surround } from "./surround.ts";
import type { Admitted, Holder, Refusal, Ticket } from "./ticket.ts";

/** Makes of an outcome what is waited for. Never throws. */
export interface Settles<Result> {
  settle(outcome: Outcome): Result;
  /** Hears of the end, where there is one: then nobody waits for a promise. */
  readonly listener: CallListener | undefined;
}

/** What is there now, or later; undefined where whoever waits hears of it. */
export type Later<T> = T | undefined | Promise<T | undefined>;

/**
 * Admission, attempts, retries: everything between "this call may run" and its outcome. The outcome is handed on
 * where it comes about, not through one more promise.
 */
export class Execution<Result = unknown> implements Admitted, Holder, Expiring {
  readonly core: Core;
  readonly job: Job;
  readonly #waiting: Settles<Result>;
  attempts = 0;
  queuedMs = 0;
  /** Why it was told to stop, if it was. */
  cause: AbortCause | undefined = undefined;
  /** What the handler reported for `meta`. */
  facts: Record<string, unknown> | undefined = undefined;
  /** Where it has a place that was free at once. */
  #bucket: Bucket | undefined;
  /** Where it had to wait for one. */
  #ticket: Ticket | undefined;
  /** When it was put into the queue, or got the place, by the clock's elapsed time. */
  since = 0;
  /** When it ended, by the clock's elapsed time; 0 until then. */
  endedAt = 0;
  /** The attempt whose handler answers later. */
  pending: PendingAttempt | undefined = undefined;
  /** What is pending is the check of an output. */
  #checking = false;
  #controller: AbortController | undefined;
  #variables: Record<string, unknown> | undefined;
  /** Ends a wait, for a place or for the next attempt. */
  #wake: ((refusal?: Refusal) => void) | undefined;
  #backoff: Deadline | undefined;

  constructor(core: Core, job: Job, waiting: Settles<Result>) {
    this.core = core;
    this.job = job;
    this.#waiting = waiting;
  }

  /** Runs to the end. A value where nothing had to be waited for. */
  start(): Later<Result> {
    return this.#enter(this.job.readyAt);
  }

  /** Stops it wherever it is: in the queue, in the handler, or between attempts. */
  abort(cause: AbortCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.#controller?.abort(abortReason(cause));
    this.job.stopChildren();
    this.pending?.aborted(cause);
    if (this.#ticket?.state === "queued") this.core.scheduler.leave(this.#ticket);
    if (this.#backoff) this.core.deadlines.cancel(this.#backoff);
    this.#wake?.();
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

  /** In an attempt that nobody told to stop. */
  get isRunning(): boolean {
    return this.cause === undefined && (this.#bucket !== undefined || this.#ticket?.state === "held");
  }

  /** Progress after the end is dropped: the caller has its result already. */
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
    this.log(`onProgress failed: ${messageOf(error)}`);
  }

  report(facts: Readonly<Record<string, unknown>>): void {
    this.facts = { ...this.facts, ...plainFacts(facts) };
  }

  callTool(): CallTool {
    // Only composites have it in their type; a handler in plain JavaScript hears why it is missing.
    return (
      this.job.callTool ??
      (() => Promise.reject(new TypeError("only a tool defined with composite: true has ctx.callTool")))
    );
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

  get patienceMs(): number | undefined {
    return patience(this.job.context, this.job.timeoutMs);
  }

  /** A chain step: its run has its own limit. */
  get #bypasses(): boolean {
    return !this.job.nested && this.job.context.callerType === "workflow_node";
  }

  #enter(now: number): Later<Result> {
    if (this.cause !== undefined) return this.#fail(this.#stopped(this.cause));
    const { scheduler } = this.core;
    if (this.#bypasses) scheduler.countBypass();
    this.since = now;
    this.#bucket = scheduler.takeFree(this, now);
    if (this.#bucket !== undefined) return this.#attempt(now);
    this.#ticket = scheduler.ticket(this);
    const rejected = scheduler.enter(this.#ticket, now) === "rejected";
    return rejected ? this.#fail(this.#refused("rejected")) : this.#guard(this.#queue());
  }

  async #queue(): Promise<Result | undefined> {
    this.since = this.core.clock.elapsed();
    const refusal = await new Promise<Refusal | undefined>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.queuedMs += this.core.clock.elapsed() - this.since;
    if (refusal !== undefined) return this.#fail(this.#refused(refusal));
    if (this.cause === undefined) return this.#attempt(this.core.clock.elapsed());
    // Aborted between the grant and now: the place goes back unused.
    this.#leave(this.core.clock.elapsed());
    return this.#fail(this.#stopped(this.cause));
  }

  #leave(now: number): void {
    const { scheduler } = this.core;
    const bucket = this.#bucket;
    this.#bucket = undefined;
    if (bucket !== undefined) scheduler.giveBack(this, bucket, now);
    else if (this.#ticket !== undefined) scheduler.leave(this.#ticket, now);
  }

  /** A clock, a schema or a store of somebody else's that threw: told as a failure, like any other. */
  #guard(result: Promise<Result | undefined>): Promise<Result | undefined> {
    return result.catch((error: unknown) => this.#fail(failureOf(error, this.job.effect)));
  }

  #fail(error: Failure): Result {
    return this.#waiting.settle({ failure: error });
  }

  admitted(): void {
    this.#wake?.();
  }

  refused(_ticket: Ticket, why: Refusal): void {
    this.#wake?.(why);
  }

  #refused(why: Refusal): Failure {
    const { settings } = this.core.scheduler;
    if (why === "queue_timeout") {
      const waitedMs = this.patienceMs ?? settings.queueTimeoutMs;
      return failure("queue_timeout", `${this.job.tool.name} waited ${waitedMs} ms for a free place`);
    }
    return settings.strategy === "reject"
      ? failure("rejected", `all ${settings.maxConcurrent} places are taken, and the strategy is to reject`)
      : failure("rejected", `the queue is full (${settings.queueSize} calls are waiting)`);
  }

  // --- attempts

  #attempt(now: number): Later<Result> {
    this.attempts++;
    if (this.attempts === 1) {
      this.job.started(this.queuedMs);
      const noted = this.job.context.hooks?.started?.(this.job.effect);
      if (noted !== undefined) return this.#guard(this.#attemptAfter(noted));
    }
    return this.#run(now);
  }

  /** Somebody has to write down first that the handler starts. */
  async #attemptAfter(noted: Promise<void>): Promise<Result | undefined> {
    try {
      await noted;
    } catch (error) {
      return this.#ended({ failure: failureOf(error, "read") });
    }
    if (this.cause !== undefined) return this.#ended({ failure: this.#stopped(this.cause) });
    return this.#run(this.core.clock.elapsed());
  }

  #run(now: number): Later<Result> {
    const { tool, args, effect } = this.job;
    let outcome: Outcome | Promise<Outcome>;
    try {
      const { surround } = this.core;
      const returned: unknown =
        surround === undefined ? tool.run(args, new HandlerContext(this)) : this.#runInside(surround);
      if (returned instanceof Promise || isPromiseLike(returned)) return this.#await(returned, now);
      if (isGenerator(returned)) return this.#await(drain(returned, this), now);
      outcome = checkReturned(returned, this);
    } catch (error) {
      outcome = { failure: failureOf(error, effect, this.core.placeOf) };
    }
    return this.#checked(outcome);
  }

  /** A generator is drained in there, too: what it does between its yields belongs to the handler. */
  #runInside(surround: Surround): unknown {
    const { job } = this;
    return surround(job, () => {
      const returned: unknown = job.tool.run(job.args, new HandlerContext(this));
      return isGenerator(returned) ? drain(returned, this) : returned;
    });
  }

  /** @param since When it began, by the clock's elapsed time. */
  #await(work: PromiseLike<unknown>, since: number): Later<Result> {
    if (this.#waiting.listener !== undefined) {
      this.pending = new PendingAttempt(this, { work, since, resolve: nobodyWaits });
      return undefined;
    }
    return new Promise((resolve) => {
      // It resolves with what `returned`, `threw` or `stopped` gives.
      this.pending = new PendingAttempt(this, { work, since, resolve: resolve as (result: unknown) => void });
    });
  }

  /** @internal What was awaited, a handler or the check of its output, gave this. */
  returned(value: unknown): Later<Result> {
    this.pending = undefined;
    if (this.#checking) {
      this.#checking = false;
      // What a check gives is an outcome.
      return this.#ended(value as Outcome);
    }
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = checkReturned(value, this);
    } catch (error) {
      outcome = { failure: failureOf(error, this.job.effect) };
    }
    return this.#checked(outcome);
  }

  /** @internal It threw. */
  threw(error: unknown): Later<Result> {
    this.pending = undefined;
    this.#checking = false;
    return this.#ended({ failure: failureOf(error, this.job.effect, this.core.placeOf) });
  }

  /** @internal It was told to stop; `abandoned` when it did not, within the grace period. */
  stopped(cause: AbortCause, abandoned: boolean): Later<Result> {
    this.pending = undefined;
    this.#checking = false;
    const stop = this.#stopped(cause);
    if (!abandoned) return this.#ended({ failure: stop });
    return this.#ended({ failure: leftBehind(stop, this.job.tool.name, this.core.limits.graceMs), abandoned });
  }

  #checked(outcome: Outcome | Promise<Outcome>): Later<Result> {
    return outcome instanceof Promise ? this.#awaitCheck(outcome) : this.#ended(outcome);
  }

  /** An output schema that asks a service may hang or break like a handler, so it has a deadline too. */
  #awaitCheck(check: Promise<Outcome>): Later<Result> {
    this.#checking = true;
    return this.#await(check, this.core.clock.elapsed());
  }

  #ended(outcome: Outcome): Later<Result> {
    this.job.stopChildren();
    this.endedAt = this.core.clock.elapsed();
    // Released before anything else: a slow store or a long pause must not hold a place.
    this.#leave(this.endedAt);
    if (outcome.failure === undefined || this.cause !== undefined) return this.#waiting.settle(outcome);
    const delayMs = retryDelay(
      {
        effect: this.job.effect,
        failure: outcome.failure,
        attempts: this.attempts,
        maxRetries: this.job.maxRetries,
        elapsedMs: this.endedAt - this.job.readyAt,
        budgetMs: this.job.timeoutMs,
      },
      this.core.random,
    );
    return delayMs === undefined ? this.#waiting.settle(outcome) : this.#guard(this.#tryAgain(delayMs));
  }

  async #tryAgain(delayMs: number): Promise<Result | undefined> {
    this.#controller = undefined;
    this.endedAt = 0;
    await new Promise<void>((resolve) => {
      this.#wake = () => resolve();
      this.#backoff = this.core.deadlines.set(delayMs, this);
    });
    this.#wake = undefined;
    this.#backoff = undefined;
    const renewing = this.job.renewArgs();
    if (renewing instanceof Promise) await this.#renewed(renewing);
    return this.#enter(this.core.clock.elapsed());
  }

  /** A schema that asks a service may hang, so this can be cancelled and has a deadline. */
  async #renewed(renewing: Promise<void>): Promise<void> {
    this.#backoff = this.core.deadlines.set(this.job.timeoutMs, { expire: () => this.abort("timeout") });
    await Promise.race([renewing, new Promise<void>((resolve) => (this.#wake = () => resolve()))]);
    this.core.deadlines.cancel(this.#backoff);
    this.#backoff = undefined;
    this.#wake = undefined;
  }

  /** The pause before the next attempt is over. */
  expire(): void {
    this.#wake?.();
  }

  #stopped(cause: AbortCause): Failure {
    const { tool, effect, timeoutMs } = this.job;
    // What never started did nothing, whatever its effect.
    return stopped(cause, { tool: tool.name, effect: this.attempts === 0 ? "read" : effect, timeoutMs });
  }
}

/** Where a listener hears of the end. */
const nobodyWaits = (): void => {};

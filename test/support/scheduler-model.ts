import { Deadlines, type Timer } from "../../src/base/index.ts";
import type { ConcurrencyOptions } from "../../src/engine/index.ts";
import { Scheduler } from "../../src/engine/scheduler.ts";
import type { AdmissionRequest, AdmissionRefusal, Ticket } from "../../src/engine/admission-ticket.ts";
import { FakeClock } from "./fake-clock.ts";

/** A call that requests a slot, as a test describes it. */
export interface Effect {
  readonly category: string;
  readonly priority: number;
  readonly global: boolean;
  readonly slot: boolean;
  readonly holdMs: number;
}

type State = "queued" | "held" | "rejected" | "queue_timeout" | "cancelled" | "released";

/** One call in progress, with its history. */
class Call implements AdmissionRequest {
  readonly category: string;
  readonly priority: number;
  readonly global: boolean;
  readonly slot: boolean;
  readonly holdMs: number;
  readonly number: number;
  readonly model: SchedulerModel;
  /** Of the scheduler, once the call has entered. */
  ticket!: Ticket;
  state: State | undefined;
  settled = 0;
  /** Runs until the call is done. */
  timer: Timer | undefined;

  constructor(model: SchedulerModel, effect: Effect, number: number) {
    this.model = model;
    this.category = effect.category;
    this.priority = effect.priority;
    this.global = effect.global;
    this.slot = effect.slot;
    this.holdMs = effect.holdMs;
    this.number = number;
  }

  get bucket(): string {
    return this.slot ? this.category : "";
  }

  admitted(): void {
    same("the state of a call that is told", this.state, "queued");
    this.model.grantedFromQueue(this);
  }

  refused(_ticket: Ticket, why: AdmissionRefusal): void {
    same("the state of a call that is told", this.state, "queued");
    this.state = why;
    this.settled++;
  }
}

/**
 * A plain, slow model of the guarantees of the scheduler, run beside the real one: after every step it checks the
 * limits, the order, the counters, and that no call waits that could start.
 */
export class SchedulerModel {
  readonly clock: FakeClock = new FakeClock();
  readonly scheduler: Scheduler;
  readonly calls: Call[] = [];
  /** Every start, for the rates. */
  readonly starts: { bucket: string; at: number }[] = [];
  /** The count of global grants at which a bucket last got a global slot. */
  readonly #turns = new Map<string, number>();
  #grants = 0;
  #acquired = 0;

  constructor(options: ConcurrencyOptions) {
    this.scheduler = new Scheduler(options, this.clock, new Deadlines(this.clock));
  }

  enter(effect: Effect): Call {
    const call = new Call(this, effect, this.calls.length);
    const { settings } = this.scheduler;
    const waiting = this.#queued(({ global }) => global).length;
    call.ticket = this.scheduler.enter(call);
    const { state } = call.ticket;
    this.calls.push(call);
    if (state === "held") {
      this.#granted(call);
    } else if (state === "queued") {
      call.state = "queued";
      if (call.global) must("the size of the queue", waiting < settings.queueSize);
      must("no queue under reject", settings.strategy !== "reject" || !call.global);
    } else {
      call.state = "rejected";
      call.settled++;
      must("only roots are rejected", call.global);
      must("a reason to reject", settings.strategy === "reject" || waiting === settings.queueSize);
    }
    this.check();
    return call;
  }

  /** The caller gives up. */
  cancel(call: Call): void {
    if (call.state === "queued") {
      call.state = "cancelled";
      call.settled++;
      this.scheduler.endTicket(call.ticket);
    } else if (call.state === "held") {
      this.#release(call);
    }
    this.check();
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed++) {
      this.clock.advance(1);
      this.check();
    }
  }

  /** At the end: every call has an outcome, no slot is held, no timer is armed. */
  finish(): void {
    for (let left = 1000; left > 0 && this.calls.some(({ settled }) => settled === 0); left--) this.pass(1);
    for (const call of this.calls) {
      same(`how often call ${call.number} was settled`, call.settled, 1);
      same("the state at the end", call.ticket.state, "done");
    }
    const { currentConcurrent, queueLength } = this.scheduler.metrics();
    same("held and queued at the end", [currentConcurrent, queueLength], [0, 0]);
    for (const { current, queue } of Object.values(this.scheduler.bucketMetrics())) {
      same("held and queued at the end", [current, queue], [0, 0]);
    }
    same("timers at the end", this.clock.holding, 0);
  }

  check(): void {
    this.#checkLimits();
    this.#checkCounters();
    this.#checkNoStarvation();
  }

  grantedFromQueue(call: Call): void {
    this.#checkOrder(call);
    this.#granted(call);
  }

  #granted(call: Call): void {
    call.state = "held";
    this.#acquired++;
    if (call.slot) this.starts.push({ bucket: call.bucket, at: this.clock.elapsed() });
    if (call.global) this.#turns.set(call.bucket, ++this.#grants);
    this.#checkLimits();
    call.timer = this.clock.after(call.holdMs, () => this.#release(call));
  }

  #release(call: Call): void {
    if (call.state !== "held") return;
    call.state = "released";
    call.settled++;
    call.timer?.cancel();
    this.scheduler.endTicket(call.ticket);
    // Cancelling twice is the same as once.
    this.scheduler.endTicket(call.ticket);
  }

  #in(state: State): Call[] {
    return this.calls.filter((call) => call.state === state);
  }

  #queued(test: (call: Call) => boolean): Call[] {
    return this.#in("queued").filter(test);
  }

  #checkLimits(): void {
    const { maxConcurrent, bucketLimits, rateLimits } = this.scheduler.settings;
    const held = this.#in("held");
    must("the global limit", held.filter(({ global }) => global).length <= maxConcurrent);
    for (const [bucket, limit] of bucketLimits) {
      must(`the limit of ${bucket}`, held.filter((call) => call.bucket === bucket).length <= limit);
    }
    for (const [bucket, { count, windowMs }] of rateLimits) {
      const starts = this.starts.filter((start) => start.bucket === bucket).map(({ at }) => at);
      for (let at = count; at < starts.length; at++) {
        must(`the rate of ${bucket}`, starts[at]! - starts[at - count]! >= windowMs);
      }
    }
  }

  #checkCounters(): void {
    const metrics = this.scheduler.metrics();
    const held = this.#in("held");
    same(
      "held and queued",
      [metrics.currentConcurrent, metrics.queueLength],
      [held.filter(({ global }) => global).length, this.#queued(({ global }) => global).length],
    );
    same(
      "the totals",
      [
        metrics.totalAcquired,
        metrics.totalReleased,
        metrics.totalRejected,
        metrics.totalTimeout,
        metrics.totalCancelled,
      ],
      [
        this.#acquired,
        ...(["released", "rejected", "queue_timeout", "cancelled"] as const).map((state) => this.#in(state).length),
      ],
    );
    same("acquired", metrics.totalAcquired, metrics.totalReleased + held.length);
    for (const [bucket, { current, queue }] of Object.entries(this.scheduler.bucketMetrics())) {
      same(`held of ${bucket}`, current, held.filter((call) => call.bucket === bucket).length);
      same(`queued of ${bucket}`, queue, this.#queued((call) => call.bucket === bucket).length);
    }
  }

  #hasRoom(bucket: string): boolean {
    const { bucketLimits, rateLimits } = this.scheduler.settings;
    const held = this.#in("held").filter((call) => call.bucket === bucket).length;
    if (held >= (bucketLimits.get(bucket) ?? Infinity)) return false;
    const rate = rateLimits.get(bucket);
    if (rate === undefined) return true;
    const since = this.clock.elapsed() - rate.windowMs;
    return this.starts.filter((start) => start.bucket === bucket && start.at > since).length < rate.count;
  }

  #couldStart(call: Call): boolean {
    const global = this.#in("held").filter((held) => held.global).length < this.scheduler.settings.maxConcurrent;
    return (!call.global || global) && (!call.slot || this.#hasRoom(call.bucket));
  }

  #checkNoStarvation(): void {
    const waiting = this.#in("queued").find((call) => this.#couldStart(call));
    must(`call ${waiting?.number} waits though it could start`, waiting === undefined);
  }

  /** Called when `call` is taken from the queue, before it counts as held. */
  #checkOrder(call: Call): void {
    const priority = (other: Call): number => (this.scheduler.settings.strategy === "priority" ? other.priority : 0);
    const others = this.#queued((other) => other !== call && this.#couldStart(other));
    const sameQueue = others.filter((other) => other.bucket === call.bucket && other.global === call.global);
    for (const other of sameQueue) {
      const later =
        priority(other) < priority(call) || (priority(other) === priority(call) && other.number > call.number);
      must(`call ${call.number} passed call ${other.number} of its queue`, later);
    }
    if (!call.global) return;
    const turn = (other: Call): number => this.#turns.get(other.bucket) ?? 0;
    for (const other of others.filter(({ global, bucket }) => global && bucket !== call.bucket)) {
      must(`call ${call.number} passed the more urgent call ${other.number}`, priority(other) <= priority(call));
      must(`it was the turn of ${other.bucket}`, priority(other) < priority(call) || turn(other) >= turn(call));
    }
  }
}

// Cheaper than a library's: they run a million times.

function must(what: string, holds: boolean): void {
  if (!holds) throw new Error(what);
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [is, theExpected] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== theExpected) throw new Error(`${what}: ${is} instead of ${theExpected}`);
}

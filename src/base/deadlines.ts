import type { Clock, Timer } from "./clock.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** An object that can expire. */
export interface Expiring {
  expire(): void;
}

/** An object that is its own deadline: see {@link Deadlines.start}. */
export abstract class Deadline implements Linked<Deadline>, Expiring {
  previous: Deadline | undefined = undefined;
  next: Deadline | undefined = undefined;
  linked = false;
  /** @internal */
  dueAt = 0;
  /** @internal */
  queue: SameDuration | undefined = undefined;

  abstract expire(): void;
}

/** A deadline for an object that only occasionally has one. */
class SetDeadline extends Deadline {
  readonly #target: Expiring;

  constructor(target: Expiring) {
    super();
    this.#target = target;
  }

  expire(): void {
    this.#target.expire();
  }
}

/** Deadlines of one duration fall due in the order they were set, so one timer serves them all. */
interface SameDuration {
  readonly ms: number;
  readonly pending: LinkedList<Deadline>;
  timer: Timer | undefined;
}

/**
 * Many deadlines on few timers. Setting and cancelling are constant-time and touch no system timer, except for the
 * first and the last pending deadline of a duration.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #byDuration = new Map<number, SameDuration>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Pending deadlines. */
  get size(): number {
    let size = 0;
    for (const queue of this.#byDuration.values()) size += queue.pending.size;
    return size;
  }

  /**
   * Calls `target.expire()` after `ms`, unless cancelled; immediately if `ms` is not a positive number. Keeps the
   * process alive.
   */
  set(ms: number, target: Expiring): Deadline {
    const deadline = new SetDeadline(target);
    this.start(deadline, ms);
    return deadline;
  }

  /**
   * Like `set`, for an object that is not pending and is its own deadline. `now` is for callers that have just read the
   * clock.
   */
  start(deadline: Deadline, ms: number, now: number = this.#clock.elapsed()): void {
    // Not Math.max: it would pass NaN, which no timer ever reaches.
    const queue = this.#queueOf(ms > 0 ? Math.ceil(ms) : 0);
    deadline.queue = queue;
    deadline.dueAt = now + (ms > 0 ? ms : 0);
    queue.pending.append(deadline);
    if (queue.timer === undefined) this.#arm(queue, queue.ms);
    else if (queue.pending.size === 1) queue.timer.hold(true);
  }

  cancel(deadline: Deadline): void {
    const { queue } = deadline;
    if (!deadline.linked || queue === undefined) return;
    queue.pending.remove(deadline);
    if (queue.pending.size > 0) return;
    // The timer stays armed for the next one, but alone it must not keep the process alive.
    if (this.#isClosed) this.#disarm(queue);
    else queue.timer?.hold(false);
  }

  /**
   * From now on no timer stays armed without a pending deadline: it would retain its owner, and everything that was in
   * use when it was armed, until it fires.
   */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#byDuration.values()) if (queue.pending.size === 0) this.#disarm(queue);
  }

  #disarm(queue: SameDuration): void {
    queue.timer?.cancel();
    queue.timer = undefined;
    this.#byDuration.delete(queue.ms);
  }

  #queueOf(ms: number): SameDuration {
    let queue = this.#byDuration.get(ms);
    if (queue === undefined) {
      queue = { ms, pending: new LinkedList<Deadline>(), timer: undefined };
      this.#byDuration.set(ms, queue);
    }
    return queue;
  }

  #arm(queue: SameDuration, ms: number): void {
    queue.timer = this.#clock.after(ms, () => this.#fire(queue));
  }

  #fire(queue: SameDuration): void {
    const now = this.#clock.elapsed();
    // Its timer counts as armed during this loop: a target that sets a new deadline must not delay the pending ones.
    try {
      for (let due = queue.pending.first; due && due.dueAt <= now; due = queue.pending.first) {
        queue.pending.remove(due);
        due.expire();
      }
    } finally {
      const next = queue.pending.first;
      queue.timer = undefined;
      if (next === undefined) this.#byDuration.delete(queue.ms);
      else this.#arm(queue, Math.max(1, Math.ceil(next.dueAt - now)));
    }
  }
}

/** Maximum of every timeout: 24 hours. A longer one is a mistake, such as a time in the wrong unit. */
export const maxTimeoutMs: number = 24 * 3_600_000;

/** True for a timeout in milliseconds that a timer supports: above 0, and at most 24 hours. */
export function isTimeoutMs(ms: unknown): ms is number {
  return typeof ms === "number" && ms > 0 && ms <= maxTimeoutMs;
}

/** Returns the message for an invalid timeout: `timeoutMs must be …, got -5`. */
export function invalidTimeout(name: string, value: unknown): string {
  return `${name} must be a number of milliseconds above 0 and at most ${maxTimeoutMs} (24 hours), got ${String(value)}`;
}

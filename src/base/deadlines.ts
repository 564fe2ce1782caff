import type { Clock, Timer } from "./clock.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** Something that can run out of time. */
export interface Expiring {
  expire(): void;
}

/** A pending deadline; give it back to {@link Deadlines.cancel}. */
export class Deadline implements Linked<Deadline> {
  previous: Deadline | undefined = undefined;
  next: Deadline | undefined = undefined;
  linked = false;
  readonly dueAt: number;
  readonly target: Expiring;
  /** @internal */
  readonly queue: SameDuration;

  constructor(dueAt: number, target: Expiring, queue: SameDuration) {
    this.dueAt = dueAt;
    this.target = target;
    this.queue = queue;
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
   * Calls `target.expire()` after `ms`, unless cancelled; at once when `ms` is no time at all. Holds the process. `now`
   * is for those who have just looked at the clock.
   */
  set(ms: number, target: Expiring, now: number = this.#clock.elapsed()): Deadline {
    // Not Math.max: it would let NaN through, which no timer ever reaches.
    const queue = this.#queueOf(ms > 0 ? Math.ceil(ms) : 0);
    const deadline = new Deadline(now + (ms > 0 ? ms : 0), target, queue);
    queue.pending.append(deadline);
    if (queue.timer === undefined) this.#arm(queue, queue.ms);
    else if (queue.pending.size === 1) queue.timer.hold(true);
    return deadline;
  }

  cancel(deadline: Deadline): void {
    if (!deadline.linked) return;
    const { queue } = deadline;
    queue.pending.remove(deadline);
    // The timer stays armed for the next one, but alone it must not hold the process.
    if (queue.pending.size === 0) queue.timer?.hold(false);
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
    // Its timer counts as armed meanwhile: a target that sets a new deadline must not put off those that wait.
    try {
      for (let due = queue.pending.first; due && due.dueAt <= now; due = queue.pending.first) {
        queue.pending.remove(due);
        due.target.expire();
      }
    } finally {
      const next = queue.pending.first;
      queue.timer = undefined;
      if (next === undefined) this.#byDuration.delete(queue.ms);
      else this.#arm(queue, Math.max(1, Math.ceil(next.dueAt - now)));
    }
  }
}

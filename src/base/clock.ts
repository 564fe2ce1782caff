/** The engine's source of time; a test passes its own. */
export interface Clock {
  /** Milliseconds since the epoch, for timestamps. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  elapsed(): number;
  /** Runs `task` after `ms`. The timer keeps the process alive until it is cancelled or unreferenced. */
  after(ms: number, task: () => void): Timer;
}

/** A timer of a {@link Clock}. */
export interface Timer {
  cancel(): void;
  /** Sets whether the timer keeps the process alive. */
  hold(alive: boolean): void;
}

class SystemTimer implements Timer {
  readonly #handle: NodeJS.Timeout;
  #holds = true;
  #requested = true;
  #changing = false;

  constructor(ms: number, task: () => void) {
    this.#handle = setTimeout(task, Math.min(ms, maxDelayMs));
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  hold(alive: boolean): void {
    this.#requested = alive;
    if (this.#changing || alive === this.#holds) return;
    // Deferred, since consecutive calls change it twice each; the process stays alive at least until then.
    this.#changing = true;
    setImmediate(() => this.#change());
  }

  #change(): void {
    this.#changing = false;
    if (this.#requested === this.#holds) return;
    this.#holds = this.#requested;
    if (this.#holds) this.#handle.ref();
    else this.#handle.unref();
  }
}

/** Node fires immediately for a longer delay. */
const maxDelayMs = 2 ** 31 - 1;

// The global is a getter, and every call reads the time twice.
const { performance } = globalThis;

/** The real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, task) => new SystemTimer(ms, task),
};

/** Time for which the difference between the two times of a clock is assumed constant. */
const trustMs = 1000;

/** Epoch milliseconds for readings of a clock's elapsed time, without reading the clock again for each. */
export class WallTime {
  readonly #clock: Clock;
  #difference = 0;
  #comparedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The wall-clock time of this elapsed time; a changed system clock is detected within a second. */
  at(elapsed: number): number {
    if (elapsed - this.#comparedAt > trustMs) {
      this.#comparedAt = elapsed;
      this.#difference = this.#clock.now() - elapsed;
    }
    return Math.round(this.#difference + elapsed);
  }
}
